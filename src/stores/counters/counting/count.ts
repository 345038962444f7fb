/**
 * Counts one session in everything that counts sessions. The one home of what is counted: every store runs it, for a session that is scored, and for one
 * that it lost.
 */
import type { CountFacts, DuplicateCandidate } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import { classOf, countAddress, countNetwork } from './addresses.js';
import { noteBands, openBands } from './bands.js';
import { packRef, type Bytes } from './bytes.js';
import { within, type Call } from './call.js';
import { pickCandidates } from './candidates.js';
import { deviceKeys, type Value, type Values } from './first-values.js';
import { walkGraph } from './graph.js';
import { countIdentity, linkToken } from './identities.js';
import { openPeople, type People } from './places.js';
import type { Picked } from './receipts.js';
import { joinLinks, linksOf, readRecord, writeRecord, type Link } from './records.js';
import { countSource } from './sources.js';
import type { Given, Step } from './step.js';
import { askTerms, countsTerms, readTerms } from './terms.js';
import { countWindow, type CountedWindow } from './windows.js';

/** The session’s page reported it. */
export interface Seen {
  /** The token that the page kept; the device that counts if the caller named none. */
  readonly token: string | null;
  readonly sketch: Bytes;
  readonly bands: readonly string[];
  readonly cells: Bytes;
}

export interface Counted {
  /** Without candidates, which are read from `picked`. */
  readonly counts: Omit<CountFacts, 'candidates'>;
  readonly picked: readonly Picked[];
  readonly deviceHistory: Value;
}

/** null of a session that is restored: nobody asks for its counts. */
export function* countSession(call: Call, seen: Seen, values: Values): Step<Counted | null> {
  const further = yield* readFurther(call, seen, values);
  const linkage = countIdentities(call, seen, further);
  const people = openPeople(call, personsOf(call, further));
  const figures = countPlaces(call, people, further, linkage);
  const source = yield* countSource(call, call.session.source, people, values.source);
  const terms = further.cells === null ? null : readTerms(seen.cells, further.cells);
  const { host } = call.session;
  const ofHost = host === null ? null : countAddress(call, { ref: host }, values.host);
  people.write();

  const { bands, lists } = further;
  if (bands !== null) noteBands(call, seen.bands, bands, lists);
  const node = joinLinks(linksOf(readRecord(values.record), call.clockMs), linkage.own);
  const isLinked = linkage.own.length > 0;
  const isFindable = isLinked || isAddressed(call) || (seen.bands.length > 0 && within(call, bounds.similarMs));
  writeRecord(call, values.record, { token: seen.token, sketch: seen.sketch, links: node, isFindable, isLinked });
  const window = countWindow(call, values.window);
  if (call.restoring) return null;

  const picks = pickCandidates(call, { ...linkage.before, bands: lists });
  const walk = { own: node, links: linkage.links, sinceMs: window.sinceMs, wanted: [...picks.keys()] };
  const { direct, linked, records } = yield* walkGraph(call, walk);
  return {
    picked: pickedOf(picks, records),
    deviceHistory: further.deviceHistory,
    counts: {
      neighborhood: neighborhoodOf(window, direct, linked),
      source,
      terms,
      hostPeopleHour: ofHost === null ? null : mostOf(ofHost.devices, ofHost.respondents),
      ...figures,
    },
  };
}

interface Further extends Values {
  readonly tokenValue: Value;
  readonly bands: ReturnType<typeof openBands>;
  readonly lists: readonly (Bytes | null)[];
  readonly cells: readonly number[] | null;
}

const tokenOf = (call: Call, { token }: Seen): string | null => (token === call.session.device ? null : token);

/** Reads what the probe named. */
function* readFurther(call: Call, seen: Seen, values: Values): Step<Further> {
  const { device } = call.session;
  const bands = openBands(call, seen.bands, values.generation);
  const hasTerms = seen.sketch !== '' && countsTerms(call);
  const token = tokenOf(call, seen);
  const isDeviceUnread = device !== null && values.device === undefined;
  const keys: string[] = [];
  if (isDeviceUnread) keys.push(...deviceKeys(call, device));
  if (token !== null) keys.push(call.keys.identity('D', token));
  const given: Given =
    keys.length === 0 && bands === null && !hasTerms
      ? { values: [] }
      : yield {
          keys,
          ...(bands !== null && { fields: { key: bands.key, before: bands.before, names: seen.bands } }),
          ...(hasTerms && { cells: askTerms(call, seen.cells) }),
        };
  const [ofDevice, devicePlaces, deviceHistory] = given.values;
  return {
    ...values,
    ...(isDeviceUnread && { device: ofDevice, devicePlaces, deviceHistory }),
    tokenValue: token === null ? undefined : given.values.at(-1),
    bands,
    lists: given.fields ?? [],
    cells: hasTerms ? (given.cells ?? []) : null,
  };
}

interface Linked {
  readonly own: Link[];
  readonly links: Map<Link, Bytes>;
  /** Earlier sessions with the same of each. */
  readonly before: { respondent: Bytes; device: Bytes; token: Bytes; address: Bytes };
  readonly device: ReturnType<typeof countIdentity> | null;
  readonly respondent: ReturnType<typeof countIdentity> | null;
}

/** Counts device, token and respondent, each of which links. */
function countIdentities(call: Call, seen: Seen, further: Further): Linked {
  const { device, respondent } = call.session;
  const ofDevice =
    device === null
      ? null
      : countIdentity(call, { kind: 'D', ref: device, other: respondent, othersMs: bounds.dayMs }, further.device);
  const token = tokenOf(call, seen);
  const ofToken = token === null ? null : linkToken(call, token, further.tokenValue);
  const ofRespondent =
    respondent === null
      ? null
      : countIdentity(call, { kind: 'R', ref: respondent, other: device, othersMs: bounds.weekMs }, further.respondent);
  const linkage: Linked = {
    own: [],
    links: new Map(),
    before: {
      respondent: ofRespondent?.before ?? '',
      device: ofDevice?.before ?? '',
      token: ofToken?.before ?? '',
      address: '',
    },
    device: ofDevice,
    respondent: ofRespondent,
  };
  if (ofDevice !== null && device !== null) addLink(linkage, `D${packRef(device)}`, ofDevice.joined);
  if (ofToken !== null && token !== null) addLink(linkage, `D${packRef(token)}`, ofToken.joined);
  if (ofRespondent !== null && respondent !== null) addLink(linkage, `R${packRef(respondent)}`, ofRespondent.joined);
  return linkage;
}

function addLink({ own, links }: Linked, link: Link, joined: Bytes): void {
  own.push(link);
  links.set(link, joined);
}

const isAddressed = ({ session }: Call): boolean => !session.addressShared && session.deviceClass !== null;

function personsOf({ session }: Call, further: Further) {
  const persons: (readonly ['R' | 'D', string, Value])[] = [];
  if (session.respondent !== null) persons.push(['R', session.respondent, further.respondentPlaces]);
  if (session.device !== null) persons.push(['D', session.device, further.devicePlaces]);
  return persons;
}

/** Counts the address, which may link, and the network. */
function countPlaces(call: Call, people: People, values: Values, linkage: Linked) {
  const { address, deviceClass } = call.session;
  const onNetwork = countNetwork(call, people, values.network);
  const ofAddress = countAddress(call, { ref: address, people }, values.address);
  if (isAddressed(call) && deviceClass !== null && within(call, bounds.addressMs)) {
    linkage.before.address = ofAddress.before;
    addLink(linkage, `A${packRef(address)}${classOf(deviceClass)}`, ofAddress.joined);
  }
  return {
    deviceSessionsDay: linkage.device?.sessionsDay ?? null,
    deviceRespondentsDay: linkage.device?.others ?? null,
    respondentDay: linkage.respondent?.sessionsDay ?? null,
    respondentDevicesWeek: linkage.respondent?.others ?? null,
    addressDevicesHour: ofAddress.devices,
    addressRespondentsHour: ofAddress.respondents,
    addressSessionsHour: ofAddress.sessions,
    prefixSessionsHour: onNetwork.hour,
    prefixSessionsDay: onNetwork.day,
    sharedAddressHour: ofAddress.shared?.hour ?? null,
    sharedAddressDay: ofAddress.shared?.day ?? null,
  };
}

/** Most people on one IPv6 address, which one device has. */
const mostOf = (devices: number | null, respondents: number | null): number | null =>
  devices === null && respondents === null ? null : Math.max(devices ?? 0, respondents ?? 0);

function pickedOf(
  picks: ReadonlyMap<Bytes, DuplicateCandidate['via']>,
  records: ReadonlyMap<Bytes, { readonly bytes: Bytes } | null>,
): Picked[] {
  const picked: Picked[] = [];
  for (const [session, via] of picks) {
    const record = records.get(session);
    // One whose record is gone is left out.
    if (record != null) picked.push({ session, via, record: record.bytes });
  }
  return picked;
}

const neighborhoodOf = (
  { sessions, prefixSessions, prefixSquares, prefixes }: CountedWindow,
  direct: number,
  linked: number,
): CountFacts['neighborhood'] => ({ sessions, direct, linked, prefixSessions, prefixSquares, prefixes });

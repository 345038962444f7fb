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
import { countIdentity, linkToken, type CountedIdentity, type Counting } from './identities.js';
import { openPeople } from './places.js';
import { candidatesOf, type Picked } from './receipts.js';
import { joinLinks, linksOf, readRecord, writeRecord, type Link } from './records.js';
import { countSource } from './sources.js';
import type { Step } from './step.js';
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
  readonly counts: CountFacts;
  readonly picked: readonly Picked[];
}

/** null of a session that is restored: nobody asks for its counts. */
export function* countSession(call: Call, seen: Seen, values: Values): Step<Counted | null> {
  const { session, refs } = call;
  const { token, tokenValue, bands, lists, cells } = yield* readFurther(call, seen, values);
  const linkage = countIdentities(call, values, token, tokenValue);
  const people = openPeople(call, values);
  const onNetwork = countNetwork(call, people, values.network);
  const ofAddress = countAddress(call, { ref: session.address, packed: refs.address, people }, values.address);
  if (isAddressed(call) && within(call, bounds.addressMs)) {
    linkage.before.address = ofAddress.before;
    addLink(linkage, `A${refs.address}${classOf(session.deviceClass ?? '')}`, ofAddress.joined);
  }
  const source = yield* countSource(call, session.source, people, values.source);
  const { host } = session;
  const ofHost = host === null ? null : countAddress(call, { ref: host, packed: packRef(host) }, values.host);
  people.write();

  if (bands !== null) noteBands(call, seen.bands, bands, lists);
  const node = joinLinks(linksOf(readRecord(values.record), call.clockMs), linkage.own);
  const isLinked = linkage.own.length > 0;
  const isFindable = isLinked || isAddressed(call) || (seen.bands.length > 0 && within(call, bounds.similarMs));
  writeRecord(call, values.record, { token: seen.token, sketch: seen.sketch, links: node, isFindable, isLinked });
  const window = countWindow(call, values.window);
  if (call.restoring) return null;

  const { before, links, device, respondent } = linkage;
  const picks = pickCandidates(call, before, lists);
  const walk = { own: node, links, sinceMs: window.sinceMs, wanted: picks };
  const { direct, linked, records } = yield* walkGraph(call, walk);
  const picked = pickedOf(picks, records);
  return {
    picked,
    counts: {
      candidates: candidatesOf(picked),
      neighborhood: neighborhoodOf(window, direct, linked),
      source,
      terms: cells === null ? null : readTerms(call, seen.cells, cells),
      hostPeopleHour: ofHost === null ? null : mostOf(ofHost.devices, ofHost.respondents),
      deviceSessionsDay: device?.sessionsDay ?? null,
      deviceRespondentsDay: device?.others ?? null,
      respondentDay: respondent?.sessionsDay ?? null,
      respondentDevicesWeek: respondent?.others ?? null,
      addressDevicesHour: ofAddress.devices,
      addressRespondentsHour: ofAddress.respondents,
      addressSessionsHour: ofAddress.sessions,
      prefixSessionsHour: onNetwork.hour,
      prefixSessionsDay: onNetwork.day,
      sharedAddressHour: ofAddress.shared?.hour ?? null,
      sharedAddressDay: ofAddress.shared?.day ?? null,
    },
  };
}

interface Further {
  /** A token next to another device. */
  readonly token: string | null;
  readonly tokenValue: Value;
  readonly bands: ReturnType<typeof openBands>;
  readonly lists: readonly (Bytes | null)[];
  readonly cells: readonly number[] | null;
}

const nothing: readonly never[] = [];

/** Reads what the probe named; puts the values of a device that it named among the others. */
function* readFurther(call: Call, seen: Seen, values: Values): Step<Further> {
  const { device } = call.session;
  const bands = openBands(call, seen.bands, values.generation);
  const hasTerms = seen.sketch !== '' && countsTerms(call);
  const token = seen.token === device ? null : seen.token;
  const isDeviceUnread = device !== null && values.device === undefined;
  const keys = isDeviceUnread ? deviceKeys(call, device) : [];
  if (token !== null) keys.push(call.keys.identity('D', token));
  if (keys.length === 0 && bands === null && !hasTerms)
    return { token, tokenValue: null, bands, lists: nothing, cells: null };
  const given = yield {
    keys,
    fields: bands === null ? undefined : { key: bands.key, before: bands.before, names: seen.bands },
    cells: hasTerms ? askTerms(call, seen.cells) : undefined,
  };
  if (isDeviceUnread) [values.device, values.devicePlaces, values.deviceHistory] = given.values;
  return {
    token,
    tokenValue: token === null ? null : given.values[keys.length - 1],
    bands,
    lists: given.fields ?? nothing,
    cells: hasTerms ? (given.cells ?? nothing) : null,
  };
}

interface Linked {
  readonly own: Link[];
  readonly links: Map<Link, Bytes>;
  /** Earlier sessions with the same of each. */
  readonly before: { respondent: Bytes; device: Bytes; token: Bytes; address: Bytes };
  device: CountedIdentity | null;
  respondent: CountedIdentity | null;
}

/** Counts device, token and respondent, each of which links. */
function countIdentities(call: Call, values: Values, token: string | null, tokenValue: Value): Linked {
  const { device, respondent } = call.session;
  const { refs } = call;
  const before = { respondent: '', device: '', token: '', address: '' };
  const linkage: Linked = { own: [], links: new Map(), before, device: null, respondent: null };
  const count = (named: Counting, value: Value): CountedIdentity => {
    const counted = countIdentity(call, named, value);
    addLink(linkage, `${named.kind}${named.packed}`, counted.joined);
    return counted;
  };
  if (device !== null && refs.device !== null) {
    const named = { kind: 'D', ref: device, packed: refs.device } as const;
    linkage.device = count({ ...named, other: refs.respondent, othersMs: bounds.dayMs }, values.device);
    before.device = linkage.device.before;
  }
  if (token !== null) {
    const ofToken = linkToken(call, token, tokenValue);
    before.token = ofToken.before;
    addLink(linkage, `D${packRef(token)}`, ofToken.joined);
  }
  if (respondent !== null && refs.respondent !== null) {
    const named = { kind: 'R', ref: respondent, packed: refs.respondent } as const;
    linkage.respondent = count({ ...named, other: refs.device, othersMs: bounds.weekMs }, values.respondent);
    before.respondent = linkage.respondent.before;
  }
  return linkage;
}

function addLink({ own, links }: Linked, link: Link, joined: Bytes): void {
  own.push(link);
  links.set(link, joined);
}

const isAddressed = ({ session }: Call): boolean => !session.addressShared && session.deviceClass !== null;

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

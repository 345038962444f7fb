/**
 * Links of a session to others of its scope: candidates for a duplicate, and the neighborhood that independence is
 * judged from. Devices and respondents are indexed once and serve both.
 */
import type { Neighborhood } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import type { CountedSession } from '../port.js';
import { pickCandidates, type Picked, type SessionRecord } from './candidates.js';
import { type CountingCall, within } from './counting-call.js';
import { type Keyspace, shortName } from './keyspace.js';
import {
  addSighting,
  type Bands,
  createBands,
  exchangeBands,
  type Sighting,
  type Sightings,
  walkGraph,
} from './sightings.js';

export interface Relations {
  readonly picked: readonly Picked[];
  readonly neighborhood: Neighborhood;
}

const none: Sightings = [];

/** Keys that one call may add: four links, the record, the node, the scope’s bands and its window. */
export const relationsKeysMax = 8;

/** null of a session that is restored: nobody asks what links it. */
export function createRelations(keyspace: Keyspace): (call: CountingCall) => Relations | null {
  const { linkSession, links, nodes } = createLinks(keyspace);
  const bands = keyspace.table<Bands>('bands');
  const { remember, records } = createRecords(keyspace);
  const windows = keyspace.table<ScopeWindow>('windows');

  return (call) => {
    const { nowMs, session, respondent, device, token, prefix, scope } = call.session;
    const at = shortName(`${call.namespace}:${scope}`);
    // One list for all keys that the session is the first of.
    const alone: readonly [Sighting] = [[session, nowMs]];
    const bandKeys = within(call, bounds.similarMs) ? call.session.bands : [];
    const bandSightings =
      bandKeys.length === 0
        ? []
        : exchangeBands(
            bands.take(at, nowMs, 2 * bounds.similarMs, () => createBands(nowMs)),
            bandKeys,
            alone,
            call.clockMs,
          );
    const own = ownLinks(call.session);
    const before = linkSession(call, at, own, alone);
    // A session without any of these cannot be found, so that nothing needs to be known of it.
    if ((own.length > 0 || bandKeys.length > 0) && within(call, bounds.candidateMs)) remember(call, at);

    const window = windows.take(at, nowMs, 2 * bounds.neighborhoodMs, createScopeWindow);
    const add = within(call, bounds.neighborhoodMs) && call.admit(`w${scope}`);
    if (call.restoring) {
      if (add) insertIntoWindow(window, nowMs, prefix);
      return null;
    }
    advanceWindow(window, nowMs, add ? prefix : null);
    const sources = {
      respondent: before.get(`R${respondent}`) ?? none,
      device: before.get(`D${device}`) ?? none,
      token: before.get(`D${token}`) ?? none,
      address: before.get(own.find(isAddressLink) ?? '') ?? none,
      bands: bandSightings,
    };
    const sinceMs = Math.max(nowMs - bounds.neighborhoodMs + 1, window.entries[0]?.[0] ?? nowMs);
    const reader = {
      linksOf: (of: string) => nodes.get(at + of, nowMs) ?? [],
      membersOf: (link: string) => links.get(at + link, nowMs),
    };
    return {
      picked: pickCandidates(session, nowMs, sources, (found) => records.get(at + found, nowMs)),
      neighborhood: {
        sessions: window.entries.length,
        ...walkGraph(reader, session, sinceMs),
        prefixSessions: window.perPrefix.get(prefix) ?? 0,
        prefixSquares: window.squares,
        prefixes: window.perPrefix.size,
      },
    };
  };
}

function createLinks(keyspace: Keyspace) {
  const links = keyspace.table<Sightings>('links');
  const nodes = keyspace.table<readonly string[]>('nodes');
  /** Keeps what links the session; answers who was seen there before. */
  const linkSession = (
    call: CountingCall,
    at: string,
    own: readonly string[],
    alone: readonly [Sighting],
  ): Map<string, Sightings> => {
    const { nowMs, session } = call.session;
    const before = new Map<string, Sightings>();
    const nodeKey = at + session;
    // An expired record never returns, at whatever time the restored session lies.
    const held = nodes.get(nodeKey, call.clockMs);
    if (held === undefined) nodes.delete(nodeKey);
    const node: string[] = [];
    for (const link of own) {
      const linkMs = isAddressLink(link) ? bounds.addressMs : bounds.candidateMs;
      const key = at + link;
      const known = links.get(key, call.clockMs) ?? none;
      before.set(link, known);
      if (!within(call, linkMs)) continue;
      const next = addSighting(known, alone, call.clockMs - linkMs, bounds.linkMembersMax);
      if (next !== known) links.set(key, next, call.clockMs, linkMs);
      if (held?.includes(link) !== true) node.push(link);
    }
    if (own.length === 0) return before;
    // Joined by concat, which leaves no room behind the last.
    const joined = node.length === 0 && held !== undefined ? held : (held ?? []).concat(node).slice(0, bounds.linksMax);
    nodes.take(nodeKey, nowMs, bounds.dayMs, () => joined);
    if (joined !== held) nodes.replace(nodeKey, joined);
    return before;
  };
  return { linkSession, links, nodes };
}

function createRecords(keyspace: Keyspace) {
  const records = keyspace.table<SessionRecord>('records');
  const remember = (call: CountingCall, at: string): void => {
    const { session, nowMs, respondent, device, prefix, token, addressShared, sketch } = call.session;
    const address = addressShared ? null : call.session.address;
    const known = call.restoring && (call.lastAtMs ?? nowMs) > nowMs ? records.get(at + session, nowMs) : undefined;
    // The statement of a later call takes precedence over the restored one.
    const atMs = call.firstAtMs;
    const record = known ? { ...known, atMs } : { atMs, respondent, device, prefix, token, address, sketch };
    records.set(at + session, record, call.clockMs, bounds.candidateMs);
  };
  return { remember, records };
}

const isAddressLink = (link: string): boolean => link.startsWith('A');

/** The keys of the links that this call gives its session. A token links like the device that it is where no deviceHash came. */
function ownLinks({ device, token, respondent, address, addressShared, deviceClass }: CountedSession): string[] {
  const own: string[] = [];
  if (device !== null) own.push(`D${device}`);
  if (token !== null && token !== device) own.push(`D${token}`);
  if (respondent !== null) own.push(`R${respondent}`);
  if (!addressShared && deviceClass !== null) own.push(`A${address}/${deviceClass}`);
  return own;
}

export /**
 * The latest sessions of a scope (24 h, at most 500) by network prefix; the sum of squares moves with each arrival and departure.
 */
interface ScopeWindow {
  /** Oldest first. */
  entries: [atMs: number, prefix: string][];
  perPrefix: Map<string, number>;
  squares: number;
}

function createScopeWindow(): ScopeWindow {
  return { entries: [], perPrefix: new Map(), squares: 0 };
}

/** Adds a session if `prefix` is given and lets go of what left the window. */
function advanceWindow(window: ScopeWindow, nowMs: number, prefix: string | null): void {
  if (prefix !== null) {
    window.entries.push([nowMs, prefix]);
    move(window, prefix, 1);
  }
  letGo(window, nowMs);
}

/** Puts a restored session where its time belongs among those counted meanwhile; one older than all of a full window is left out. */
function insertIntoWindow(window: ScopeWindow, nowMs: number, prefix: string): void {
  const after = window.entries.findIndex(([atMs]) => atMs > nowMs);
  if (after === 0 && window.entries.length >= bounds.neighborhoodSessionsMax) return;
  window.entries.splice(after === -1 ? window.entries.length : after, 0, [nowMs, prefix]);
  move(window, prefix, 1);
  letGo(window, nowMs);
}

function letGo(window: ScopeWindow, nowMs: number): void {
  for (;;) {
    const oldest = window.entries[0];
    if (
      oldest === undefined ||
      (oldest[0] > nowMs - bounds.neighborhoodMs && window.entries.length <= bounds.neighborhoodSessionsMax)
    )
      return;
    window.entries.shift();
    move(window, oldest[1], -1);
  }
}

function move(window: ScopeWindow, prefix: string, change: 1 | -1): void {
  const before = window.perPrefix.get(prefix) ?? 0;
  const after = before + change;
  window.squares += after * after - before * before;
  if (after === 0) window.perPrefix.delete(prefix);
  else window.perPrefix.set(prefix, after);
}

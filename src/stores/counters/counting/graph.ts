/**
 * Hard links: the same device, respondent, or address and device class within 10 minutes. A link with more than 50 sessions is a hub and links nobody; the
 * walk ends at 64 sessions.
 */
import { bounds } from '../bounds.js';
import { packTime, refBytes, timeAt, unpackRef, type Bytes } from './bytes.js';
import { linkedAt } from './addresses.js';
import type { Call } from './call.js';
import { sightingsOf } from './identities.js';
import { isAddressLink, linksOf, readRecord, type Link, type SessionRecord } from './records.js';
import { dropEntries, entryBytes, findEntry } from './sightings.js';
import type { Step } from './step.js';

export interface Walk {
  /** The session’s own links. */
  readonly own: readonly Link[];
  /** Sightings of links that are known already. */
  readonly links: Map<Link, Bytes>;
  readonly sinceMs: number;
  /** Sessions whose records are wanted in any case. */
  readonly wanted: ReadonlyMap<Bytes, unknown>;
}

export interface Walked {
  readonly direct: number;
  readonly linked: number;
  readonly records: ReadonlyMap<Bytes, SessionRecord | null>;
}

/** Every link has this session only. */
const alone: Walked = { direct: 0, linked: 0, records: new Map() };

/** Counts the sessions linked to this one, directly and through others, among those seen since then. Level by level, each read at once. */
export function* walkGraph(call: Call, { own, links, sinceMs, wanted }: Walk): Step<Walked> {
  if (wanted.size === 0 && own.every((link) => (links.get(link)?.length ?? Infinity) <= entryBytes)) return alone;
  const records = new Map<Bytes, SessionRecord | null>();
  const visited = new Set([call.ref]);
  const crossed = new Set<Link>();
  const oldest = packTime(sinceMs - 1);
  let frontier: readonly (readonly [session: Bytes, links: readonly Link[]])[] = [[call.ref, own]];
  let direct: number | null = null;
  while (frontier.length > 0) {
    yield* readLinks(call, links, frontier);
    const found: Bytes[] = [];
    for (const [session, itsLinks] of frontier)
      for (const link of itsLinks) {
        const byTime = isAddressLink(link);
        // An address links different sessions at different times, so its link is checked for each session.
        if (!byTime && crossed.has(link)) continue;
        crossed.add(link);
        for (const neighbor of neighborsOf(links.get(link) ?? '', byTime ? session : null, oldest)) {
          if (visited.has(neighbor) || visited.size > bounds.visitedMax) continue;
          visited.add(neighbor);
          found.push(neighbor);
        }
      }
    const next = visited.size > bounds.visitedMax ? [] : found;
    yield* readRecords(call, records, next, direct === null ? wanted : null);
    direct ??= found.length;
    frontier = next.map((session) => [session, linksOf(records.get(session) ?? null, call.clockMs)]);
  }
  return { direct: direct ?? 0, linked: visited.size - 1 - (direct ?? 0), records };
}

const none: readonly never[] = [];

function neighborsOf(list: Bytes, near: Bytes | null, oldest: Bytes): readonly Bytes[] {
  if (list === '') return none;
  const recent = dropEntries(list, oldest);
  const neighbors: Bytes[] = [];
  if (recent.length > bounds.hubMembers * entryBytes) return neighbors;
  const own = near === null ? -1 : findEntry(list, near);
  if (near !== null && own === -1) return neighbors;
  for (let at = 0; at < recent.length; at += entryBytes) {
    const apartMs = near === null ? 0 : Math.abs(timeAt(recent, at + refBytes) - timeAt(list, own + refBytes));
    if (apartMs <= bounds.addressLinkMs) neighbors.push(recent.slice(at, at + refBytes));
  }
  return neighbors;
}

function* readRecords(
  call: Call,
  records: Map<Bytes, SessionRecord | null>,
  sessions: readonly Bytes[],
  wanted: Walk['wanted'] | null,
): Step<void> {
  // Those found are new at each level.
  const missing = sessions.filter((session) => !records.has(session));
  if (wanted !== null) for (const session of wanted.keys()) if (!sessions.includes(session)) missing.push(session);
  if (missing.length === 0) return;
  const { values } = yield { keys: missing.map((session) => call.keys.record(unpackRef(session))) };
  missing.forEach((session, i) => records.set(session, readRecord(values[i])));
}

function* readLinks(
  call: Call,
  links: Map<Link, Bytes>,
  frontier: readonly (readonly [Bytes, readonly Link[]])[],
): Step<void> {
  const missing: Link[] = [];
  for (const [, of] of frontier)
    for (const link of of) if (!links.has(link) && !missing.includes(link)) missing.push(link);
  if (missing.length === 0) return;
  const { values } = yield { keys: missing.map((link) => keyOf(call, link)) };
  missing.forEach((link, i) =>
    links.set(link, isAddressLink(link) ? linkedAt(values[i], link.slice(1 + refBytes)) : sightingsOf(values[i])),
  );
}

function keyOf({ keys }: Call, link: Link): string {
  const ref = unpackRef(link, 1);
  const kind = link.charAt(0);
  return kind === 'R' || kind === 'D' ? keys.identity(kind, ref) : keys.address(ref);
}

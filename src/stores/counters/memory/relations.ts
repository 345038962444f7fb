/**
 * What ties a session to others of its scope: candidates for a duplicate, and the neighborhood that independence is
 * judged from. Devices and respondents are indexed once and serve both.
 */
import type { DuplicateCandidate, Neighborhood } from '../../../contract/facts.js';
import { bounds } from '../bounds.js';
import type { ScoreCountInput, StoredProbe } from '../port.js';
import { createBands, exchangeBands, type Bands } from './bands.js';
import { pickCandidates, type SessionRecord } from './candidates.js';
import { walkGraph } from './graph.js';
import type { Keyspace } from './keyspace.js';
import { advanceWindow, createScopeWindow, type ScopeWindow } from './scope-window.js';
import { addSighting, type Sightings } from './sightings.js';

export interface RelationsCall {
  readonly input: ScoreCountInput;
  readonly device: string | null;
  readonly probe: StoredProbe | null;
  readonly firstAtMs: number;
  readonly admit: (counter: string) => boolean;
}

/** Keys that one call may add: three edges, the record, the node, the scope’s bands and its window. */
export const relationsKeysMax = 7;

export function createRelations(keyspace: Keyspace): (call: RelationsCall) => { candidates: DuplicateCandidate[]; neighborhood: Neighborhood } {
  const edges = keyspace.table<Sightings>('edges');
  const bands = keyspace.table<Bands>('bands');
  const records = keyspace.table<SessionRecord>('records');
  const nodes = keyspace.table<string[]>('nodes');
  const windows = keyspace.table<ScopeWindow>('windows');

  return ({ input, device, probe, firstAtMs, admit }) => {
    const { nowMs, session, respondent } = input;
    const at = `${input.projectId}:${input.scope}:`;
    const edgesOf = (kind: string, ref: string | null): Sightings => (ref === null ? [] : (edges.get(`${at}${kind}${ref}`, nowMs) ?? []));

    const bandKeys = probe?.bands ?? [];
    const bandSightings = bandKeys.length === 0 ? [] : exchangeBands(bands.take(at, nowMs, 2 * bounds.similarMs, () => createBands(nowMs)), bandKeys, session, nowMs);
    const sources = { respondent: edgesOf('R', respondent), device: edgesOf('D', device), bands: bandSightings };
    const candidates = pickCandidates(session, nowMs, sources, (found) => records.get(at + found, nowMs));

    // A session without any of these cannot be found, so that nothing needs to be known of it.
    if (respondent !== null || device !== null || bandKeys.length > 0) {
      records.set(at + session, { atMs: firstAtMs, respondent, device, prefix: input.prefix, sketch: probe?.sketch ?? null }, nowMs, bounds.candidateMs);
    }

    const own = ownEdges(input, device);
    const node = own.length === 0 ? nodes.get(at + session, nowMs) : nodes.take(at + session, nowMs, bounds.dayMs, () => []);
    for (const edge of own) {
      const edgeMs = edge.startsWith('A') ? bounds.dayMs : bounds.candidateMs;
      const known = edges.get(at + edge, nowMs) ?? [];
      const next = addSighting(known, [session, nowMs], edgeMs, bounds.edgeMembersMax);
      if (next !== known) edges.set(at + edge, next, nowMs, edgeMs);
      if (node !== undefined && !node.includes(edge) && node.length < bounds.edgesMax) node.push(edge);
    }

    const window = windows.take(at, nowMs, 2 * bounds.neighborhoodMs, createScopeWindow);
    advanceWindow(window, nowMs, admit(`w${input.scope}`) ? input.prefix : null);
    const sinceMs = Math.max(nowMs - bounds.neighborhoodMs + 1, window.entries[0]?.[0] ?? nowMs);
    const reader = { edgesOf: (of: string) => nodes.get(at + of, nowMs) ?? [], membersOf: (edge: string) => edges.get(at + edge, nowMs) };
    const neighborhood = {
      sessions: window.entries.length,
      ...walkGraph(reader, session, sinceMs),
      prefixSessions: window.perPrefix.get(input.prefix) ?? 0,
      prefixSquares: window.squares,
      prefixes: window.perPrefix.size,
    };
    return { candidates, neighborhood };
  };
}

/** The edge keys that this call ties its session to. */
function ownEdges(input: ScoreCountInput, device: string | null): string[] {
  const edges: string[] = [];
  if (device !== null) edges.push(`D${device}`);
  if (input.respondent !== null) edges.push(`R${input.respondent}`);
  if (!input.addressShared && input.deviceClass !== null) edges.push(`A${input.address}/${input.deviceClass}`);
  return edges;
}

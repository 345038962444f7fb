/**
 * Sessions of a scope linked by hard links: the same device, the same respondent, or the same address and device class
 * within 10 minutes. A key with more than 50 sessions in the window is a hub and links nobody. The walk from one
 * session stops at 64 others, so that its cost is bounded whatever the graph looks like.
 */
import { bounds } from '../bounds.js';
import type { Sightings } from './sightings.js';

export interface GraphReader {
  /** Tie keys of a session; those of an address begin with A. */
  linksOf(session: string): readonly string[];
  membersOf(link: string): Sightings | undefined;
}

/** Counts the sessions linked to `session`, directly and through others, among those seen since `sinceMs`. */
export function walkGraph(reader: GraphReader, session: string, sinceMs: number): { direct: number; linked: number } {
  const visited = new Set([session]);
  const crossed = new Set<string>();
  let frontier = [session];
  let direct: number | null = null;
  while (frontier.length > 0) {
    const found: string[] = [];
    for (const node of frontier) {
      for (const link of reader.linksOf(node)) {
        const byTime = link.startsWith('A');
        // Who else an address links depends on when this session came, so that its link is looked at for each.
        if (!byTime && crossed.has(link)) continue;
        crossed.add(link);
        for (const neighbor of neighborsOf(reader.membersOf(link) ?? [], byTime ? node : null, sinceMs)) {
          if (visited.has(neighbor) || visited.size > bounds.visitedMax) continue;
          visited.add(neighbor);
          found.push(neighbor);
        }
      }
    }
    direct ??= found.length;
    frontier = visited.size > bounds.visitedMax ? [] : found;
  }
  return { direct: direct ?? 0, linked: visited.size - 1 - (direct ?? 0) };
}

function neighborsOf(members: Sightings, near: string | null, sinceMs: number): string[] {
  const recent = members.filter(([, atMs]) => atMs >= sinceMs);
  if (recent.length > bounds.hubMembers) return [];
  if (near === null) return recent.map(([session]) => session);
  const own = members.find(([session]) => session === near);
  if (own === undefined) return [];
  return recent.filter(([, atMs]) => Math.abs(atMs - own[1]) <= bounds.addressLinkMs).map(([session]) => session);
}

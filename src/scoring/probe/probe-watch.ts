/**
 * For development: from which sessions the probe sent messages lately, by address, so that a score without a probe can say that one came under another session
 * id or another project's key. In this process only, bounded, and never where respondents are: whoever shares an address would learn of each other.
 */
import { LRUCache } from 'lru-cache';
import { parseAddress } from '../../net/address.js';

export interface ProbeWatch {
  noteProbe(ip: string, probe: { readonly projectId: string; readonly sessionId: string }): void;
  /** Describes another session's recent probe from the address; null if there is none. */
  findElsewhere(ip: string, own: { readonly projectId: string | null; readonly sessionId: string }): string | null;
}

/** Watches nothing: for every environment but development. */
export const noProbeWatch: ProbeWatch = { noteProbe: () => undefined, findElsewhere: () => null };

const rememberMs = 600_000;
const addressesMax = 1_000;
const shownLengthMax = 80;

export function createProbeWatch(now: () => number): ProbeWatch {
  const latest = new LRUCache<
    string,
    { readonly projectId: string; readonly sessionId: string; readonly atMs: number }
  >({
    max: addressesMax,
  });
  return {
    noteProbe: (ip, { projectId, sessionId }) => void latest.set(placeOf(ip), { projectId, sessionId, atMs: now() }),
    findElsewhere(ip, own) {
      const probe = latest.get(placeOf(ip));
      if (probe === undefined || now() - probe.atMs > rememberMs || own.projectId === null) return null;
      const sameProject = probe.projectId === own.projectId;
      if (sameProject && probe.sessionId === own.sessionId) return null;
      const seconds = Math.round((now() - probe.atMs) / 1_000);
      const project = sameProject ? '' : ', with the probe key of another project';
      return `for session "${probe.sessionId.slice(0, shownLengthMax)}"${project}, ${seconds} s ago`;
    },
  };
}

/** A machine calls itself by several addresses. */
function placeOf(ip: string): string {
  const address = parseAddress(ip);
  return address?.range === 'loopback' ? 'loopback' : (address?.text ?? ip);
}

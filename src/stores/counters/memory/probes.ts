/**
 * Probes by session. A message replaces one of its phase with a lower seq; a page load first heard of becomes the
 * current one, and what still arrives from an earlier page is stale. A nonce belongs to the session that used it first.
 */
import { bounds } from '../bounds.js';
import type { ProbeStoreInput, ProbeStoreResult, StoredProbe } from '../port.js';
import type { Keyspace } from './keyspace.js';

interface KeptProbe {
  nonce: string;
  loadSeq: number;
  updateSeq: number;
  probe: StoredProbe;
}

export interface Probes {
  store(input: ProbeStoreInput): ProbeStoreResult;
  /** The probe with its version, which changes with every message kept; '' where there is none. */
  read(
    projectId: string,
    session: string,
    nowMs: number,
  ): { readonly probe: StoredProbe | null; readonly version: string };
}

export function createProbes(keyspace: Keyspace): Probes {
  const nonces = keyspace.table<string>('nonces');
  const probes = keyspace.table<KeptProbe>('probes');
  return {
    store: (input) => {
      keyspace.reserve(2, input.nowMs);
      const nonceKey = `${input.projectId}:${input.nonce}`;
      const key = `${input.projectId}:${input.session}`;
      const owner = nonces.get(nonceKey, input.nowMs);
      if (owner !== undefined && owner !== input.session) return 'nonce_reused';
      const kept = probes.get(key, input.nowMs);
      const samePage = kept?.nonce === input.nonce;
      if (kept !== undefined && !samePage && owner !== undefined) return 'stale';
      if (kept !== undefined && samePage && input.seq <= (input.phase === 'load' ? kept.loadSeq : kept.updateSeq))
        return 'stale';
      nonces.set(nonceKey, input.session, input.nowMs, bounds.probeMs);
      probes.set(key, mergeMessage(kept, samePage, input), input.nowMs, bounds.probeMs);
      return 'stored';
    },
    read: (projectId, session, nowMs) => {
      const kept = probes.get(`${projectId}:${session}`, nowMs);
      if (kept === undefined) return { probe: null, version: '' };
      return { probe: kept.probe, version: `${kept.nonce}:${kept.loadSeq}:${kept.updateSeq}` };
    },
  };
}

function mergeMessage(kept: KeptProbe | undefined, samePage: boolean, input: ProbeStoreInput): KeptProbe {
  const isLoad = input.phase === 'load';
  const page = samePage ? kept : undefined;
  const loadSeq = isLoad ? input.seq : (page?.loadSeq ?? -1);
  const updateSeq = isLoad ? (page?.updateSeq ?? -1) : input.seq;
  // A copy: the caller's bytes may be a window on a pool that it writes on.
  const content = new Uint8Array(input.content);
  const before = kept?.probe;
  return {
    nonce: input.nonce,
    loadSeq,
    updateSeq,
    probe: {
      seq: Math.max(loadSeq, updateSeq),
      load: isLoad ? content : (before?.load ?? null),
      update: isLoad ? (before?.update ?? null) : content,
      device: isLoad ? input.device : (before?.device ?? null),
      sketch: isLoad ? input.sketch : (before?.sketch ?? null),
      bands: isLoad ? input.bands.slice(0, bounds.bandsMax) : (before?.bands ?? []),
    },
  };
}

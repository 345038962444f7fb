/**
 * Probes by session: its page loads, the first heard of first. A message replaces one of its page and phase with a lower seq; one that said
 * something against the session which no message that is kept says as much stays next to its page. If there are too many, the least suspicious goes,
 * of equals the youngest, and never the first or the newest: clean pages that follow push nothing out. A nonce belongs to the session that used it first.
 */
import { bounds } from '../bounds.js';
import type { ProbeStoreInput, ProbeStoreResult, StoredProbe, RiskIndicator } from '../port.js';
import { packProbe, unpackProbe, type KeptPage, type KeptProbe } from './kept-probe.js';
import { type Keyspace, type Packed, shortName } from './keyspace.js';

export interface Probes {
  store(input: ProbeStoreInput): ProbeStoreResult;
  /** The probe with its version, which changes with every message kept; '' where there is none. */
  read(
    projectId: string,
    session: string,
    nowMs: number,
  ): { readonly probe: StoredProbe | null; readonly version: string; readonly kept: Packed | null };
  /** Opens the probe that `read` returned as kept at that time. */
  open(kept: Packed, atMs: number): StoredProbe | null;
  forget(projectId: string, session: string): void;
}

export function createProbes(keyspace: Keyspace): Probes {
  const nonces = keyspace.table<string>('nonces');
  const probes = keyspace.table<Packed>('probes');
  return {
    store: (input) => {
      const { projectId, session, nonce, nowMs } = input;
      keyspace.reserve(2, nowMs);
      const nonceKey = shortName(projectId) + nonce;
      const key = shortName(projectId) + session;
      const owner = nonces.get(nonceKey, nowMs);
      if (owner !== undefined && owner !== session) return 'nonce_reused';
      const kept = probes.get(key, nowMs);
      const before = kept === undefined ? [] : livePages(unpackProbe(kept), nowMs);
      const page = before.find((each) => each.nonce === nonce && !each.replaced);
      if (page === undefined && owner !== undefined) return 'stale';
      if (page !== undefined && input.seq <= (input.phase === 'load' ? page.loadSeq : page.updateSeq)) return 'stale';
      const pages = letGo(addMessage(before, page, input));
      const hasLoad = pages.some(({ loaded }) => loaded);
      nonces.set(nonceKey, session, nowMs, input.phase === 'load' || page?.load ? bounds.probeMs : bounds.updateMs);
      probes.set(
        key,
        packProbe({ pages, version: `${nonce}:${input.phase}:${input.seq}:${nowMs}` }),
        nowMs,
        hasLoad ? bounds.probeMs : bounds.updateMs,
      );
      return 'stored';
    },
    read: (projectId, session, nowMs) => {
      const kept = probes.get(shortName(projectId) + session, nowMs);
      const known = kept === undefined ? null : unpackProbe(kept);
      const probe = known === null ? null : storedOf(livePages(known, nowMs));
      return kept === undefined || known === null || probe === null
        ? { probe: null, version: '', kept: null }
        : { probe, version: known.version, kept };
    },
    open: (kept, atMs) => storedOf(livePages(unpackProbe(kept), atMs)),
    forget: (projectId, session) => probes.delete(shortName(projectId) + session),
  };
}

function storedOf(pages: readonly KeptPage[]): StoredProbe | null {
  if (pages.length === 0) return null;
  const first = pages.find(({ load }) => load !== null);
  return {
    pages: pages.map(({ load, update }) => ({ load, update })),
    device: pages.find(({ device }) => device !== null)?.device ?? null,
    sketch: first?.sketch ?? null,
    bands: first?.bands ?? [],
  };
}

/** Without those that wait for their load message in vain. */
function livePages({ pages }: KeptProbe, nowMs: number): readonly KeptPage[] {
  return pages.filter(({ loaded, atMs }) => loaded || nowMs - atMs < bounds.updateMs);
}

function addMessage(
  pages: readonly KeptPage[],
  page: KeptPage | undefined,
  { nonce, phase, seq, content, device, sketch, bands, indicators, nowMs }: ProbeStoreInput,
): readonly KeptPage[] {
  const blank = blankPage(nonce, nowMs);
  const known = page ?? blank;
  const next: KeptPage =
    phase === 'load'
      ? {
          ...known,
          loaded: true,
          loadSeq: seq,
          load: content,
          device,
          sketch,
          bands: bands.slice(0, bounds.bandsMax),
          loadIndicators: indicators,
          atMs: nowMs,
        }
      : { ...known, updateSeq: seq, update: content, updateIndicators: indicators, atMs: nowMs };
  const others = (page === undefined ? [...pages, next] : pages.map((each) => (each === page ? next : each))).map(
    (each) => (phase === 'load' && each.nonce === nonce ? { ...each, loaded: true } : each),
  );
  const replaced = page === undefined ? null : replacedBy(phase, page, blank);
  if (replaced === null || saysNothingNew(replaced, others)) return others;
  // Before the newest, and never the first: the device is known by that one.
  const place = Math.max(1, others.length - 1);
  return [...others.slice(0, place), replaced, ...others.slice(place)];
}

function blankPage(nonce: string, nowMs: number): KeptPage {
  return {
    nonce,
    replaced: false,
    loaded: false,
    loadSeq: -1,
    updateSeq: -1,
    load: null,
    update: null,
    loadIndicators: [],
    updateIndicators: [],
    atMs: nowMs,
    device: null,
    sketch: null,
    bands: [],
  };
}

/** The message whose place is taken, as a page of its own; null where there was none. */
function replacedBy(phase: ProbeStoreInput['phase'], page: KeptPage, blank: KeptPage): KeptPage | null {
  const { load, update, updateIndicators, loaded, atMs } = page;
  if (phase === 'load')
    return load === null ? null : { ...page, replaced: true, update: null, updateSeq: -1, updateIndicators: [] };
  return update === null ? null : { ...blank, replaced: true, loaded, update, updateIndicators, atMs };
}

function saysNothingNew(replaced: KeptPage, others: readonly KeptPage[]): boolean {
  const known = others.flatMap(indicatorsOf);
  return indicatorsOf(replaced).every(([code, weight]) =>
    known.some((indicator) => indicator[0] === code && indicator[1] >= weight),
  );
}

function indicatorsOf({ loadIndicators, updateIndicators }: KeptPage): readonly RiskIndicator[] {
  return [...loadIndicators, ...updateIndicators];
}

function suspicionOf(page: KeptPage | undefined): number {
  return page === undefined ? 0 : indicatorsOf(page).reduce((sum, [, weight]) => sum + weight, 0);
}

/** Lets go of the least suspicious until the bounds are kept; the first and the last stay whatever they say. */
function letGo(pages: readonly KeptPage[]): readonly KeptPage[] {
  const kept = [...pages];
  while (kept.length > 2 && (kept.length > bounds.pagesMax || bytesOf(kept) > bounds.pagesBytesMax)) {
    let least = 1;
    for (let at = 2; at < kept.length - 1; at += 1) if (suspicionOf(kept[at]) <= suspicionOf(kept[least])) least = at;
    kept.splice(least, 1);
  }
  return kept;
}

function bytesOf(pages: readonly KeptPage[]): number {
  return pages.reduce((sum, { load, update }) => sum + (load?.length ?? 0) + (update?.length ?? 0), 0);
}

/** Measures the service on replayed sessions, next to the oracle, in the figures that docs/reference/accuracy-results.md keeps. */
import { performance } from 'node:perf_hooks';
import type { ScoreOutcome } from '../../src/contract/facts.js';
import { scoreFacts } from '../../workers/scoring/score.js';
import { median } from '../../bench/load.js';
import { repeatKinds } from './base-rates.js';
import { groupBy, shareOf, type Judged } from './measures.js';
import type { ReplayedSession } from './replay.js';

/** Defaults of the thresholds, for the oracle’s levels as well. */
const [reviewLow, blockThreshold] = [40, 75];

export interface Scored extends Judged {
  readonly session: ReplayedSession['session'];
  readonly stopped: boolean;
  readonly blocked: boolean;
}

export interface ServiceScored extends Scored {
  readonly outcome: ScoreOutcome;
}

export function scoreAll(replayed: readonly ReplayedSession[]): ServiceScored[] {
  return replayed.map(({ session, facts }) => {
    const outcome = scoreFacts(facts);
    const { score, recommendation } = outcome.reply;
    return {
      session,
      outcome,
      score,
      fraud: session.truth.fraud,
      mayBlock: !outcome.caps.includes('uncorroborated'),
      probability: outcome.reply.probability?.value ?? Number.NaN,
      stopped: recommendation !== 'allow',
      blocked: recommendation === 'block',
    };
  });
}

export const withLevels = (session: ReplayedSession['session'], judged: Judged): Scored => ({
  ...judged,
  session,
  stopped: judged.score >= reviewLow,
  blocked: judged.score >= blockThreshold && judged.mayBlock,
});

/** Farms of both generators. */
const farms = [
  'hosting_farm',
  'phone_farm',
  'emulator_farm',
  'click_workers',
  'rented_servers',
  'profile_farm',
  'phone_rack',
  'emulators',
  'link_sharers',
];
const farmSessionsMin = 5;

/** Sessions of a farm until one of them is stopped: the median over farms, and the share of farms of which none is. */
export function firstFlags(scored: readonly Scored[]): { readonly median: number; readonly never: number } {
  const byOperator = groupBy(
    scored.filter(({ session }) => farms.includes(session.truth.label)),
    ({ session }) => session.truth.operator ?? '',
  );
  const flags = [...byOperator.values()]
    .filter((sessions) => sessions.length >= farmSessionsMin)
    .map((sessions) => sessions.findIndex(({ stopped }) => stopped) + 1);
  return {
    median: median(flags.map((flag) => (flag === 0 ? Infinity : flag))),
    never: shareOf(flags, (flag) => flag === 0),
  };
}

/** How a duplicate came again: as one of the kinds that people do, as a member of a household on its one device, or as an operator. */
const duplicateKinds = [...repeatKinds, 'household', 'operator'] as const;
type DuplicateKind = (typeof duplicateKinds)[number];

export interface DuplicateFigures {
  readonly precision: number;
  readonly confirmedPrecision: number;
  /** Honest first visits that are flagged, of all. */
  readonly honestFlagged: number;
  readonly recall: Readonly<Record<DuplicateKind, number>>;
}

/** A duplicate is a person or a device that was in the study before. */
export function measureDuplicates(scored: readonly ServiceScored[]): DuplicateFigures {
  const seen = new Set<string>();
  const visits = scored.map(({ session, outcome }) => {
    const { person, machine, repeat, fraud } = session.truth;
    const { studyId, respondentId } = session.request;
    const keys = [`${studyId}\n${machine}`, `${studyId}\n${respondentId}`, ...(fraud ? [] : [`${studyId}\n${person}`])];
    const isRepeat = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    const { band } = outcome.reply.duplicate;
    const found = band === 'likely' || band === 'confirmed';
    const kind: DuplicateKind = repeat ?? (fraud ? 'operator' : 'household');
    return { isRepeat, band, found, fraud, kind };
  });
  const precisionOf = (isFlagged: (visit: (typeof visits)[number]) => boolean): number =>
    shareOf(visits.filter(isFlagged), ({ isRepeat }) => isRepeat);
  const recallOf = (kind: DuplicateKind): number =>
    shareOf(
      visits.filter((visit) => visit.isRepeat && visit.kind === kind),
      ({ found }) => found,
    );
  return {
    precision: precisionOf(({ found }) => found),
    confirmedPrecision: precisionOf(({ band }) => band === 'confirmed'),
    honestFlagged: shareOf(
      visits.filter(({ isRepeat, fraud }) => !isRepeat && !fraud),
      ({ found }) => found,
    ),
    recall: Object.fromEntries(duplicateKinds.map((kind) => [kind, recallOf(kind)])) as Record<DuplicateKind, number>,
  };
}

/** Share of sessions whose score another duplication would move. */
export function movedByDuplication(replayed: readonly ReplayedSession[], scored: readonly ServiceScored[]): number {
  return shareOf(replayed, ({ session, facts }) => {
    if (facts.counts === null) return false;
    const counts = {
      ...facts.counts,
      deviceSessionsDay: 9,
      respondentDay: 9,
      respondentDevicesWeek: 4,
      candidates: [],
      terms: null,
    };
    const before = scored.find((one) => one.session === session);
    return scoreFacts({ ...facts, counts }).reply.score !== before?.score;
  });
}

const batch = 16;

/** Median microseconds of a session, over batches. */
export function timeCore(replayed: readonly ReplayedSession[]): number {
  const times: number[] = [];
  for (let from = 0; from + batch <= replayed.length; from += batch) {
    const some = replayed.slice(from, from + batch);
    const startedAt = performance.now();
    for (const { facts } of some) scoreFacts(facts);
    times.push((1_000 * (performance.now() - startedAt)) / batch);
  }
  return median(times.slice(Math.floor(times.length / 2)));
}

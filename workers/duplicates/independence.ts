/**
 * How independent a session is of its sample; 100 is fully. Links to other sessions lower it, a prefix that sends more than its share, and
 * a sample of few prefixes. Networks that strangers share say nothing of either. From ten sessions on a sample is graded, by the least
 * share that its size allows. Never moves risk.
 */
import { isSharedNetwork, type Neighborhood, type ScoreFacts } from '../../src/contract/facts.js';
import { independenceSessionsMin } from '../../src/contract/axes.js';
import type { IndependenceReply } from '../../src/contract/score.js';
import { clamp } from '../scoring/model.js';
import { describeFactor } from '../evidence/describe.js';
import { englishFactors, type FactorTexts } from '../evidence/factors.js';

export const independenceThresholds = {
  sessionsMin: independenceSessionsMin,
  /** Sessions up to which a reader is warned that limits are wide. */
  sessionsFew: 30,
  /** Standard errors by which a share may lie below what was counted. */
  margin: 1,
  independentMin: 70,
  sharedMin: 40,
  /** Tied sessions that chance and households explain: one, and this share of the sample. */
  linksOrdinary: 1,
  linksOrdinaryShare: 0.01,
  /** Links beyond the ordinary that halve independence. */
  linksHalf: 4,
  /** Links that a session with the same input counts as. */
  linksPerRepeat: 4,
  prefixShareOrdinary: 0.1,
  herfindahlOrdinary: 0.18,
} as const;

const thresholds = independenceThresholds;
const unmeasured = (factor: string): IndependenceReply => ({
  score: 100,
  band: 'independent',
  measured: false,
  grade: null,
  factors: [factor],
});

type Facts = Pick<ScoreFacts, 'measured' | 'counts' | 'address'> & Partial<Pick<ScoreFacts, 'probe'>>;

export function judgeIndependence(
  { measured, counts, address, probe }: Facts,
  texts: FactorTexts = englishFactors,
): IndependenceReply {
  if (!measured || counts === null) return unmeasured(texts.uncounted);
  const { neighborhood } = counts;
  const repeats = countRepeats(probe);
  const isFew = neighborhood.sessions < thresholds.sessionsMin;
  if (isFew && repeats === 0)
    return unmeasured(describeFactor(texts.tooFew, neighborhood.sessions, thresholds.sessionsMin));
  const isShared = isSharedNetwork(address.network);
  const links = linkShare(neighborhood, repeats);
  const prefix = isShared || isFew ? 0 : prefixShare(neighborhood);
  const spread = spreadShare(isShared ? leaveOwnPrefix(neighborhood) : neighborhood);
  const score = Math.round(100 * (1 - links) * (1 - prefix) * (1 - spread));
  const factors = listFactors(neighborhood, { repeats, links, prefix, spread }, texts);
  if (score >= thresholds.independentMin) return { score, band: 'independent', measured: true, grade: null, factors };
  if (score >= thresholds.sharedMin) return { score, band: 'shared', measured: true, grade: null, factors };
  const grade = neighborhood.direct + repeats > 0 ? 'direct' : 'linked';
  return { score, band: 'concentrated', measured: true, grade, factors };
}

/** Other sessions with the same input, which neither chance nor a household explains. */
function countRepeats(probe: ScoreFacts['probe'] | undefined): number {
  const pages = probe == null ? [] : [probe, ...(probe.others ?? [])];
  return Math.max(
    0,
    ...pages.flatMap(({ transport, update }) => [transport.repeats ?? 0, update?.transport.repeats ?? 0]),
  );
}

function linkShare({ sessions, direct, linked }: Neighborhood, repeats: number): number {
  const ordinary = thresholds.linksOrdinary + thresholds.linksOrdinaryShare * sessions;
  const excess = Math.max(0, direct + linked - ordinary) + repeats * thresholds.linksPerRepeat;
  return excess / (excess + thresholds.linksHalf);
}

function prefixShare({ sessions, prefixSessions }: Neighborhood): number {
  if (prefixSessions === null) return 0;
  return excessOf(leastShare(prefixSessions, sessions), thresholds.prefixShareOrdinary);
}

/** Herfindahl index of the prefixes: the chance that two sessions have the same one. */
function spreadShare({ sessions, prefixSquares }: Pick<Neighborhood, 'sessions' | 'prefixSquares'>): number {
  if (sessions < thresholds.sessionsMin) return 0;
  return excessOf((prefixSquares - sessions) / (sessions * (sessions - 1)), thresholds.herfindahlOrdinary);
}

/** The sample without the network that strangers share. */
function leaveOwnPrefix({ sessions, prefixSessions, prefixSquares }: Neighborhood) {
  const own = prefixSessions ?? 0;
  return { sessions: sessions - own, prefixSquares: prefixSquares - own ** 2 };
}

const excessOf = (share: number, ordinary: number): number => clamp((share - ordinary) / (1 - ordinary), 0, 1);

/** The lower end of Wilson’s interval: ten sessions prove less than five hundred. */
function leastShare(count: number, total: number): number {
  const share = Math.min(1, count / total);
  const square = thresholds.margin ** 2 / total;
  const error = Math.sqrt(square * (share * (1 - share) + square / 4));
  return (share + square / 2 - error) / (1 + square);
}

function listFactors(
  { sessions, direct, linked, prefixSessions, prefixes }: Neighborhood,
  { repeats, links, prefix, spread }: Readonly<Record<'repeats' | 'links' | 'prefix' | 'spread', number>>,
  texts: FactorTexts,
): string[] {
  const factors: string[] = [];
  const add = (name: keyof FactorTexts, count: number, total = sessions): void =>
    void factors.push(describeFactor(texts[name], count, total));
  if (repeats > 0) add('repeated', repeats);
  if (links > 0 && direct > 0) add('direct', direct);
  if (links > 0 && linked > 0) add('linked', linked);
  if (prefix > 0) add('network', prefixSessions ?? 0);
  if (spread > 0) add(prefixes === 1 ? 'oneNetwork' : 'networks', prefixes);
  if (sessions < thresholds.sessionsFew && factors.length > 0) add('wide', sessions, thresholds.sessionsFew);
  return factors;
}

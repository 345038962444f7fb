/**
 * How independent a session is of its sample; 100 is fully. Links to other sessions lower it, a prefix that sends more than its share, and
 * a sample of few prefixes. Shared networks are no links. Without enough counts nothing is flagged. Never moves risk.
 */
import { isSharedNetwork, type Neighborhood, type ScoreFacts } from '../../src/contract/facts.js';
import type { IndependenceReply } from '../../src/contract/score.js';
import { clamp } from '../scoring/model.js';

export const independenceThresholds = {
  sessionsMin: 30,
  independentMin: 70,
  sharedMin: 40,
  /** Tied sessions that chance and households explain: one, and this share of the sample. */
  linksOrdinary: 1,
  linksOrdinaryShare: 0.01,
  /** Links beyond the ordinary that halve independence. */
  linksHalf: 4,
  prefixShareOrdinary: 0.1,
  herfindahlOrdinary: 0.18,
} as const;

const thresholds = independenceThresholds;
const unmeasured = (factor: string): IndependenceReply => ({
  score: 100,
  band: 'independent',
  grade: null,
  factors: [factor],
});

export function judgeIndependence({
  measured,
  counts,
  address,
}: Pick<ScoreFacts, 'measured' | 'counts' | 'address'>): IndependenceReply {
  if (!measured || counts === null) return unmeasured('Not measured: the sessions around this one were not counted.');
  const { neighborhood } = counts;
  if (neighborhood.sessions < thresholds.sessionsMin)
    return unmeasured('Too few sessions in the last day to judge the sample by.');
  const links = linkShare(neighborhood);
  const prefix = isSharedNetwork(address.network) ? 0 : prefixShare(neighborhood);
  const spread = clamp(
    (neighborhood.prefixSquares / neighborhood.sessions ** 2 - thresholds.herfindahlOrdinary) /
      (1 - thresholds.herfindahlOrdinary),
    0,
    1,
  );
  const score = Math.round(100 * (1 - links) * (1 - prefix) * (1 - spread));
  const factors = listFactors(neighborhood, links, prefix, spread);
  if (score >= thresholds.independentMin) return { score, band: 'independent', grade: null, factors };
  if (score >= thresholds.sharedMin) return { score, band: 'shared', grade: null, factors };
  return { score, band: 'concentrated', grade: neighborhood.direct > 0 ? 'direct' : 'linked', factors };
}

function linkShare({ sessions, direct, linked }: Neighborhood): number {
  const excess = Math.max(0, direct + linked - thresholds.linksOrdinary - thresholds.linksOrdinaryShare * sessions);
  return excess / (excess + thresholds.linksHalf);
}

function prefixShare({ sessions, prefixSessions }: Neighborhood): number {
  if (prefixSessions === null) return 0;
  return clamp(
    (prefixSessions / sessions - thresholds.prefixShareOrdinary) / (1 - thresholds.prefixShareOrdinary),
    0,
    1,
  );
}

function listFactors(
  { sessions, direct, linked, prefixSessions, prefixes }: Neighborhood,
  links: number,
  prefix: number,
  spread: number,
): string[] {
  const factors: string[] = [];
  if (links > 0 && direct > 0)
    factors.push(
      `${direct} of the last ${sessions} sessions share a device, a respondent or an address with this one.`,
    );
  if (links > 0 && linked > 0) factors.push(`${linked} further sessions are linked to this one through others.`);
  if (prefix > 0) factors.push(`${prefixSessions} of the last ${sessions} sessions came from this network.`);
  if (spread > 0)
    factors.push(`The last ${sessions} sessions came from ${prefixes} networks only, most of them from a few.`);
  return factors;
}

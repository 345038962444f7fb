/**
 * Judges whether a session repeats an earlier one of its scope. The same respondent, or the token that a page keeps, says so; a deviceHash and a
 * look do not, unless the network agrees and chance would hardly bring a twin (linkage.ts).
 */
import type { CountFacts, DuplicateCandidate, Ref, ScoreFacts } from '../../src/contract/facts.js';
import type { duplicateBands } from '../../src/contract/score.js';
import { createRaise, rulesOf, type Rules, type Signal } from '../scoring/model.js';
import type { Visit } from '../scoring/visit.js';
import { createLikeness, isContradicted, likenessThresholds } from './likeness.js';
import { createLinkage, isCrowded, linkageThresholds, type Link } from './linkage.js';
import { sketchDevice } from './sketch.js';

export type DuplicateBand = (typeof duplicateBands)[number];

export interface Duplication {
  readonly measured: boolean;
  readonly score: number;
  readonly band: DuplicateBand;
  /** Sessions of which each alone makes this one a likely repeat. */
  readonly repeated: readonly Ref[];
  /** Signals of rules without weight. */
  readonly signals: readonly Signal[];
}

const correlate = rulesOf('duplicate', 'correlate');
const diagnostic = rulesOf('duplicate', 'diagnostic');

/** None has a weight: duplication is reported apart and never moves risk. */
export const duplicateRules = {
  repeat_respondent: correlate('medium', 0, 'The same respondent took part here before ({value}).'),
  repeat_device: correlate(
    'medium',
    0,
    'The same browser, with the same stored identifier, took part here before ({value}).',
  ),
  same_device_hash: correlate(
    'low',
    0,
    'An earlier session had the same device hash ({value}). Devices of one model can share it.',
  ),
  similar_device: correlate('low', 0, 'A device that looks like this one took part here before ({value}).'),
  same_home: correlate('low', 0, 'A similar browser took part here before from the same home IP address ({value}).'),
  device_contradiction: diagnostic(
    'info',
    0,
    'The device identifier was seen on another system or newer browser before. It may be copied or shared.',
  ),
  duplicate_unmeasured: diagnostic(
    'info',
    0,
    'Duplicates were not measured: no respondent id, device or probe data, or no counters.',
  ),
} satisfies Rules;

export const duplicateThresholds = {
  ...likenessThresholds,
  ...linkageThresholds,
  respondentScore: 100,
  tokenConfirmedScore: 97,
  tokenScore: 92,
  /** The score of an identifier alone that others may have: a deviceHash, or one seen on another system. */
  identifierScore: 60,
  likelyMax: 96,
  likelyMin: 90,
  possibleMin: 50,
} as const;

const raise = createRaise(duplicateRules);
const thresholds = duplicateThresholds;

export function judgeDuplication(visit: Visit): Duplication {
  const { facts } = visit;
  const { counts } = facts;
  if (!facts.measured || counts === null || isNothingCompared(counts)) {
    const signals: Signal[] = [];
    raise(signals, 'duplicate_unmeasured');
    return { measured: false, score: 0, band: 'none', repeated: [], signals };
  }
  const signals: Signal[] = [];
  const respondentScore = judgeRespondent(counts, signals);
  const { score: deviceScore, repeated: devices } = judgeDevice(visit, counts, signals);
  const score = Math.max(respondentScore, deviceScore);
  const respondents = counts.candidates.filter(({ via }) => via === 'respondent');
  const repeated = [...respondents, ...devices].map(({ session }) => session);
  return { measured: true, score, band: bandOf(score), repeated, signals };
}

interface DeviceRepeat {
  readonly score: number;
  readonly repeated: readonly DuplicateCandidate[];
}

/** Null throughout: nothing identified the session. */
function isNothingCompared({ deviceSessionsDay, respondentDay, terms, candidates }: CountFacts): boolean {
  return deviceSessionsDay === null && respondentDay === null && terms === null && candidates.length === 0;
}

function judgeRespondent(counts: CountFacts, signals: Signal[]): number {
  const found = counts.candidates.filter((candidate) => candidate.via === 'respondent').length;
  const earlier = Math.max(found, (counts.respondentDay ?? 0) - 1);
  if (earlier <= 0) return 0;
  raise(signals, 'repeat_respondent', 0, times(earlier));
  return thresholds.respondentScore;
}

function judgeDevice({ facts }: Visit, counts: CountFacts, signals: Signal[]): DeviceRepeat {
  const candidates = counts.candidates.filter(({ via }) => via !== 'respondent');
  const earlier = Math.max(0, (counts.deviceSessionsDay ?? 0) - 1);
  if (candidates.length === 0 && counts.candidates.length === 0 && earlier === 0) return { score: 0, repeated: [] };
  const comparable = counts.candidates.some(({ sketch }) => sketch !== null);
  const own =
    comparable && facts.probe !== null ? sketchDevice(facts.probe.body, facts.probe.transport.userAgent) : null;
  const link = createLinkage(facts, counts, { own, likeness: own === null ? null : createLikeness(own, counts.terms) });
  const isTokenAlone = facts.deviceHashed === false;
  const kept = counts.candidates.filter(
    ({ via, token }) => (via === 'device' && isTokenAlone) || (token != null && token === facts.token),
  );
  const others = candidates.filter((candidate) => !kept.includes(candidate));
  const isContradictory = (list: readonly DuplicateCandidate[]): boolean =>
    own !== null && list.length > 0 && list.every((candidate) => isContradicted(own, candidate, facts.scoredAtMs));
  const keptTimes = Math.max(kept.length, isTokenAlone ? earlier : 0);
  const hashed = others.filter(({ via }) => via === 'device');
  const hashTimes = Math.max(hashed.length, isTokenAlone ? 0 : earlier - keptTimes);
  if (keptTimes > 0) raise(signals, 'repeat_device', 0, times(keptTimes));
  if (hashTimes > 0) raise(signals, 'same_device_hash', 0, times(hashTimes));
  const contradicted = isContradictory(kept) || isContradictory(hashed);
  if (contradicted) raise(signals, 'device_contradiction');
  const { identifierScore, tokenConfirmedScore, tokenScore } = thresholds;
  const links = others.map(link);
  let score = Math.max(judgeLinks(links, signals), hashTimes > 0 ? identifierScore : 0);
  const repeated = others.filter((_, n) => scoreOf(links[n]) >= thresholds.likelyMin);
  if (keptTimes > 0) {
    const confirmed = kept.some((candidate) => isCorroborated(facts, counts, candidate, link));
    const agreed = confirmed ? tokenConfirmedScore : tokenScore;
    const isCopied = isContradictory(kept);
    score = Math.max(score, isCopied ? identifierScore : agreed);
    if (!isCopied) repeated.push(...kept);
  }
  return { score, repeated };
}

const scoreOf = (link: Link | null = null): number =>
  link === null ? 0 : Math.min(thresholds.likelyMax, Math.floor(link.probability * 100 + 1e-9));

/** The most probable link of those that no identifier proves. */
function judgeLinks(links: readonly Link[], signals: Signal[]): number {
  const best = links.reduce<Link | null>(
    (most, one) => (one.probability > (most?.probability ?? 0) ? one : most),
    null,
  );
  if (best === null) return 0;
  const score = scoreOf(best);
  if (score < thresholds.possibleMin) return score;
  const count = times(links.filter(({ probability }) => 100 * probability >= thresholds.possibleMin).length);
  const place = best.address === null ? '' : `, from the same ${best.address === 'home' ? 'home address' : 'network'}`;
  raise(signals, best.look ? 'similar_device' : 'same_home', 0, best.look ? count + place : count);
  return score;
}

/** A second agreement, independent of the token: the caller’s deviceHash, an unshared address, or the look. A network never corroborates. */
function isCorroborated(
  facts: ScoreFacts,
  counts: CountFacts,
  candidate: DuplicateCandidate,
  link: (candidate: DuplicateCandidate) => Link,
): boolean {
  const { deviceHashed, ownAddress } = facts;
  if (deviceHashed === true && candidate.via === 'device') return true;
  if (ownAddress != null && candidate.address === ownAddress && !isCrowded(counts)) return true;
  const { look, probability } = link(candidate);
  return look && 100 * probability >= thresholds.possibleMin;
}

export function bandOf(score: number): DuplicateBand {
  if (score >= thresholds.tokenConfirmedScore) return 'confirmed';
  if (score >= thresholds.likelyMin) return 'likely';
  return score >= thresholds.possibleMin ? 'possible' : 'none';
}

function times(count: number): string {
  if (count === 1) return 'once';
  return count === 2 ? 'twice' : `${count} times`;
}

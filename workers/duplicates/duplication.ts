/**
 * Judges whether a session repeats an earlier one of its scope. A name for the same person or device outranks likeness, which stays at
 * `possible` wherever chance would bring a twin. A hash alone never makes `confirmed`.
 */
import type { CountFacts, DuplicateCandidate } from '../../src/contract/facts.js';
import type { duplicateBands } from '../../src/contract/score.js';
import { createRaise, rulesOf, type Rules, type Signal } from '../scoring/model.js';
import type { Visit } from '../scoring/visit.js';
import { createLikeness, isContradicted, likenessThresholds, type Likeness } from './likeness.js';
import { sketchDevice } from './sketch.js';

export type DuplicateBand = (typeof duplicateBands)[number];

export interface Duplication {
  readonly measured: boolean;
  readonly score: number;
  readonly band: DuplicateBand;
  /** Of rules without weight. */
  readonly signals: readonly Signal[];
}

const correlate = rulesOf('duplicate', 'correlate');
const diagnostic = rulesOf('duplicate', 'diagnostic');

/** None has a weight: duplication is reported apart and never moves risk. */
export const duplicateRules = {
  repeat_respondent: correlate('medium', 0, 'The same respondent was here before in this scope ({value}).'),
  repeat_device: correlate('medium', 0, 'The same device was here before in this scope ({value}).'),
  similar_device: correlate(
    'low',
    0,
    'A device that looks much like this one was here before in this scope ({value}).',
  ),
  device_contradiction: diagnostic(
    'info',
    0,
    'The device’s identifier was seen on another system or on a newer browser before: it may be copied or shared by many.',
  ),
  duplicate_unmeasured: diagnostic(
    'info',
    0,
    'Nothing was there to compare with earlier sessions: no respondent id, no device, no probe, or no counters.',
  ),
} satisfies Rules;

export const duplicateThresholds = {
  ...likenessThresholds,
  respondentScore: 100,
  deviceConfirmedScore: 97,
  deviceScore: 92,
  deviceContradictedScore: 60,
  likelyMax: 96,
  likelyMin: 90,
  possibleMin: 50,
  /** People within an hour up to whom an address is a household’s. */
  householdMax: 5,
} as const;

const raise = createRaise(duplicateRules);
const thresholds = duplicateThresholds;

export function judgeDuplication(visit: Visit): Duplication {
  const { facts } = visit;
  const { counts } = facts;
  if (!facts.measured || counts === null || isNothingCompared(counts)) {
    const signals: Signal[] = [];
    raise(signals, 'duplicate_unmeasured');
    return { measured: false, score: 0, band: 'none', signals };
  }
  const signals: Signal[] = [];
  const score = Math.max(judgeRespondent(counts, signals), judgeDevice(visit, counts, signals));
  return { measured: true, score, band: bandOf(score), signals };
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

function judgeDevice(visit: Visit, counts: CountFacts, signals: Signal[]): number {
  const { facts } = visit;
  const found = counts.candidates.filter((candidate) => candidate.via === 'device');
  const similar = counts.candidates.filter((candidate) => candidate.via === 'similar');
  const comparable = counts.candidates.some((candidate) => candidate.sketch !== null);
  const own =
    comparable && facts.probe !== null ? sketchDevice(facts.probe.body, facts.probe.transport.userAgent) : null;
  const likeness = own === null ? null : createLikeness(own, counts.terms, facts.scoredAtMs);
  const scores = likeness === null ? [] : similar.map((candidate) => scoreLikeness(likeness(candidate)));
  const likenessScore = Math.max(0, ...scores);
  if (likenessScore >= thresholds.possibleMin)
    raise(signals, 'similar_device', 0, times(scores.filter((score) => score >= thresholds.possibleMin).length));
  const earlier = Math.max(found.length, (counts.deviceSessionsDay ?? 0) - 1);
  if (earlier <= 0) return likenessScore;
  raise(signals, 'repeat_device', 0, times(earlier));
  const contradicted =
    own !== null && found.length > 0 && found.every((candidate) => isContradicted(own, candidate, facts.scoredAtMs));
  if (contradicted) raise(signals, 'device_contradiction');
  const confirmed = found.some((candidate) => isCorroborated(visit, counts, candidate, likeness));
  const agreed = confirmed ? thresholds.deviceConfirmedScore : thresholds.deviceScore;
  return Math.max(likenessScore, contradicted ? thresholds.deviceContradictedScore : agreed);
}

/**
 * A second agreement, independent of the identifier: a hash is corroborated by the page’s token or an unshared address; a token, which is
 * random, by likeness too. A network never corroborates.
 */
function isCorroborated(
  { facts }: Visit,
  counts: CountFacts,
  candidate: DuplicateCandidate,
  likeness: Likeness | null,
): boolean {
  const { deviceHashed, token, ownAddress } = facts;
  if (deviceHashed === undefined) return false;
  if (deviceHashed && token != null && candidate.token === token) return true;
  if (ownAddress != null && candidate.address === ownAddress && !isCrowded(counts)) return true;
  return !deviceHashed && likeness !== null && likeness(candidate) >= thresholds.possibleMin / 100;
}

/** More people on the address than a household has: whatever its network is said to be, strangers share it. */
function isCrowded({ addressRespondentsHour, addressDevicesHour }: CountFacts): boolean {
  return Math.max(addressRespondentsHour ?? 0, addressDevicesHour ?? 0) > thresholds.householdMax;
}

function scoreLikeness(posterior: number): number {
  return Math.min(thresholds.likelyMax, Math.floor(posterior * 100 + 1e-9));
}

export function bandOf(score: number): DuplicateBand {
  if (score >= thresholds.deviceConfirmedScore) return 'confirmed';
  if (score >= thresholds.likelyMin) return 'likely';
  return score >= thresholds.possibleMin ? 'possible' : 'none';
}

function times(count: number): string {
  if (count === 1) return 'once';
  return count === 2 ? 'twice' : `${count} times`;
}

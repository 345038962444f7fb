/**
 * Thresholds that labels allow. blockThreshold is the lowest one whose false blocks stay under the target with 95% confidence; reviewLow the
 * lowest one that keeps reviews within their budget. Under the numbers that the target needs there is a shortfall and never an edge.
 *
 * Labels speak for the scores they have. Under 50, where a score is not even likely to mean fraud, labels near the threshold have to say that
 * it does; and what would stop most of those whom nobody calls fraudulent, or block on hardly any evidence, is never advised.
 *
 * A source with at least a third of the numbers leans on the rest of its project for what is missing, weighed at most twice its own;
 * that is said as `borrowed`.
 */
import type { ThresholdFit, FitSubject, DistributionCell, LevelCounts } from '../../src/contract/thresholds.js';
import { honestBelow } from '../scoring/fitted.js';
import { lowerBound, trialsNeeded, upperBound, deltaInterval } from './statistics.js';
import { decide, blockedAt, borrow, countLevels, subtract } from './levels.js';

export const confidence = 0.95;
const intervalConfidence = 0.975;
export const fraudNeeded = 30;
/** Share of the needed labels that a source must have of its own, and how much more it may borrow than it has. */
const ownShareMin = 1 / 3;
const borrowFactor = 2;
/** Scores from which fraud is likelier than not, and how many points above a lower threshold its own labels must support it. */
const likelyFrom = 50;
const supportPoints = 10;
/** Share of those let in and not known to be fraud that thresholds may block, or block, review and step up, at most. */
const stoppedMax = 0.5;
/** Percentage of honest people, by the model, who must score below a threshold: less evidence than theirs is hardly any. */
const honestBelowMin = 90;

type Labels = ThresholdFit['labels'];
type Recommendation = DistributionCell['recommendation'];
type Shortfall = { readonly honest: number; readonly fraud: number };
type Basis = { readonly counts: LevelCounts; readonly borrowed: ThresholdFit['borrowed'] };

export function fitThresholds(subject: FitSubject): ThresholdFit {
  const { cells, current, targetFalseBlockRate: target, reviewBudget } = subject;
  const own = countLevels(cells);
  const labels = countLabels(cells);
  const common = { labels, current, coverage: coverageOf(cells) };
  const basis = chooseBasis(own, subject);
  const blockThreshold = basis === null ? null : lowestAdvisable(basis.counts, target);
  const nothing = { shortfall: null, suggested: null, interval: null, projected: null, borrowed: null };
  if (basis === null || blockThreshold === null) {
    const shortfall = shortfallOf(own, target);
    return {
      ...common,
      ...nothing,
      status: 'insufficient_data',
      shortfall,
      note: describeShortfall(own, target, shortfall),
    };
  }
  const { reviewLow, reviewRate } = lowestReview(cells, blockThreshold, reviewBudget);
  const suggested = { reviewLow, blockThreshold };
  const objection = findObjection(cells, suggested);
  if (objection !== null)
    return { ...common, ...nothing, status: 'not_advisable', note: `No threshold is recommended: ${objection}` };
  return {
    ...common,
    status: 'ok',
    shortfall: null,
    suggested,
    interval: { blockThreshold: intervalOf(basis.counts, target, blockThreshold) },
    projected: {
      ...compareEdges(subject, basis.counts, blockThreshold),
      ...{ reviewRate, labelled: countDecisions(cells, suggested) },
    },
    borrowed: basis.borrowed,
    note: noteOf(suggested, { target, reviewBudget, reviewRate }, basis),
  };
}

/** The source’s own labels where they suffice, else with what it may borrow; null where neither does. */
function chooseBasis(own: LevelCounts, { project, targetFalseBlockRate }: FitSubject): Basis | null {
  const honestNeeded = trialsNeeded(0, targetFalseBlockRate, confidence);
  const suffices = ({ honestTotal, fraudTotal }: LevelCounts): boolean =>
    honestTotal >= honestNeeded && fraudTotal >= fraudNeeded;
  if (suffices(own)) return { counts: own, borrowed: null };
  if (project === null) return null;
  const others = subtract(project, own);
  const hasShare = own.honestTotal >= honestNeeded * ownShareMin && own.fraudTotal >= fraudNeeded * ownShareMin;
  if (!hasShare || !suffices(others)) return null;
  const borrowed = { honest: own.honestTotal * borrowFactor, fraud: own.fraudTotal * borrowFactor };
  const counts = borrow(own, others, borrowed.honest, borrowed.fraud);
  return suffices(counts) ? { counts, borrowed } : null;
}

/** The lowest safe threshold that is likely to mean fraud, by the scale or by its own labels; null where none is safe. */
function lowestAdvisable(counts: LevelCounts, target: number): number | null {
  let threshold = lowestSafe(counts, target, confidence);
  while (threshold !== null && threshold < likelyFrom && !isSupported(counts, threshold)) threshold += 1;
  return threshold;
}

/** Most of the labelled sessions just above the threshold are fraud, with 95% confidence and enough of them. */
function isSupported({ honest, fraud }: LevelCounts, threshold: number): boolean {
  const within = (counts: readonly number[]): number =>
    blockedAt(counts, threshold) - blockedAt(counts, threshold + supportPoints);
  const caught = within(fraud);
  return caught >= fraudNeeded && lowerBound(caught, caught + within(honest), confidence) > 0.5;
}

/** The reason not to advise what labels allow; null without one. A review that a policy asks for is no threshold’s doing. */
function findObjection(cells: readonly DistributionCell[], suggested: Suggested): string | null {
  const { blockThreshold } = suggested;
  const people = cells.filter(({ label, recommendation }) => label !== 'fraud' && recommendation !== 'block');
  const shareOf = (holds: (advice: Recommendation) => boolean): number => {
    const held = people.filter(({ inputs }) =>
      holds(decide({ ...inputs, agentPolicy: null }, { ...suggested, stepUpThreshold: null }).recommendation),
    );
    return held.length === 0 ? 0 : sizeOf(held) / sizeOf(people);
  };
  const blocked = shareOf((advice) => advice === 'block');
  if (blocked > stoppedMax)
    return `blocking from ${blockThreshold} would block ${percent(blocked)} of allowed sessions without a fraud outcome.`;
  const stopped = shareOf((advice) => advice !== 'allow');
  if (stopped > stoppedMax)
    return `${percent(stopped)} of allowed sessions without a fraud outcome would be blocked, reviewed or stepped up. Check stepUpThreshold.`;
  const above = 100 - Math.min(honestBelow(blockThreshold, true), honestBelow(blockThreshold, false));
  if (above > 100 - honestBelowMin)
    return `the labels allow blocking from ${blockThreshold}, but ${percent(above / 100)} of honest simulated sessions score as high.`;
  return null;
}

/** The lowest whole threshold whose upper bound on false blocks meets the target; null where not even 100 does. */
function lowestSafe({ honest, honestTotal }: LevelCounts, target: number, level: number): number | null {
  for (let threshold = 1; threshold <= 100; threshold += 1)
    if (meetsTarget(blockedAt(honest, threshold), honestTotal, target, level)) return threshold;
  return null;
}

/** The bound is never below what was observed, which is looked at first because it costs nothing. */
function meetsTarget(blocked: number, total: number, target: number, level: number): boolean {
  return blocked <= target * total && upperBound(blocked, total, level) <= target;
}

/** Thresholds below the first are refuted by the labels; from the second on they are confirmed. */
function intervalOf(counts: LevelCounts, target: number, suggested: number): [number, number] {
  const { honest, honestTotal } = counts;
  let low = 1;
  while (low < 100 && lowerBound(blockedAt(honest, low), honestTotal, intervalConfidence) > target) low += 1;
  return [Math.min(low, suggested), Math.max(lowestSafe(counts, target, intervalConfidence) ?? 100, suggested)];
}

/** The lowest whole reviewLow from 1 on that sends no more than the budget of all sessions to review, and the share that it does send. */
function lowestReview(cells: readonly DistributionCell[], blockThreshold: number, reviewBudget: number) {
  const { byScore, always, total } = countReviews(cells, blockThreshold);
  let reviews = always;
  let reviewLow = blockThreshold;
  while (reviewLow > 1 && reviews + (byScore[reviewLow - 1] ?? 0) <= reviewBudget * total) {
    reviewLow -= 1;
    reviews += byScore[reviewLow] ?? 0;
  }
  return { reviewLow, reviewRate: total === 0 ? 0 : reviews / total };
}

type Suggested = NonNullable<ThresholdFit['suggested']>;

/** The labelled sessions that thresholds would block or send to review. */
function countDecisions(cells: readonly DistributionCell[], thresholds: Suggested) {
  const counts = { honestBlocked: 0, honestReviewed: 0, fraudBlocked: 0, fraudReviewed: 0 };
  for (const { label, inputs, count } of cells) {
    if (label !== 'honest' && label !== 'fraud') continue;
    const { recommendation } = decide(inputs, { ...thresholds, stepUpThreshold: null });
    if (recommendation === 'block') counts[`${label}Blocked`] += count;
    else if (isReview(recommendation)) counts[`${label}Reviewed`] += count;
  }
  return counts;
}

/** Sessions by the score from which on they would be reviewed, and those that are reviewed or stepped up whatever the edge. */
function countReviews(cells: readonly DistributionCell[], blockThreshold: number) {
  const byScore = new Array<number>(101).fill(0);
  let always = 0;
  let total = 0;
  for (const { inputs, count } of cells) {
    total += count;
    const under = (reviewLow: number) => decide(inputs, { reviewLow, blockThreshold, stepUpThreshold: null });
    if (isReview(under(blockThreshold).recommendation)) always += count;
    else if (isReview(under(0).recommendation)) byScore[under(0).score] = (byScore[under(0).score] ?? 0) + count;
  }
  return { byScore, always, total };
}

const isReview = (recommendation: Recommendation): boolean =>
  recommendation === 'review' || recommendation === 'step_up';

/** The suggested threshold against the present one, on the same labels. */
function compareEdges({ current, seed }: FitSubject, counts: LevelCounts, suggested: number) {
  const present = Math.min(100, Math.max(1, Math.ceil(current.blockThreshold)));
  const compare = (blocked: readonly number[], total: number) => {
    const before = blockedAt(blocked, present);
    const after = blockedAt(blocked, suggested);
    const groups = { gained: Math.max(0, after - before), lost: Math.max(0, before - after), total };
    return { rate: after / total, delta: (after - before) / total, interval: deltaInterval(groups, seed) };
  };
  const caught = compare(counts.fraud, counts.fraudTotal);
  const wronged = compare(counts.honest, counts.honestTotal);
  return {
    catchRate: caught.rate,
    catchRateDelta: caught.delta,
    catchRateDeltaInterval: caught.interval,
    falseBlockRate: wronged.rate,
    falseBlockRateDelta: wronged.delta,
    falseBlockRateDeltaInterval: wronged.interval,
    falseBlockRateUpper95: upperBound(blockedAt(counts.honest, suggested), counts.honestTotal, confidence),
  };
}

/** The missing sessions: for no error at all, or, if the numbers are there, for the errors that even the highest threshold makes. */
function shortfallOf({ honest, honestTotal, fraudTotal }: LevelCounts, target: number): Shortfall {
  const errors = blockedAt(honest, 100);
  return {
    honest: Math.max(0, trialsNeeded(errors, target, confidence) - honestTotal),
    fraud: Math.max(0, fraudNeeded - fraudTotal),
  };
}

/** More labels of the same kind are no help where some of them are wrong, so the note counts those. */
function describeShortfall({ honest, honestTotal }: LevelCounts, target: number, missing: Shortfall): string {
  const text = `Too few labels for a target of ${percent(target)}: ${missing.honest} mature completes and ${missing.fraud} fraud labels are missing.`;
  const blocked = blockedAt(honest, 100);
  return blocked === 0
    ? text
    : `${text} Even from 100, ${blocked} of ${honestTotal} mature completes would be blocked. Check their evidence, and report the fraud among them.`;
}

function countLabels(cells: readonly DistributionCell[]): Labels {
  const of = (label: DistributionCell['label']): number => sizeOf(cells.filter((cell) => cell.label === label));
  return { honest: of('honest'), fraud: of('fraud'), pending: of('pending') };
}

function coverageOf(cells: readonly DistributionCell[]): ThresholdFit['coverage'] {
  const { honest, fraud } = countLabels(cells);
  return {
    sessions: sizeOf(cells),
    labelled: honest + fraud,
    blocked: sizeOf(cells.filter(({ recommendation }) => recommendation === 'block')),
  };
}

interface Kept {
  readonly target: number;
  readonly reviewBudget: number;
  readonly reviewRate: number;
}

function noteOf({ reviewLow, blockThreshold }: Suggested, kept: Kept, { borrowed }: Basis): string {
  const { target, reviewBudget, reviewRate } = kept;
  const reviews =
    reviewRate > reviewBudget
      ? `the policy on agents or failed step-ups alone send ${percent(reviewRate)} of sessions to review, more than ${percent(reviewBudget)}.`
      : `reviewing from ${reviewLow} keeps reviews within ${percent(reviewBudget)}.`;
  const own = `Blocking from ${blockThreshold} keeps false blocks under ${percent(target)} with 95% confidence; ${reviews}`;
  return borrowed === null
    ? own
    : `${own} The source has few labels and also uses those of the project (weight ${Math.round(borrowed.honest)} honest, ${Math.round(borrowed.fraud)} fraud).`;
}

const sizeOf = (cells: readonly DistributionCell[]): number => cells.reduce((total, { count }) => total + count, 0);

const percent = (value: number): string => `${Number((value * 100).toPrecision(3))}%`;

/**
 * The history axis: adjudicated outcomes of earlier sessions, never the service’s own verdicts. A respondent’s own record is `record`
 * evidence; a supplier’s a statistical association.
 */
import type { HistoryFacts, HistoryRecord } from '../../src/contract/facts.js';
import type { RespondentStats } from '../../src/contract/score.js';
import { clamp, createRaise, logit, model, recordWeight, rulesOf, type Rules, type Signal } from './model.js';
import type { Visit } from './visit.js';

const record = rulesOf('history', 'record');
const cleanRecord = rulesOf('history', 'exculpatory', 'record');
const adverseRecord = rulesOf('history', 'correlate', 'record');
const diagnostic = rulesOf('history', 'diagnostic');
const adverseSource = rulesOf('history', 'correlate', 'source');
const cleanSource = rulesOf('history', 'exculpatory', 'source');

export const historyRules = {
  confirmed_clawback: record('high', 5, 'Payment for an earlier session of this respondent was taken back for fraud.'),
  respondent_record_adverse: record(
    'high',
    model.recordMax,
    'Earlier sessions of this respondent were rejected for fraud.',
  ),
  respondent_record_clean: cleanRecord('info', model.recordMin, 'Earlier sessions of this respondent were accepted.'),
  respondent_stats_adverse: adverseRecord(
    'medium',
    2,
    'By the statistics sent along, completes of this respondent were often reversed.',
  ),
  respondent_stats_clean: cleanRecord(
    'info',
    -1,
    'By the statistics sent along, completes of this respondent were hardly ever reversed.',
  ),
  respondent_stats_attempts: adverseRecord(
    'low',
    0.6,
    'By the statistics sent along, this respondent tried many studies and completed hardly any ({value}).',
  ),
  respondent_stats_unused: diagnostic('info', 0, 'The statistics sent along were not used: {value}.'),
  source_record_adverse: adverseSource('medium', 3, 'Sessions of this source were often rejected for fraud.'),
  source_record_clean: cleanSource('info', -1, 'Sessions of this source were hardly ever rejected.'),
  sub_source_record_adverse: adverseSource(
    'medium',
    2,
    'Sessions of this sub-source were rejected for fraud more often than those of its source.',
  ),
  sub_source_record_clean: cleanSource(
    'info',
    -1,
    'Sessions of this sub-source were rejected for fraud less often than those of its source.',
  ),
  respondent_new: diagnostic(
    'info',
    2,
    'Nothing is known of this respondent yet, and the project leans towards review then.',
  ),
} satisfies Rules;

export const historyThresholds = {
  /** Native sessions from which statistics sent along are not looked at. */
  nativeEnough: 10,
  pseudoTrialsMax: 5,
  /** Share of completes that are reversed without any fraud: quotas, quality, late closing. */
  ordinaryReversals: 0.1,
  /** Attempts from which completing hardly any is worth something; screening out of a few studies is ordinary. */
  attemptsMin: 20,
  completionShareMax: 0.05,
  /** Share of a source’s sessions that buyers reject for fraud anywhere, and the sessions it stands for: so many pull a source’s share towards it, and a sub-source’s towards its source. */
  sourceUsual: 0.05,
  sourcePrior: 20,
  /** What is left of one clawback after four half-lives, a year: it counts no more. */
  clawbackForgotten: 1 / 16,
} as const;

const raise = createRaise(historyRules);

export function weighHistory({ facts: { history, respondentStats, calibration } }: Visit): Signal[] {
  const signals: Signal[] = [];
  const respondent = history?.respondent ?? null;
  if (respondent !== null) {
    weighClawbacks(respondent.confirmedClawbacks, signals);
    weighRespondent(recordWeight(respondent.fraud, respondent.n), respondent.n, signals);
  }
  if (respondentStats !== null) weighStats(respondentStats, respondent, signals);
  if (history === null) return signals;
  const { sourceUsual } = historyThresholds;
  const ofSource = weighSource(history.source, sourceUsual, 'source', signals);
  weighSource(history.subSource, ofSource, 'sub_source', signals);
  if (calibration.newUserPosture === 'review_lean' && isNew(history)) raise(signals, 'respondent_new');
  return signals;
}

function isNew({ respondent }: HistoryFacts): boolean {
  return respondent === null || (respondent.n === 0 && respondent.confirmedClawbacks === 0);
}

/** Fades with its age, down to nothing, so that no day makes a leap. */
function weighClawbacks(clawbacks: number, signals: Signal[]): void {
  const { clawbackForgotten } = historyThresholds;
  const share = clamp((clawbacks - clawbackForgotten) / (1 - clawbackForgotten), 0, 1);
  if (share > 0) raise(signals, 'confirmed_clawback', share * historyRules.confirmed_clawback.weight);
}

function weighRespondent(weight: number, n: number, signals: Signal[]): void {
  if (n <= 0) return;
  if (weight > 0) raise(signals, 'respondent_record_adverse', weight);
  else if (weight < 0) raise(signals, 'respondent_record_clean', weight);
}

/** Statistics sent along stand in for a few sessions while the native record is thin: they add the difference that these would make. */
function weighStats(stats: RespondentStats, native: HistoryRecord | null, signals: Signal[]): void {
  if ((native?.n ?? 0) >= historyThresholds.nativeEnough) {
    raise(signals, 'respondent_stats_unused', 0, 'the outcomes known here suffice');
    return;
  }
  const before = signals.length;
  weighAttempts(stats, signals);
  weighReversals(stats, native, signals);
  if (signals.length === before) raise(signals, 'respondent_stats_unused', 0, whyUnused(stats));
}

function weighAttempts({ attempts, completes }: RespondentStats, signals: Signal[]): void {
  if (attempts >= historyThresholds.attemptsMin && completes <= historyThresholds.completionShareMax * attempts)
    raise(signals, 'respondent_stats_attempts', undefined, `${completes} of ${attempts}`);
}

function weighReversals(
  { completes, reconciliationRate }: RespondentStats,
  native: HistoryRecord | null,
  signals: Signal[],
): void {
  if (reconciliationRate === undefined || completes === 0) return;
  const { fraud, n } = native ?? { fraud: 0, n: 0 };
  const trials = Math.min(historyThresholds.pseudoTrialsMax, completes);
  const reversed =
    Math.max(0, reconciliationRate - historyThresholds.ordinaryReversals) / (1 - historyThresholds.ordinaryReversals);
  const difference = recordWeight(fraud + trials * reversed, n + trials) - recordWeight(fraud, n);
  if (difference > 0)
    raise(signals, 'respondent_stats_adverse', Math.min(difference, historyRules.respondent_stats_adverse.weight));
  else if (difference < 0)
    raise(signals, 'respondent_stats_clean', Math.max(difference, historyRules.respondent_stats_clean.weight));
}

function whyUnused({ completes, reconciliationRate }: RespondentStats): string {
  if (completes === 0) return 'they hold too few attempts, and nothing that was completed';
  return reconciliationRate === undefined
    ? 'without reconciliationRate, completes say nothing of fraud'
    : 'they change nothing in what is known here';
}

/** Compares with the share of what it belongs to, so that a source and its sub-source never say the same twice. Returns the share of its own. */
function weighSource(
  record: HistoryRecord | null,
  usual: number,
  subject: 'source' | 'sub_source',
  signals: Signal[],
): number {
  if (record === null || record.n <= 0) return usual;
  const { sourcePrior } = historyThresholds;
  const share = (record.fraud + sourcePrior * usual) / (record.n + sourcePrior);
  const clean = historyRules[`${subject}_record_clean`].weight;
  const weight = clamp(logit(share) - logit(usual), clean, historyRules[`${subject}_record_adverse`].weight);
  if (weight > 0) raise(signals, `${subject}_record_adverse`, weight);
  else if (weight < 0) raise(signals, `${subject}_record_clean`, weight);
  return share;
}

/**
 * The history axis: adjudicated outcomes of earlier sessions, never the service’s own verdicts. A respondent’s own record is `record`
 * evidence; a supplier’s a statistical association.
 */
import type { HistoryFacts, HistoryRecord, ScoreFacts } from '../../src/contract/facts.js';
import type { RespondentStats } from '../../src/contract/score.js';
import { clamp, createRaise, logit, model, recordWeight, rulesOf, type Rules, type Signal } from './model.js';
import type { Visit } from './visit.js';

const record = rulesOf('history', 'record');
const cleanRecord = rulesOf('history', 'exculpatory', 'record');
const adverseRecord = rulesOf('history', 'correlate', 'record');
const diagnostic = rulesOf('history', 'diagnostic');
const adverseSource = rulesOf('history', 'correlate', 'source');
const adverse = rulesOf('history', 'correlate');
const cleanSource = rulesOf('history', 'exculpatory', 'source');

export const historyRules = {
  confirmed_clawback: record('high', 5, 'Payment for an earlier session of this respondent was reversed for fraud.'),
  respondent_record_adverse: record(
    'high',
    model.recordMax,
    'Earlier sessions of this respondent were rejected for fraud.',
  ),
  respondent_record_clean: cleanRecord('info', model.recordMin, 'Earlier sessions of this respondent were accepted.'),
  respondent_stats_adverse: adverseRecord(
    'medium',
    2,
    'According to respondentStats, completes of this respondent were often reversed.',
  ),
  respondent_stats_clean: cleanRecord(
    'info',
    -1,
    'According to respondentStats, completes of this respondent were rarely reversed.',
  ),
  respondent_stats_attempts: adverseRecord(
    'low',
    0.6,
    'According to respondentStats, this respondent tried many studies and completed few ({value}).',
  ),
  respondent_stats_unused: diagnostic('info', 0, 'respondentStats was not used: {value}.'),
  source_record_adverse: adverseSource(
    'medium',
    3,
    'Sessions of this source were rejected for fraud more often than usual.',
  ),
  source_record_clean: cleanSource('info', -1, 'Sessions of this source were rarely rejected.'),
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
  source_mostly_fraud: adverse('high', 2, 'Most sessions of this source were rejected for fraud.'),
  study_record_adverse: adverseSource(
    'low',
    1,
    'Sessions of this study were rejected for fraud more often than usual.',
  ),
  device_record_adverse: adverse('high', 3.5, 'Other sessions on this device were rejected for fraud.'),
  range_record_adverse: adverse('medium', 2.5, 'Other sessions from this IP range were rejected for fraud.'),
  network_record_adverse: adverse(
    'low',
    0.6,
    'Sessions from this network were rejected for fraud more often than usual.',
  ),
  respondent_new: diagnostic('info', 2, 'This respondent has no history, and the project reviews new respondents.'),
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
  /** Share of a source’s sessions that buyers reject for fraud anywhere, and the sessions it stands for: so many pull a source’s share towards it, and a sub-source’s towards the other ones of its source. */
  sourceUsual: 0.05,
  sourcePrior: 20,
  /** Part of the completes that may still be reversed which counts as sessions of the usual share. All of them would hide farms from those who score without a probe. */
  pendingShare: 0.3,
  /** Share above which a source sends mostly fraud, and the standard errors by which it must lie above it. */
  mostly: 0.5,
  mostlyErrors: 1.64,
  /** Likewise of a study, and, each leaning on the one before it, of a network, a range of its addresses, and a device. */
  studyPrior: 100,
  networkPrior: 100,
  rangePrior: 10,
  devicePrior: 4,
  /** Part of what a record says that other findings do not: the class of a network and the crowd in a range have weighed already. */
  newShares: {
    study_record_adverse: 0.75,
    network_record_adverse: 0.4,
    range_record_adverse: 0.8,
    device_record_adverse: 1,
  },
  /** Share of a clean record that counts on a device without a record of its own, and there on a network that servers and strangers share: an account that was sold comes from both. */
  trustOfNewDevice: 0.5,
  trustOfNewPlace: 0,
  /** The remainder of one clawback after four half-lives, a year: it counts no more. */
  clawbackForgotten: 1 / 16,
} as const;

const raise = createRaise(historyRules);

export function weighHistory({ facts }: Visit): Signal[] {
  const { history, respondentStats, calibration } = facts;
  const signals: Signal[] = [];
  const respondent = history?.respondent ?? null;
  if (respondent !== null) {
    weighClawbacks(respondent.confirmedClawbacks, signals);
    weighRespondent(respondent, trustIn(facts), signals);
  }
  if (respondentStats !== null) weighStats(respondentStats, respondent, signals);
  if (history === null) return signals;
  const { sourceUsual, studyPrior } = historyThresholds;
  const { source, subSource } = history;
  const ofSource = weighSource(source, { usual: sourceUsual, like: sourceUsual }, 'source', signals);
  weighSource(subSource, { usual: ofSource, like: ofOthers(source, subSource) }, 'sub_source', signals);
  if (source !== null && isMostlyFraud(source)) raise(signals, 'source_mostly_fraud');
  weighAdverse(history.study, sourceUsual, studyPrior, 'study_record_adverse', signals);
  weighPlaces(history, signals);
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

function weighRespondent({ fraud, n }: HistoryRecord, trust: number, signals: Signal[]): void {
  if (n <= 0) return;
  const weight = recordWeight(fraud, n);
  if (weight > 0) raise(signals, 'respondent_record_adverse', weight);
  else if (weight * trust < 0) raise(signals, 'respondent_record_clean', weight * trust);
}

/** Share of a clean record that counts. Whose device is unknown shows no other one. */
function trustIn({ deviceKnown, history, address: { network, relay } }: ScoreFacts): number {
  if (!deviceKnown || history?.device !== undefined) return 1;
  const isRented = network === 'hosting' || network === 'anonymous' || relay !== undefined;
  return isRented && history?.range === undefined
    ? historyThresholds.trustOfNewPlace
    : historyThresholds.trustOfNewDevice;
}

/** Statistics sent along stand in for a few sessions while the native record is thin: they add the difference that these would make. */
function weighStats(stats: RespondentStats, native: HistoryRecord | null, signals: Signal[]): void {
  if ((native?.n ?? 0) >= historyThresholds.nativeEnough) {
    raise(signals, 'respondent_stats_unused', 0, 'native history is sufficient');
    return;
  }
  const before = signals.length;
  weighAttempts(stats, signals);
  weighReversals(stats, native, signals);
  if (signals.length === before) raise(signals, 'respondent_stats_unused', 0, whyUnused(stats));
}

function weighAttempts({ attempts, completes }: RespondentStats, signals: Signal[]): void {
  if (attempts >= historyThresholds.attemptsMin && completes <= historyThresholds.completionShareMax * attempts)
    raise(signals, 'respondent_stats_attempts', undefined, `${completes}/${attempts}`);
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
  if (completes === 0) return 'too few attempts and no completes';
  return reconciliationRate === undefined ? 'reconciliationRate is missing' : 'they agree with native history';
}

/** Compares with the usual share, leaning on the share of what is like it. Returns its share. */
function weighSource(
  record: HistoryRecord | null,
  { usual, like }: { readonly usual: number; readonly like: number },
  subject: 'source' | 'sub_source',
  signals: Signal[],
): number {
  if (record === null || record.n <= 0) return usual;
  const share = shareOf(record, like, historyThresholds.sourcePrior);
  const clean = historyRules[`${subject}_record_clean`].weight;
  const weight = clamp(logit(share) - logit(usual), clean, historyRules[`${subject}_record_adverse`].weight);
  if (weight > 0) raise(signals, `${subject}_record_adverse`, weight);
  else if (weight < 0) raise(signals, `${subject}_record_clean`, weight);
  return share;
}

/** Share of the other sub-sources of a source: leaning on the whole, the only one would weigh a second time as its source has. */
function ofOthers(source: HistoryRecord | null, own: HistoryRecord | null): number {
  const { sourceUsual, sourcePrior } = historyThresholds;
  if (source === null || own === null) return sourceUsual;
  const fraud = Math.max(0, source.fraud - own.fraud);
  const n = Math.max(fraud, source.n - own.n);
  return shareOf(
    { fraud, n, pending: Math.max(0, (source.pending ?? 0) - (own.pending ?? 0)) },
    sourceUsual,
    sourcePrior,
  );
}

/**
 * Leans on a share with the weight of so many sessions, and of a part of the completes that may still be reversed: rejections come first, and
 * acceptances only with time, so that the decided sessions of the first weeks say more against a source than it deserves.
 */
function shareOf(record: HistoryRecord, usual: number, prior: number): number {
  const leaning = prior + undecidedOf(record);
  return (record.fraud + leaning * usual) / (record.n + leaning);
}

const undecidedOf = ({ pending = 0 }: HistoryRecord): number => historyThresholds.pendingShare * pending;

/** Among all completes, open ones too: most of the few decisions of the first weeks are rejections. */
function isMostlyFraud({ fraud, n, pending = 0 }: HistoryRecord): boolean {
  const { sourceUsual, sourcePrior, mostly, mostlyErrors } = historyThresholds;
  const share = shareOf({ fraud, n: n + pending }, sourceUsual, sourcePrior);
  return share - mostlyErrors * Math.sqrt((share * (1 - share)) / (n + pending + sourcePrior)) > mostly;
}

/** From the network to its range to the device, each against the one before it, so that no outcome weighs twice. */
function weighPlaces({ respondent, network, range, device }: HistoryFacts, signals: Signal[]): void {
  const { sourceUsual, networkPrior, rangePrior, devicePrior } = historyThresholds;
  const ofNetwork = weighAdverse(network, sourceUsual, networkPrior, 'network_record_adverse', signals);
  const ofRange = weighAdverse(without(range, respondent), ofNetwork, rangePrior, 'range_record_adverse', signals);
  weighAdverse(without(device, respondent), ofRange, devicePrior, 'device_record_adverse', signals);
}

/** The record of a place without the respondent’s own rejections, which weigh separately. The accepted ones stay: most may be from elsewhere. */
function without(record: HistoryRecord | undefined, own: HistoryRecord | null): HistoryRecord | undefined {
  if (record === undefined || own === null) return record;
  const rejected = Math.min(record.fraud, own.fraud);
  return { ...record, fraud: record.fraud - rejected, n: record.n - rejected };
}

/** Evidence in favour of a place is not raised: a fraudster who rents it buys its good name as well. Returns its share. */
function weighAdverse(
  record: HistoryRecord | undefined,
  usual: number,
  prior: number,
  code: keyof typeof historyThresholds.newShares,
  signals: Signal[],
): number {
  if (record === undefined || record.n <= 0) return usual;
  const { newShares } = historyThresholds;
  const share = shareOf(record, usual, prior);
  const weight = Math.min(newShares[code] * (logit(share) - logit(usual)), historyRules[code].weight);
  if (weight > 0) raise(signals, code, weight);
  return share;
}

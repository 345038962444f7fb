/**
 * Scores one session: facts in, reply and record out. Pure: the same facts give the same outcome. Duplication and independence have no way
 * into risk. Never throws on facts that the contract allows.
 */
import {
  agentPolicyOf,
  classify,
  defaultScoreOf,
  intensityOf,
  mapToLegacyBands,
  recommend,
  decisionInputsOf,
  type Policy,
} from './verdict.js';
import { ceilingOf } from '../../src/contract/calibration.js';
import type { Contribution, ProbeFacts, ScoreFacts, ScoreOutcome, StepUpOutcome } from '../../src/contract/facts.js';
import type { DegradedSignal, ScoreReply } from '../../src/contract/score.js';
import type { PoolResults, RecordedVerdict } from '../../src/contract/pool.js';
import { packOutcome } from '../../src/record/record.js';
import { judgeDuplication, type Duplication } from '../duplicates/duplication.js';
import { judgeIndependence } from '../duplicates/independence.js';
import { placeFindings } from '../evidence/placement.js';
import { summarize } from '../evidence/summary.js';
import { describeIn, type Describe } from '../evidence/describe.js';
import { englishSummary } from '../evidence/texts/en.js';
import type { EvidenceTexts } from '../evidence/texts/texts.js';
import { weighBehavior, weighPageInput } from './behavior.js';
import { weighDevice, weighPage } from './device.js';
import { weighClaims, weighForgery } from './claims.js';
import { weighHistory } from './history.js';
import { applyFit, cleanProbabilityOf, honestBelow, interpolate, probabilityOf } from './fitted.js';
import { findDegraded, weighIntegration, weighMeasurement } from './diagnostics.js';
import { modelVersion } from './rule-set.js';
import { matchCountry, weighNetwork } from './network.js';
import { assessRisk, declaresProgram, type Risk, type Weighed } from './risk.js';
import { keepWorst, type Signal } from './model.js';
import { findStepUp, weighStepUp } from './step-up.js';
import { weighVelocity } from './velocity.js';
import { readPage, readVisit, type Visit } from './visit.js';

/** `replayed`: the reply of an earlier call again; it says so, and is otherwise the same. `texts`: those of a language, null for English. */
export function scoreFacts(facts: ScoreFacts, replayed = false, texts: EvidenceTexts | null = null): ScoreOutcome {
  const visit = readVisit(facts);
  const degraded = findDegraded(visit);
  const isProbed = visit.pages.length > 0;
  const clean = cleanProbabilityOf(isProbed);
  const raised = raiseSignals(visit, degraded, clean);
  const { signals, risk, calibration, advice, policy } = decide(visit, raised, clean);
  const duplication = judgeDuplication(visit);
  const findings = [
    ...risk.findings,
    ...duplication.signals.map((signal) => ({ signal, applied: 0, discounted: 0, moved: false })),
  ];
  const describe = describeIn(texts);
  const placed = placeFindings(findings, describe);
  const { score } = risk;
  const { network, device, velocity, behavior, history } = risk.categories;
  const automated = signals.some(declaresProgram);
  const verdictClass = classify(score, calibration, facts.agent, visit.deviceMeasured && !automated);
  const verdict = {
    score,
    recommendation: advice.recommendation,
    verdictClass,
    duplicate: replyDuplicate(facts, duplication, describe),
    categories: { network, device, velocity, behavior, history, duplicate: duplication.score },
    degradedSignals: [...degraded],
    ceilings: [...risk.ceilings],
  };
  const reply: ScoreReply = {
    score,
    ...placeAmongFitted(visit, degraded, risk),
    duplicateScore: duplication.score,
    duplicate: verdict.duplicate,
    independence: judgeIndependence(facts, texts?.factors),
    declaredCountryMatch: matchCountry(facts.declaredCountry, facts.address.country),
    recommendation: advice.recommendation,
    verdictClass,
    categories: verdict.categories,
    reasons: placed.reasons,
    evidence: {
      summary: summarize(
        verdict,
        placed.evidence,
        { deviceMeasured: visit.deviceMeasured, automated, reviewLow: calibration.reviewLow },
        texts?.summary ?? englishSummary,
      ),
      ...placed.evidence,
    },
    degradedSignals: verdict.degradedSignals,
    grlCompat: mapToLegacyBands(risk.categories),
    assuranceAvailable: facts.assuranceAvailable,
    stepUpIntensity: advice.stepUpIntensity,
    ceilings: verdict.ceilings,
    sessionId: facts.sessionId,
    receiptId: facts.receiptId,
    replayed,
    supersedes: facts.supersedes ?? null,
  };
  return {
    reply,
    repeated: duplication.repeated,
    classification: placed.classification,
    modelVersion,
    calibration,
    uncapped: risk.uncapped,
    caps: risk.caps,
    policy,
    contributions: findings.map(contributionOf),
  };
}

/** All sessions of the fit have this, so that it says nothing about one without. */
const incomparable: readonly DegradedSignal[] = [
  'organization_key',
  'counters_unavailable',
  'history_unavailable',
  'probe_unreadable',
];

/** Places a session among those of the fit: by the evidence alone, with no setting of the project but its own probabilities. */
function placeAmongFitted({ facts, pages }: Visit, degraded: readonly DegradedSignal[], risk: Risk) {
  if (facts.agent?.outcome === 'verified' || incomparable.some((signal) => degraded.includes(signal)))
    return { probability: null, falseBlockPercentile: null };
  const isProbed = pages.length > 0;
  const { recalibration } = facts.calibration;
  const probability = probabilityOf(risk.balance, isProbed);
  return {
    probability: recalibration === undefined ? probability : interpolate(recalibration, probability.value),
    falseBlockPercentile: honestBelow(defaultScoreOf(risk), isProbed),
  };
}

const contributionOf = ({ signal, discounted, applied, moved }: Weighed): Contribution => ({
  code: signal.code,
  axis: signal.rule.axis,
  weight: signal.weight,
  discounted,
  applied,
  moved,
});

/** Assesses a session with the result of its step-up, if one holds. */
function decide(visit: Visit, raised: readonly Signal[], clean: number) {
  const { facts } = visit;
  const policy = agentPolicyOf(facts.calibration, facts.agent);
  const asking = assess(facts, raised, clean, { policy, stepUp: null });
  const stepUp =
    facts.stepUps === undefined ? null : findStepUp(visit, intensityOf(asking.risk.score, facts.calibration));
  if (stepUp === null) return asking;
  // Failing what was asked for must not lead to allow.
  const isEvaded = !stepUp.passed && asking.advice.recommendation === 'step_up';
  return assess(facts, raised, clean, { policy: isEvaded ? 'review' : policy, stepUp });
}

/** A session whose step-up is done is not asked again. */
function assess(
  facts: ScoreFacts,
  raised: readonly Signal[],
  clean: number,
  { policy, stepUp }: { readonly policy: Policy; readonly stepUp: StepUpOutcome | null },
) {
  const signals = applyFit(stepUp === null ? raised : [...raised, ...weighStepUp(stepUp)]);
  const calibration = stepUp === null ? facts.calibration : { ...facts.calibration, stepUpEnabled: false };
  const risk = assessRisk(facts, signals, clean);
  const advice = recommend(risk.score, calibration, policy, risk.caps.includes('dispositive'));
  return { signals, risk, calibration, advice, policy };
}

/** The signals of every axis, with experts’ weights; those of a step-up are apart. */
export function raiseSignals(
  visit: Visit,
  degraded: readonly DegradedSignal[] = findDegraded(visit),
  clean: number = cleanProbabilityOf(visit.pages.length > 0),
): Signal[] {
  const forgery = weighForgery(visit);
  // Evidence in favour from a forged probe counts for nothing.
  const unlessForged = (probed: Signal[]) =>
    forgery.length === 0 ? probed : probed.filter(({ weight }) => weight >= 0);
  return [
    ...weighNetwork(visit),
    ...unlessForged(weighDevice(visit)),
    ...weighVelocity(visit),
    ...unlessForged(weighBehavior(visit)),
    ...forgery,
    ...weighHistory(visit),
    ...weighMeasurement(visit, degraded, { ceiling: ceilingOf(visit.facts.calibration.blockThreshold), clean }),
    ...weighIntegration(visit),
  ];
}

function replyDuplicate(
  { measured, counts }: ScoreFacts,
  duplication: Duplication,
  describe: Describe,
): ScoreReply['duplicate'] {
  const known = measured ? counts : null;
  return {
    score: duplication.score,
    band: duplication.band,
    measured: duplication.measured,
    // Within its own axis a finding of a repeat did count.
    reasons: duplication.signals.map((signal) => ({
      code: signal.code,
      severity: signal.rule.severity,
      detail: describe(signal),
      scored: signal.rule.class === 'correlate',
    })),
    evidence: {
      deviceSessionsDay: known?.deviceSessionsDay ?? null,
      deviceRespondentsDay: known?.deviceRespondentsDay ?? null,
      respondentDay: known?.respondentDay ?? null,
      respondentDevicesWeek: known?.respondentDevicesWeek ?? null,
    },
  };
}

export function judgeScore(facts: ScoreFacts, replayed: boolean): PoolResults['score'] {
  const outcome = scoreFacts(facts, replayed);
  const { repeated, reply } = outcome;
  const { degradedSignals, recommendation } = reply;
  return {
    reply: JSON.stringify(reply),
    degraded: degradedSignals,
    recommendation,
    repeated,
    outcome: packOutcome(recordVerdict(outcome), facts),
  };
}

/** The part of a score that a receipt keeps in addition to its facts. */
export function recordVerdict(outcome: ScoreOutcome): RecordedVerdict {
  const { reply, classification, modelVersion } = outcome;
  return {
    modelVersion,
    score: reply.score,
    recommendation: reply.recommendation,
    verdictClass: reply.verdictClass,
    duplicateBand: reply.duplicate.band,
    independence: reply.independence.score,
    classification,
    // Spread last: spreading first is 80 times slower in V8.
    ...decisionInputsOf(outcome),
  };
}

/**
 * Evidence in one message of the probe against its session: code and logits of each finding, before discounts and caps. Kept with the
 * message, so that a later one takes nothing back and the worst are evicted last.
 */
export function findRiskIndicators(facts: ProbeFacts): [code: string, weight: number][] {
  const page = readPage(facts);
  return keepWorst([weighPage(page, null), weighPageInput(page), weighClaims(page)])
    .filter(({ weight }) => weight > 0)
    .map(({ code, weight }) => [code, weight]);
}

/**
 * Scores one session: facts in, verdict out. Pure: the same facts give the same outcome anywhere and at any time. Duplication and independence are
 * judged beside risk and have no way into it. Never throws on facts that the contract allows.
 */
import type { ScoreFacts, ScoreOutcome } from '../../src/contract/facts.js';
import { riskAxes, type RiskAxis } from '../../src/contract/axes.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { judgeDuplication, type Duplication } from '../duplicates/device.js';
import { judgeIndependence } from '../duplicates/independence.js';
import { placeFindings, summarize } from '../evidence/place.js';
import { weighBehavior } from './behavior.js';
import { applyCaps, ceilingOf, type Cap } from './caps.js';
import { weighDevice } from './device.js';
import { fuseSignals, type Weighed } from './fuse.js';
import { weighHistory } from './history.js';
import { findDegraded, weighMeasurement } from './measurement.js';
import { modelVersion } from './model-version.js';
import { model, scoreOf } from './model.js';
import { matchCountry, weighNetwork } from './network.js';
import { describeSignal, type Signal } from './rule.js';
import { categoryOf, classify, mapToLegacyBands, recommend } from './verdict.js';
import { weighVelocity } from './velocity.js';
import { readVisit } from './visit.js';

export function scoreFacts(facts: ScoreFacts): ScoreOutcome {
  const { calibration } = facts;
  const visit = readVisit(facts);
  const degraded = findDegraded(visit);
  const risk = assessRisk(facts, [
    ...weighNetwork(visit),
    ...weighDevice(visit),
    ...weighVelocity(visit),
    ...weighBehavior(visit),
    ...weighHistory(visit),
    ...weighMeasurement(visit, degraded, ceilingOf(calibration.blockThreshold)),
  ]);
  const duplication = judgeDuplication(visit);
  const placed = placeFindings([...risk.weighed, ...duplication.signals.map((signal) => ({ signal, applied: 0 }))]);
  const { score } = risk;
  const advice = recommend(score, calibration, facts.agent);
  const verdictClass = classify(score, calibration, facts.agent, visit.measured);
  const reply: ScoreReply = {
    score,
    duplicateScore: duplication.score,
    duplicate: replyDuplicate(facts, duplication),
    independence: judgeIndependence(facts),
    declaredCountryMatch: matchCountry(facts.declaredCountry, facts.address.country),
    recommendation: advice.recommendation,
    verdictClass,
    categories: { ...risk.categories, duplicate: duplication.score },
    reasons: placed.reasons,
    evidence: {
      summary: summarize(
        { score, recommendation: advice.recommendation, verdictClass },
        placed.evidence,
        visit.measured,
      ),
      ...placed.evidence,
    },
    degradedSignals: [...degraded],
    grlCompat: mapToLegacyBands(risk.categories),
    assuranceAvailable: facts.assuranceAvailable,
    stepUpIntensity: advice.stepUpIntensity,
    sessionId: facts.sessionId,
    receiptId: facts.receiptId,
  };
  return { reply, classification: placed.classification, modelVersion, uncapped: risk.uncapped, caps: risk.caps };
}

interface Risk {
  readonly score: number;
  readonly uncapped: number;
  readonly caps: readonly Cap[];
  readonly weighed: readonly Weighed[];
  readonly categories: Record<RiskAxis, number>;
}

/** What the project’s policy adds, rather than anything that was seen. */
function isPolicy({ rule, weight }: Signal): boolean {
  return rule.class === 'diagnostic' && weight > 0;
}

function assessRisk({ calibration, address }: ScoreFacts, signals: readonly Signal[]): Risk {
  const policy = signals.filter(isPolicy);
  const evidence = policy.length === 0 ? signals : signals.filter((signal) => !isPolicy(signal));
  const fusion = fuseSignals(
    evidence,
    (address.country === null ? undefined : calibration.geoRiskWeights[address.country]) ?? 1,
  );
  const caps: Cap[] = [];
  const decisive = signals.some(({ code }) => (calibration.dispositiveSignals as readonly string[]).includes(code));
  if (decisive) caps.push('dispositive');
  else if (fusion.agreeing < 2 && fusion.weight > 0) caps.push('uncorroborated');
  const evidenceScore = scoreOf(fusion.weight);
  if (policy.length === 0) {
    return {
      score: applyCaps(evidenceScore, caps, calibration.blockThreshold),
      uncapped: evidenceScore,
      caps,
      weighed: fusion.weighed,
      categories: categorize(fusion.axes, []),
    };
  }
  const withoutPolicy = applyCaps(evidenceScore, caps, calibration.blockThreshold);
  const uncapped = scoreOf(fusion.weight + policy.reduce((sum, { weight }) => sum + weight, 0));
  caps.push(`policy:${evidenceScore}`);
  const score = applyCaps(uncapped, caps, calibration.blockThreshold);
  // Where the evidence alone says as much, policy moved nothing.
  const moved = score > withoutPolicy ? policy : [];
  const weighed = [
    ...fusion.weighed,
    ...policy.map((signal) => ({ signal, applied: moved.length > 0 ? signal.weight : 0 })),
  ];
  return { score, uncapped, caps, weighed, categories: categorize(fusion.axes, moved) };
}

function categorize(axes: Readonly<Record<RiskAxis, number>>, policy: readonly Signal[]): Record<RiskAxis, number> {
  const weights = { ...axes };
  for (const { rule, weight } of policy) if (rule.axis !== 'duplicate') weights[rule.axis] += weight;
  return Object.fromEntries(
    riskAxes.map((axis) => [axis, categoryOf(Math.min(weights[axis], model.axisMax))]),
  ) as Record<RiskAxis, number>;
}

function replyDuplicate({ measured, counts }: ScoreFacts, duplication: Duplication): ScoreReply['duplicate'] {
  const known = measured ? counts : null;
  return {
    score: duplication.score,
    band: duplication.band,
    measured: duplication.measured,
    // Within its own axis a finding of a repeat did count.
    reasons: duplication.signals.map((signal) => ({
      code: signal.code,
      severity: signal.rule.severity,
      detail: describeSignal(signal),
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

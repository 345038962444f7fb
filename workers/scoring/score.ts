/**
 * Scores one session: facts in, verdict out. Pure: the same facts give the same outcome anywhere and at any time. Duplication and independence are
 * judged beside risk and have no way into it. Never throws on facts that the contract allows.
 */
import type { ScoreFacts, ScoreOutcome } from '../../src/contract/facts.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { judgeDuplication, type Duplication } from '../duplicates/device.js';
import { judgeIndependence } from '../duplicates/independence.js';
import { placeFindings, summarize } from '../evidence/placement.js';
import { weighBehavior } from './behavior.js';
import { ceilingOf } from './caps.js';
import { weighDevice } from './device.js';
import { weighHistory } from './history.js';
import { weighIntegration } from './integration.js';
import { findDegraded, weighMeasurement } from './measurement.js';
import { modelVersion } from './model-version.js';
import { matchCountry, weighNetwork } from './network.js';
import { assessRisk } from './risk.js';
import { describeSignal, type Signal } from './rule.js';
import { classify, mapToLegacyBands, recommend } from './verdict.js';
import { weighVelocity } from './velocity.js';
import { readVisit } from './visit.js';

export function scoreFacts(facts: ScoreFacts): ScoreOutcome {
  const { calibration } = facts;
  const visit = readVisit(facts);
  const degraded = findDegraded(visit);
  const signals = [
    ...weighNetwork(visit),
    ...weighDevice(visit),
    ...weighVelocity(visit),
    ...weighBehavior(visit),
    ...weighHistory(visit),
    ...weighMeasurement(visit, degraded, ceilingOf(calibration.blockThreshold)),
    ...weighIntegration(visit),
  ];
  const risk = assessRisk(facts, signals);
  const duplication = judgeDuplication(visit);
  const findings = [
    ...risk.findings,
    ...duplication.signals.map((signal) => ({ signal, applied: 0, discounted: 0, moved: false })),
  ];
  const placed = placeFindings(findings);
  const { score } = risk;
  const { network, device, velocity, behavior, history } = risk.categories;
  const advice = recommend(score, calibration, facts.agent, risk.caps.includes('dispositive'));
  const automated = signals.some(isAutomation);
  const verdictClass = classify(score, calibration, facts.agent, visit.deviceMeasured && !automated);
  const verdict = { score, recommendation: advice.recommendation, verdictClass };
  const reply: ScoreReply = {
    score,
    duplicateScore: duplication.score,
    duplicate: replyDuplicate(facts, duplication),
    independence: judgeIndependence(facts),
    declaredCountryMatch: matchCountry(facts.declaredCountry, facts.address.country),
    recommendation: advice.recommendation,
    verdictClass,
    categories: { network, device, velocity, behavior, history, duplicate: duplication.score },
    reasons: placed.reasons,
    evidence: {
      summary: summarize(verdict, placed.evidence, {
        deviceMeasured: visit.deviceMeasured,
        automated,
        ceilings: risk.ceilings,
      }),
      ...placed.evidence,
    },
    degradedSignals: [...degraded],
    grlCompat: mapToLegacyBands(risk.categories),
    assuranceAvailable: facts.assuranceAvailable,
    stepUpIntensity: advice.stepUpIntensity,
    ceilings: [...risk.ceilings],
    sessionId: facts.sessionId,
    receiptId: facts.receiptId,
    replayed: false,
    supersedes: facts.supersedes ?? null,
  };
  return {
    reply,
    classification: placed.classification,
    modelVersion,
    uncapped: risk.uncapped,
    caps: risk.caps,
    contributions: findings.map(({ signal, discounted, applied, moved }) => ({
      code: signal.code,
      axis: signal.rule.axis,
      weight: signal.weight,
      discounted,
      applied,
      moved,
    })),
  };
}

/** A browser, or what drives it, says that it is a program. */
function isAutomation({ rule, weight }: Signal): boolean {
  return rule.group === 'automation' && rule.severity === 'high' && weight > 0;
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

/** A score as the service answers it, of a session against which nothing speaks. */
import type { ScoreReply } from '../../src/contract/score.js';

export function scoreReply(changed: Partial<ScoreReply> = {}): ScoreReply {
  return {
    score: 0,
    probability: { value: 0.02, low: 0.01, high: 0.03 },
    falseBlockPercentile: 0,
    duplicateScore: 0,
    duplicate: {
      score: 0,
      band: 'none',
      measured: true,
      reasons: [],
      evidence: { deviceSessionsDay: 1, deviceRespondentsDay: 1, respondentDay: 1, respondentDevicesWeek: 1 },
    },
    independence: { score: 100, band: 'independent', measured: true, grade: null, factors: [] },
    declaredCountryMatch: null,
    recommendation: 'allow',
    verdictClass: 'human',
    categories: { network: 0, device: 0, velocity: 0, duplicate: 0, behavior: 0, history: 0 },
    reasons: [],
    evidence: { summary: 'No evidence against this session.', against: [], for: [], notes: [] },
    degradedSignals: [],
    grlCompat: { forensicMaxScore: 0, categories: {} },
    assuranceAvailable: 'none',
    stepUpIntensity: 'none',
    ceilings: [],
    sessionId: 's-1',
    receiptId: 'rcpt_1',
    replayed: false,
    supersedes: null,
    ...changed,
  };
}

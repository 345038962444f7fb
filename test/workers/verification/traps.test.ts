/**
 * Sentences of the contract about verdicts, one by one.
 */
import t from 'tap';
import { nothingCompared, type FaceMatch, type IdentityComparison } from '../../../src/contract/uniqueness.js';
import type { Envelope } from '../../../src/contract/envelope.js';
import type { Verdict, VerdictFacts, VerdictOutcome } from '../../../src/contract/verdict.js';
import { calibrate } from '../../../workers/verification/uniqueness.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { captureHuman } from '../../helpers/captures.js';
import { humanBody, scoredAtMs } from '../../helpers/facts.js';
import {
  biometricEnvelope,
  deviceEnvelope,
  factsOf,
  freshComparison,
  humanDevice,
} from '../../helpers/verdict-facts.js';

const outcome = (envelope: Envelope, over: Partial<VerdictFacts> = {}): VerdictOutcome =>
  judgeSession(factsOf(envelope, over));
const judge = (envelope: Envelope, over: Partial<VerdictFacts> = {}): Verdict => outcome(envelope, over).verdict;

const earlier: FaceMatch = {
  fingerprintId: 'fp_1',
  similarity: 0.9,
  sessionId: 'sess_earlier',
  respondentId: 'respondent-1',
  completedAtMs: scoredAtMs - 86_400_000,
};
const duplicate: Partial<VerdictFacts> = {
  uniqueness: { ...nothingCompared, biometric: freshComparison({ match: earlier }) },
};
const driven = humanDevice({ auto: { webdriver: true, globals: ['cdc_x'], debugStack: true, debugGetter: true } });

t.test('liveness and uniqueness are null on a device-only pass, and overall is what the rest says', (t) => {
  const { scores, status } = judge(deviceEnvelope());
  t.equal(status, 'pass');
  t.same([scores.liveness, scores.uniqueness], [null, null]);
  t.equal(scores.overall, scores.authenticity);
  t.end();
});

t.test('liveness is null on a camera-blocked pass', (t) => {
  const verdict = judge(deviceEnvelope({ cameraFailureReason: 'NotAllowedError' }));
  t.same([verdict.status, verdict.scores.liveness, verdict.cameraFailureReason], ['pass', null, 'NotAllowedError']);
  t.end();
});

t.test('uniqueness is null when no comparison ran, and never a synthesized 1.0', (t) => {
  const without = nothingCompared;
  t.equal(judge(biometricEnvelope(), { uniqueness: without }).scores.uniqueness, null);
  const empty = { ...nothingCompared, biometric: freshComparison({ gallerySize: 0 }) };
  t.equal(judge(biometricEnvelope(), { uniqueness: empty }).scores.uniqueness, null);
  const deviceOnly = { ...nothingCompared, biometric: freshComparison({ match: earlier }) };
  t.equal(judge(deviceEnvelope(), { uniqueness: deviceOnly }).scores.uniqueness, null, 'no capture, no comparison');
  t.equal(judge(biometricEnvelope()).scores.uniqueness, 1, 'compared with a thousand, nobody alike');
  const outside = { ...nothingCompared, biometric: freshComparison({ isWindowEmpty: true, returning: earlier }) };
  t.match(judge(biometricEnvelope(), { uniqueness: outside }), {
    status: 'pass',
    scores: { uniqueness: null },
    isDuplicate: true,
    priorParticipation: { lastSeenAt: Number },
  });
  t.end();
});

t.test('uniqueness is 0 for an exact duplicate, and the Balanced gate lies at the gallery’s threshold', (t) => {
  const exact = { ...nothingCompared, biometric: freshComparison({ match: { ...earlier, similarity: 1 } }) };
  t.equal(judge(biometricEnvelope(), { uniqueness: exact }).scores.uniqueness, 0);
  t.equal(1 - calibrate(0.6, 0.6), 0.85);
  t.ok(1 - calibrate(0.5, 0.6) > 0.9);
  t.end();
});

t.test('default weights are 0.40, 0.30 and 0.30, and what is null counts in no sum', (t) => {
  const { scores } = judge(biometricEnvelope());
  const expected = 0.4 * (scores.liveness ?? NaN) + 0.3 * (scores.uniqueness ?? NaN) + 0.3 * scores.authenticity;
  t.ok(Math.abs(scores.overall - expected) < 1e-12);
  const partial = judge(biometricEnvelope(), { uniqueness: nothingCompared }).scores;
  t.ok(Math.abs(partial.overall - (0.4 * (partial.liveness ?? NaN) + 0.3 * partial.authenticity) / 0.7) < 1e-12);
  t.end();
});

t.test('riskOverall is the inverse of overall, present only when the aggregator is on, null risk in shadow', (t) => {
  const on = outcome(biometricEnvelope());
  t.equal(on.shown.riskOverall, 1 - on.verdict.scores.overall);
  t.same(outcome(biometricEnvelope(), { riskAggregator: 'off' }).shown, {});
  t.same(outcome(biometricEnvelope(), { riskAggregator: 'shadow' }).shown, { risk: null, duplication: null });
  for (const riskAggregator of ['off', 'shadow'] as const)
    t.equal(
      outcome(biometricEnvelope(), { riskAggregator }).verdict.risk.overall,
      on.verdict.risk.overall,
      'always computed',
    );
  t.end();
});

t.test('contributions are populated only with diagnostics', (t) => {
  t.ok((outcome(biometricEnvelope()).shown.risk?.contributions.length ?? 0) > 0);
  t.same(outcome(biometricEnvelope(), { breakdown: false }).shown.risk?.contributions, []);
  t.end();
});

t.test('a score equal to its threshold passes, and any signal failing gives fail', (t) => {
  const { thresholds } = factsOf(biometricEnvelope());
  const { scores } = judge(biometricEnvelope());
  const edge = {
    ...thresholds,
    liveness: scores.liveness ?? 0,
    authenticity: scores.authenticity,
    overall: scores.overall,
  };
  t.equal(judge(biometricEnvelope(), { thresholds: edge }).status, 'pass');
  for (const name of ['liveness', 'authenticity'] as const) {
    const above = { ...thresholds, [name]: edge[name] + 1e-9 };
    t.same(
      [
        judge(biometricEnvelope(), { thresholds: above }).status,
        judge(biometricEnvelope(), { thresholds: above }).failureCategory,
      ],
      ['fail', name],
    );
  }
  t.equal(judge(biometricEnvelope(), { thresholds: { ...thresholds, overall: 0.9999 } }).status, 'fail');
  t.end();
});

t.test('failure reasons follow duplicate, liveness, authenticity, fraud_signal, fingerprint', (t) => {
  const everything = biometricEnvelope(captureHuman({ challenges: [] }), {
    camera: { label: 'OBS Virtual Camera' },
    device: driven,
  });
  const verdict = judge(everything, duplicate);
  t.equal(verdict.failureCategory, 'duplicate');
  t.match(verdict.failureReasons[0], /already taken part/);
  t.match(verdict.failureReasons[1], /live person/);
  t.match(verdict.failureReasons[2], /real camera/);
  t.ok(verdict.failureReasons.length > 3);
  t.equal(judge(everything).failureCategory, 'liveness');
  t.equal(judge({ ...everything, ...pickCapture() }).failureCategory, 'authenticity');
  const steered = humanDevice({ auto: { webdriver: true, globals: [], debugStack: false, debugGetter: false } });
  t.equal(judge(biometricEnvelope(undefined, { device: steered })).failureCategory, 'fraud_signal');
  t.equal(judge(deviceEnvelope({ device: {} })).failureCategory, 'fingerprint');
  t.end();
});

function pickCapture(): Pick<Envelope, 'frames' | 'challenges'> {
  const { frames, challenges } = captureHuman();
  return { frames, challenges };
}

t.test('review occurs in score mode only; in block mode what is borderline fails', (t) => {
  const features = { noise: 0.01, deepfake: 0.6 };
  const block = judge(biometricEnvelope(undefined, { features }));
  t.same([block.status, block.failureCategory], ['fail', 'fraud_signal']);
  const score = judge(biometricEnvelope(undefined, { features }), { verificationMode: 'score' });
  t.same([score.status, score.failureCategory, score.unifiedVerdict.verdict], ['review', 'fraud_signal', 'review']);
  t.equal(block.unifiedVerdict.verdict, 'review', 'the unified verdict is the same in both modes');
  t.end();
});

t.test('duplicateMatch stands only where the category is duplicate, with fingerprintId and similarity', (t) => {
  const verdict = judge(biometricEnvelope(), duplicate);
  t.match(verdict, { status: 'fail', failureCategory: 'duplicate', isDuplicate: true, priorParticipation: null });
  t.match(verdict.duplicateMatch, { fingerprintId: 'fp_1', sessionId: 'sess_earlier', respondentId: 'respondent-1' });
  t.equal(verdict.duplicateMatch?.similarity, 1 - (verdict.scores.uniqueness ?? NaN));
  const older = { ...earlier, sessionId: null, respondentId: null };
  const bare = judge(biometricEnvelope(), {
    uniqueness: { ...nothingCompared, biometric: freshComparison({ match: older }) },
  });
  t.same(Object.keys(bare.duplicateMatch ?? {}).sort(), ['fingerprintId', 'similarity']);
  t.equal(judge(biometricEnvelope()).duplicateMatch, null);
  t.end();
});

t.test(
  'a returning participant outside the window passes with is_duplicate and priorParticipation, and no duplicateMatch',
  (t) => {
    const verdict = judge(biometricEnvelope(), {
      uniqueness: { ...nothingCompared, biometric: freshComparison({ returning: earlier }) },
    });
    t.match(verdict, { status: 'pass', isDuplicate: true, duplicateMatch: null, failureCategory: null });
    t.match(verdict.priorParticipation, {
      fingerprintId: 'fp_1',
      lastSeenAt: Math.floor(earlier.completedAtMs / 1_000),
    });
    t.end();
  },
);

t.test('a device-only session never sets highFraudRisk, a biometric one does on a signal of high severity', (t) => {
  const deviceOnly = judge(deviceEnvelope({ device: driven }));
  t.ok(deviceOnly.fraudSignals.some(({ severity }) => severity === 'high'));
  t.match(deviceOnly, { status: 'fail', highFraudRisk: false });
  t.match(judge(biometricEnvelope(undefined, { camera: { label: 'ManyCam' } })), { highFraudRisk: true });
  t.match(judge(biometricEnvelope()), { highFraudRisk: false });
  t.end();
});

t.test(
  'two assuranceLevel taxonomies: a hand on the device is behavioral in the unified verdict and device_only beside it',
  (t) => {
    t.match(judge(deviceEnvelope()), {
      assuranceLevel: 'device_only',
      unifiedVerdict: { assuranceLevel: 'behavioral' },
    });
    const unused: Envelope = { ...deviceEnvelope(), behavior: {} };
    t.match(judge(unused, { widgetMode: 'invisible' }), {
      status: 'pass',
      assuranceLevel: 'device_only',
      unifiedVerdict: { assuranceLevel: 'device_only' },
    });
    t.match(judge({ ...unused, device: {} }), { assuranceLevel: 'none', unifiedVerdict: { assuranceLevel: 'none' } });
    t.match(judge(biometricEnvelope()), {
      assuranceLevel: 'biometric',
      unifiedVerdict: { assuranceLevel: 'biometric' },
    });
    t.end();
  },
);

t.test('declining is a decision and still completes; a camera that failed is unverified_technical', (t) => {
  const declined = judge(deviceEnvelope({ consent: { biometric: false }, cameraFailureReason: null }));
  t.match(declined, { status: 'pass', verificationOutcome: 'declined_by_user', assuranceLevel: 'device_only' });
  t.match(judge(deviceEnvelope()), { verificationOutcome: 'unverified_technical' });
  t.match(judge(biometricEnvelope()), { verificationOutcome: 'completed' });
  t.match(judge(deviceEnvelope({ cameraFailureReason: null }), { widgetMode: 'invisible' }), {
    verificationOutcome: 'completed',
  });
  t.match(judge(deviceEnvelope({ cameraFailureReason: null }), { widgetMode: 'captcha' }), {
    verificationOutcome: 'completed',
  });
  t.end();
});

t.test('the standard flow owes a capture or a reason; captcha owes a press; invisible owes neither', (t) => {
  const silent = deviceEnvelope({ cameraFailureReason: null });
  t.match(judge(silent), { status: 'fail', failureCategory: 'liveness', scores: { liveness: null } });
  t.equal(judge(silent, { widgetMode: 'captcha' }).status, 'pass');
  const unused: Envelope = { ...silent, behavior: {} };
  t.equal(judge(unused, { widgetMode: 'captcha' }).failureCategory, 'fingerprint');
  t.equal(judge(unused, { widgetMode: 'invisible' }).status, 'pass');
  t.end();
});

t.test('nothing of the camera counts without consent, nor where the invisible mode does not escalate', (t) => {
  const verdict = judge(biometricEnvelope(undefined, { consent: null, cameraFailureReason: 'NotAllowedError' }));
  t.match(verdict, {
    assuranceLevel: 'device_only',
    demographics: null,
    glassesDetected: null,
    scores: { liveness: null, uniqueness: null },
  });
  t.same(verdict.risk.droppedSignals, ['consent_missing']);
  const invisible = judge(biometricEnvelope(), { widgetMode: 'invisible' });
  t.match(invisible, { assuranceLevel: 'device_only', risk: { droppedSignals: ['camera_not_asked'] } });
  const escalated = judge(biometricEnvelope(), { widgetMode: 'invisible', escalateOnSuspicion: true });
  t.match(escalated, { status: 'pass', assuranceLevel: 'biometric' });
  t.end();
});

t.test('frames without a face are no capture: device-only, no_face_capture, nothing compared', (t) => {
  const { frames, challenges } = captureHuman();
  const points = Buffer.alloc(Buffer.from(frames.points, 'base64').length).toString('base64');
  const verdict = judge(biometricEnvelope(undefined, { frames: { ...frames, points }, challenges }));
  t.match(verdict, {
    assuranceLevel: 'device_only',
    cameraFailureReason: 'no_face_capture',
    verificationOutcome: 'unverified_technical',
    scores: { liveness: null, uniqueness: null },
  });
  t.end();
});

t.test('demographics are null on device-only and as sent with a capture', (t) => {
  const { demographics } = biometricEnvelope();
  t.same(judge(biometricEnvelope()).demographics, demographics);
  t.equal(judge(deviceEnvelope({ demographics: demographics ?? null })).demographics, null);
  t.end();
});

t.test(
  'somebody else on the same device is a note, or a duplicate where the project says so, unless faces differ',
  (t) => {
    const seen = { method: 'exact', similarity: 1, matchedDeviceId: 'dev_1', matched: earlier } as const;
    const judgeDevice = (envelope: Envelope, over: object, facts: object = {}) =>
      judge(envelope, {
        verificationMode: 'score',
        uniqueness: {
          ...nothingCompared,
          device: { ...seen, isFaceless: false, isDecisive: false, ...over },
          ...facts,
        },
      });
    const noted = judgeDevice(deviceEnvelope(), {});
    t.match(noted, {
      status: 'pass',
      isDuplicate: false,
      duplicateMatch: null,
      fraudSignals: [{ type: 'device_seen', severity: 'low' }],
      duplication: { overall: 1, deviceMatch: 1, biometricMatch: null, matchMethod: 'exact', matchedDeviceId: 'dev_1' },
    });
    t.match(judgeDevice(deviceEnvelope(), { isDecisive: true }), {
      status: 'fail',
      failureCategory: 'duplicate',
      duplicateMatch: { fingerprintId: 'fp_1', similarity: 1 },
    });
    const withFace = judgeDevice(biometricEnvelope(), { isDecisive: true }, { biometric: freshComparison() });
    t.match(withFace, { status: 'pass', duplication: { matchMethod: 'exact', biometricMatch: 0 } });
    t.notOk(withFace.fraudSignals.some(({ type }) => type === 'device_seen'));
    const faceless = { isDecisive: true, isFaceless: true };
    t.match(judgeDevice(biometricEnvelope(), faceless, { biometric: freshComparison() }), {
      status: 'fail',
      failureCategory: 'duplicate',
    });
    t.equal(judgeDevice(deviceEnvelope(), { method: 'fuzzy', similarity: 0.8, isDecisive: true }).status, 'pass');
    t.end();
  },
);

t.test('the same respondent is a duplicate within the window and a returning participant after it', (t) => {
  const judgeIdentity = (identity: Partial<IdentityComparison>) =>
    judge(deviceEnvelope(), {
      uniqueness: { ...nothingCompared, identity: { match: null, returning: null, isClaimed: false, ...identity } },
    });
  const { fingerprintId, sessionId, respondentId } = earlier;
  t.match(judgeIdentity({ match: earlier }), {
    status: 'fail',
    failureCategory: 'duplicate',
    isDuplicate: true,
    duplicateMatch: { fingerprintId, sessionId, respondentId, similarity: 1 },
    priorParticipation: null,
  });
  t.match(judgeIdentity({ returning: earlier }), {
    status: 'pass',
    isDuplicate: true,
    duplicateMatch: null,
    priorParticipation: { fingerprintId, similarity: 1, lastSeenAt: Math.floor(earlier.completedAtMs / 1_000) },
  });
  t.match(judgeIdentity({ isClaimed: true }), {
    status: 'pass',
    isDuplicate: false,
    fraudSignals: [{ type: 'respondent_seen', severity: 'low' }],
  });
  t.end();
});

t.test('a browser that is driven fails without a camera, and an ordinary one on a VPN passes', (t) => {
  t.equal(judge(deviceEnvelope({ device: driven })).status, 'fail');
  const beh = humanBody().beh ?? {};
  t.equal(judge({ ...deviceEnvelope(), behavior: { ...beh, untrusted: 900, moves: 0, clicks: 2 } }).status, 'fail');
  const address = { family: 4, range: 'public', country: 'DE', asn: 1, network: 'hosting' } as const;
  const vpn = judge(deviceEnvelope(), { address });
  t.equal(vpn.status, 'pass');
  t.ok(
    vpn.fraudSignals.some(({ type }) => type === 'network_hosting'),
    'told, and without effect on the status',
  );
  t.end();
});

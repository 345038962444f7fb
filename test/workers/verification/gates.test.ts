/** The gates of a verdict: each threshold by itself, at its edge, and the presets that a dashboard writes. */
import t from 'tap';
import type { Envelope } from '../../../src/contract/envelope.js';
import { securityLevels } from '../../../src/contract/project-parts.js';
import { nothingCompared } from '../../../src/contract/uniqueness.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { captureHuman } from '../../helpers/captures.js';
import { biometricEnvelope, deviceEnvelope, factsOf, freshComparison } from '../../helpers/verdict-facts.js';

t.test('the presets are those of the contract', (t) => {
  t.same(Object.fromEntries(Object.entries(securityLevels).map(([level, gates]) => [level, Object.values(gates)])), {
    relaxed: [0.4, 0.7, 0.55, 0.45],
    balanced: [0.65, 0.85, 0.7, 0.6],
    strict: [0.75, 0.9, 0.8, 0.7],
    maximum: [0.85, 0.95, 0.9, 0.8],
  });
  t.same(Object.keys(securityLevels.balanced), ['liveness', 'uniqueness', 'authenticity', 'screenDetection']);
  t.end();
});

t.test('the gate of uniqueness passes a score from its own value on', (t) => {
  const match = {
    ...{ fingerprintId: 'fp_1', similarity: 0.62, sessionId: 's', respondentId: null },
    completedAtMs: factsOf(biometricEnvelope()).issuedAtMs - 86_400_000,
  };
  const facts = factsOf(biometricEnvelope(), {
    uniqueness: { ...nothingCompared, biometric: freshComparison({ match }) },
  });
  const judge = (uniqueness: number) =>
    judgeSession({ ...facts, thresholds: { ...facts.thresholds, uniqueness } }).verdict;
  const score = judge(0.85).scores.uniqueness ?? NaN;
  t.ok(score > 0 && score < 0.85, `${score}`);
  t.match(judge(score + 1e-9), { status: 'fail', failureCategory: 'duplicate', isDuplicate: true });
  t.equal(judge(score).status, 'pass', 'a score equal to its threshold passes');
  t.end();
});

/** Frames in which nobody was. */
function faceless(): Pick<Envelope, 'frames'> {
  const { frames } = captureHuman();
  return {
    frames: { ...frames, points: Buffer.alloc(Buffer.from(frames.points, 'base64').length).toString('base64') },
  };
}

t.test('where biometric assurance is demanded, nobody passes without a judged capture', (t) => {
  const demand = { minimumAssurance: 'biometric' } as const;
  const without = {
    declined_by_user: deviceEnvelope({ consent: { biometric: false, at: '2026-05-04T12:00:00Z' } }),
    unverified_technical: deviceEnvelope({ cameraFailureReason: 'NotReadableError' }),
  };
  for (const [verificationOutcome, envelope] of Object.entries(without)) {
    t.match(judgeSession(factsOf(envelope)).verdict, { status: 'pass', assuranceLevel: 'device_only' });
    const { verdict } = judgeSession(factsOf(envelope, demand));
    t.match(verdict, { status: 'fail', failureCategory: 'liveness', verificationOutcome, biometricEvidence: null });
    t.match(verdict.failureReasons[0], /camera check/, 'a reason for people');
  }
  const invisible = judgeSession(factsOf(deviceEnvelope(), { ...demand, widgetMode: 'invisible' })).verdict;
  t.match(invisible, { status: 'fail', failureCategory: 'liveness', verificationOutcome: 'completed' });
  const empty = judgeSession(factsOf(biometricEnvelope(captureHuman(), faceless()), demand)).verdict;
  t.match(empty, { status: 'fail', failureCategory: 'liveness', assuranceLevel: 'device_only' });
  const nobodyYet = { ...nothingCompared, biometric: freshComparison({ gallerySize: 0 }) };
  const first = judgeSession(factsOf(biometricEnvelope(), { ...demand, uniqueness: nobodyYet })).verdict;
  t.match(first, { status: 'pass', scores: { uniqueness: null }, biometricEvidence: 'claimed' });
  t.end();
});

t.test('frames of a camera that is a program fail, also where nobody is in them', (t) => {
  const camera = { label: 'OBS Virtual Camera', facing: null, width: 640, height: 480, frameRate: 30 };
  const { verdict } = judgeSession(factsOf(biometricEnvelope(captureHuman(), { ...faceless(), camera })));
  t.match(verdict, { status: 'fail', highFraudRisk: false });
  t.ok(verdict.fraudSignals.some(({ type }) => type === 'virtual_camera'));
  t.end();
});

import t from 'tap';
import type { ScoreModeConfig } from '../../../src/contract/project-parts.js';
import type { VerdictDispatch } from '../../../src/contract/verdict.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { captureHuman } from '../../helpers/captures.js';
import { biometricEnvelope, deviceEnvelope, factsOf } from '../../helpers/verdict-facts.js';

const person = factsOf(biometricEnvelope(captureHuman()), { verificationMode: 'score' });
const masked = factsOf(biometricEnvelope(captureHuman(), { camera: { label: 'OBS Virtual Camera' } }), {
  verificationMode: 'score',
});
const withoutCamera = factsOf(deviceEnvelope(), { verificationMode: 'score' });
const dispatch = (facts: typeof person, fences: ScoreModeConfig): VerdictDispatch =>
  judgeSession({ ...facts, fences }).dispatch;
const free = { status: 'scored', decision: 'allow', reason: null, failureCategory: null };

t.test('without fences a session is scored, whatever its verdict', (t) => {
  t.same(dispatch(person, {}), free);
  t.same(dispatch(masked, {}), { status: 'scored', decision: 'block', reason: null, failureCategory: 'authenticity' });
  t.end();
});

t.test('blockAboveRisk blocks at and above', (t) => {
  const { overall } = judgeSession(person).verdict.risk;
  t.match(dispatch(person, { blockAboveRisk: overall }), {
    status: 'score_blocked',
    decision: 'block',
    reason: 'blockAboveRisk',
    failureCategory: 'liveness',
  });
  t.same(dispatch(person, { blockAboveRisk: overall + 1e-9 }), free);
  t.match(dispatch({ ...person, riskAggregator: 'off' }, { blockAboveRisk: overall }), { status: 'score_blocked' });
  t.end();
});

t.test('blockBelowUniqueness blocks at and below, and never where uniqueness is null', (t) => {
  t.match(dispatch(person, { blockBelowUniqueness: 1 }), {
    status: 'score_blocked',
    reason: 'blockBelowUniqueness',
    failureCategory: 'duplicate',
  });
  t.same(dispatch(person, { blockBelowUniqueness: 0.99 }), free);
  t.same(dispatch(withoutCamera, { blockBelowUniqueness: 1 }), free);
  t.end();
});

t.test('blockOnFraudSignals blocks on the types named, and names which it was', (t) => {
  t.match(dispatch(masked, { blockOnFraudSignals: ['screen_detected', 'virtual_camera'] }), {
    status: 'score_blocked',
    reason: 'blockOnFraudSignals: virtual_camera',
    failureCategory: 'authenticity',
  });
  t.equal(dispatch(masked, { blockOnFraudSignals: ['screen_detected'] }).status, 'scored');
  t.end();
});

t.test('minEvidenceQuality blocks below', (t) => {
  const { quality } = judgeSession(withoutCamera).verdict.scores;
  t.same(dispatch(withoutCamera, { minEvidenceQuality: quality }), free);
  const poor = { ...withoutCamera, envelope: deviceEnvelope({ device: {} }) };
  t.match(dispatch(poor, { minEvidenceQuality: 0.9 }), {
    status: 'score_blocked',
    reason: 'minEvidenceQuality',
    failureCategory: 'fingerprint',
  });
  t.end();
});

t.test('block mode knows pass and fail only, with the first reason', (t) => {
  t.same(dispatch({ ...person, verificationMode: 'block' }, { blockAboveRisk: 0 }), { ...free, status: 'pass' });
  t.match(dispatch({ ...masked, verificationMode: 'block' }, {}), {
    status: 'fail',
    decision: 'block',
    reason: /camera/,
  });
  t.end();
});

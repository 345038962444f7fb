import t from 'tap';
import {
  Envelope,
  findEnvelopeIssues,
  judgeCameraUse,
  pointBytes,
  topologyPoints,
  type Topology,
} from '../../src/contract/envelope.js';
import { createAjv } from '../../src/kernel/validation.js';
import { envelopeBytesMax, frameCountMax } from '../../src/limits.js';

const validate = createAjv(false).compile<Envelope>(Envelope);
const least: Envelope = { v: 1, sdk: '1.0.0', sessionId: 'sess_0', nonce: 'nonce' };
const zeros = (bytes: number) => Buffer.alloc(bytes).toString('base64');

function framesOf(topology: Topology, count: number) {
  return {
    topology,
    model: 'any',
    width: 640,
    height: 480,
    atMs: Array.from({ length: count }, (_, index) => index * 33),
    points: zeros(count * topologyPoints[topology] * pointBytes),
  };
}

const demographics = {
  ageEstimate: 30,
  ageRange: { min: 25, max: 35 },
  gender: 'female',
  genderConfidence: 0.9,
} as const;

t.test('the least envelope is a version, the session and its nonce', (t) => {
  t.ok(validate(least));
  for (const name of ['v', 'sdk', 'sessionId', 'nonce']) t.notOk(validate({ ...least, [name]: undefined }), name);
  t.notOk(validate({ ...least, v: 2 }));
  t.end();
});

t.test('forged client scores are unknown fields: taken, and part of no group that is read', (t) => {
  t.ok(validate({ ...least, scores: { liveness: 1, overall: 1 }, status: 'pass', livenessScore: 1 }));
  for (const name of ['scores', 'status', 'livenessScore', 'confidence', 'risk'])
    t.notOk(name in Envelope.properties, name);
  t.end();
});

t.test('skinLuminance outside 0-1 is no valid envelope', (t) => {
  for (const skinLuminance of [0, 0.5, 1])
    t.ok(validate({ ...least, demographics: { ...demographics, skinLuminance } }));
  for (const skinLuminance of [-0.01, 1.01, 128, null, '0.5'])
    t.notOk(validate({ ...least, demographics: { ...demographics, skinLuminance } }), String(skinLuminance));
  t.end();
});

t.test('null may stand for every group that could not be measured', (t) => {
  for (const name of [
    'camera',
    'frames',
    'features',
    'embedding',
    'demographics',
    'glassesDetected',
    'consent',
    'cameraFailureReason',
    'locale',
  ])
    t.ok(validate({ ...least, [name]: null }), name);
  t.end();
});

t.test('landmarks are as long as their times and layout say, or the issue names the bytes expected', (t) => {
  for (const topology of Object.keys(topologyPoints) as Topology[]) {
    const frames = framesOf(topology, 3);
    t.ok(validate({ ...least, frames }));
    t.same(findEnvelopeIssues({ ...least, frames }), []);
    const short = { ...frames, atMs: [...frames.atMs, 99] };
    t.match(findEnvelopeIssues({ ...least, frames: short }), [
      { path: '/frames/points', message: /must hold \d+ bytes/ },
    ]);
  }
  const frames = { ...framesOf('face68', 2), hashes: ['0123456789abcdef'], faces: [1, 1, 1] };
  t.match(findEnvelopeIssues({ ...least, frames }), [{ path: '/frames/hashes' }, { path: '/frames/faces' }]);
  t.end();
});

t.test('an embedding is as long as its dimension, and challenges name frames that were sent', (t) => {
  const embedding = { model: 'any', dimension: 128, values: zeros(256) };
  t.ok(validate({ ...least, embedding }));
  t.same(findEnvelopeIssues({ ...least, embedding }), []);
  t.match(findEnvelopeIssues({ ...least, embedding: { ...embedding, dimension: 129 } }), [
    { path: '/embedding/values' },
  ]);
  for (const dimension of [63, 2_049, 1.5]) t.notOk(validate({ ...least, embedding: { ...embedding, dimension } }));
  const track = { id: 'c', startedAtMs: 0, endedAtMs: 1, firstFrame: 0, lastFrame: 2 };
  t.same(findEnvelopeIssues({ ...least, frames: framesOf('face68', 3), challenges: [track] }), []);
  for (const over of [{ lastFrame: 3 }, { firstFrame: 2, lastFrame: 1 }])
    t.match(findEnvelopeIssues({ ...least, frames: framesOf('face68', 3), challenges: [{ ...track, ...over }] }), [
      { path: '/challenges/0' },
    ]);
  t.end();
});

t.test('the largest capture that the schema takes fits the body limit', (t) => {
  const mesh = {
    ...least,
    frames: framesOf('mesh478', 200),
    embedding: { model: 'any', dimension: 2_048, values: zeros(4_096) },
  };
  t.ok(validate(mesh));
  t.ok(JSON.stringify(mesh).length < envelopeBytesMax);
  t.ok(validate({ ...least, frames: framesOf('face68', frameCountMax) }));
  t.notOk(validate({ ...least, frames: framesOf('face68', frameCountMax + 1) }));
  t.notOk(validate({ ...least, frames: framesOf('mesh478', 280) }), 'longer than the text may be');
  t.end();
});

t.test('nothing of the camera is used without consent, nor in an invisible project that does not escalate', (t) => {
  const captured = { ...least, frames: framesOf('face68', 2) };
  const consent = { biometric: true };
  const standard = { widgetMode: 'standard', escalateOnSuspicion: false } as const;
  t.equal(judgeCameraUse(least, standard), 'absent');
  t.equal(judgeCameraUse({ ...captured, frames: null }, standard), 'absent');
  t.equal(judgeCameraUse(captured, standard), 'consent_missing');
  t.equal(judgeCameraUse({ ...captured, consent: { biometric: false } }, standard), 'consent_missing');
  t.equal(judgeCameraUse({ ...captured, consent }, standard), 'usable');
  t.equal(judgeCameraUse({ ...captured, consent }, { ...standard, widgetMode: 'invisible' }), 'camera_not_asked');
  t.equal(judgeCameraUse({ ...captured, consent }, { widgetMode: 'invisible', escalateOnSuspicion: true }), 'usable');
  t.end();
});

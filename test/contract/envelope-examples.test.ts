import t from 'tap';
import { Envelope, findEnvelopeIssues } from '../../src/contract/envelope.js';
import {
  biometricExample,
  deviceOnlyExample,
  exampleCalls,
  exampleChallenges,
} from '../../src/contract/envelope-examples.js';
import { createAjv } from '../../src/kernel/validation.js';
import { judgeSession } from '../../workers/verification/verdict.js';
import { callsFor, challengesOf } from '../helpers/captures.js';
import { captureExample } from '../helpers/example-capture.js';
import { factsOf, type FactsOver } from '../helpers/verdict-facts.js';

const validate = createAjv(false).compile<Envelope>(Envelope);

/** A script's post: with a library’s header, the capture no sooner than it took. */
function postedFacts(
  example: object & { readonly timings?: { readonly totalMs: number } },
  over: FactsOver,
  afterMs = example.timings?.totalMs ?? 5,
) {
  const envelope: unknown = { ...example, sessionId: 'sess_0', nonce: 'nonce-0' };
  if (!validate(envelope)) throw new Error(JSON.stringify(validate.errors));
  const facts = factsOf(envelope, { mode: 'demo', challenges: challengesOf(...exampleChallenges), ...over });
  const transport = { userAgent: 'curl/8.5.0', acceptLanguage: null, hintPlatform: null, hintMobile: null };
  return { ...facts, transport, receivedAtMs: facts.issuedAtMs + afterMs };
}

t.test('both examples are envelopes, and short', (t) => {
  for (const example of [deviceOnlyExample, biometricExample]) {
    t.ok(validate(example), JSON.stringify(validate.errors));
    if (validate(example)) t.same(findEnvelopeIssues(example), []);
    t.ok(JSON.stringify(example).length < 10_000);
  }
  t.end();
});

t.test('the device-only example passes in every mode, posted by a script', (t) => {
  for (const widgetMode of ['standard', 'captcha', 'invisible'] as const)
    for (const verificationMode of ['block', 'score'] as const) {
      const { verdict } = judgeSession(postedFacts(deviceOnlyExample, { widgetMode, verificationMode }));
      t.match(verdict, { status: 'pass', assuranceLevel: 'device_only', scores: { liveness: null, uniqueness: null } });
    }
  t.end();
});

t.test('the biometric example passes, posted by a script after the time that it took, and not before', (t) => {
  const { verdict } = judgeSession(postedFacts(biometricExample, {}));
  t.match(verdict, { status: 'pass', assuranceLevel: 'biometric' }, JSON.stringify(verdict));
  t.match(judgeSession(postedFacts(biometricExample, {}, 5)).verdict, { status: 'fail', failureCategory: 'liveness' });
  t.end();
});

t.test('the biometric example passes where the project asks for no challenges', (t) => {
  const { verdict } = judgeSession(postedFacts(biometricExample, { challenges: [] }));
  t.match(verdict, { status: 'pass', assuranceLevel: 'biometric', risk: { droppedSignals: ['challenges_not_asked'] } });
  t.end();
});

t.test('neither example passes a live session, whatever of the rest is changed', (t) => {
  const device = { ...deviceOnlyExample.device, hw: { ...deviceOnlyExample.device.hw, cores: 4 } };
  const { points, ...frames } = biometricExample.frames;
  for (const changed of [
    deviceOnlyExample,
    { ...deviceOnlyExample, device },
    biometricExample,
    { ...biometricExample, behavior: { ...biometricExample.behavior, ms: 5 } },
    { ...biometricExample, behavior: undefined, frames: { ...frames, points, width: 320 } },
  ]) {
    const { verdict } = judgeSession(postedFacts(changed, { mode: 'live' }));
    t.match(verdict, { status: 'fail', failureCategory: /liveness|fraud_signal/ });
    t.ok(verdict.fraudSignals.some(({ type }) => type === 'published_example'));
  }
  t.end();
});

t.test('the biometric example passes no session that asks for something else', (t) => {
  for (const types of [
    ['turn_left', 'blink'],
    ['blink', 'turn_right'],
    ['nod', 'smile'],
  ] as const)
    t.equal(judgeSession(postedFacts(biometricExample, { challenges: challengesOf(...types) })).verdict.status, 'fail');
  t.end();
});

t.test('the example’s capture is what the head of test/helpers does', (t) => {
  const { frames, challenges } = captureExample(exampleChallenges);
  t.same(biometricExample.frames, frames);
  t.same(biometricExample.challenges, challenges);
  t.same(
    exampleCalls.map(({ body }) => body),
    callsFor(challengesOf(...exampleChallenges), { frames, challenges }, 0).map(
      ({ atMs: _at, reply: _reply, ...body }) => body,
    ),
  );
  t.same(
    exampleCalls.map(({ afterMs }) => afterMs),
    [0, ...challenges.slice(0, -1).map(({ endedAtMs }) => endedAtMs), biometricExample.timings.totalMs],
  );
  t.end();
});

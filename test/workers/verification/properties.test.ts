import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import { Envelope, type EnvelopeFrames } from '../../../src/contract/envelope.js';
import { Verdict, type VerdictFacts, type VerdictOutcome } from '../../../src/contract/verdict.js';
import { createAjv } from '../../../src/kernel/validation.js';
import { nothingCompared } from '../../../src/contract/uniqueness.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { challengesOf, captureHuman, embeddingOf } from '../../helpers/captures.js';
import { anyBody } from '../../helpers/any-facts.js';
import {
  biometricEnvelope,
  deviceEnvelope,
  factsOf,
  freshComparison,
  notReplayed,
} from '../../helpers/verdict-facts.js';

const ajv = createAjv(false);
const isVerdict = ajv.compile(Verdict);
const isEnvelope = ajv.compile(Envelope);
const maybe = <T>(each: fc.Arbitrary<T>) => fc.option(each, { nil: null });
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** Landmarks that no face makes: all zero, all extreme, noise, one frame; times that go back, stand still, jump. */
const hostileFrames: fc.Arbitrary<EnvelopeFrames> = fc
  .record({
    count: fc.constantFrom(1, 2, 3, 9, 40),
    fill: fc.constantFrom('zero', 'huge', 'least', 'noise', 'line', 'human'),
    times: fc.constantFrom('even', 'same', 'back', 'jump', 'huge'),
    cut: fc.boolean(),
    seed: fc.nat(),
  })
  .map(({ count, fill, times, cut, seed }) => {
    const bytes = Buffer.alloc(count * 23 * 4);
    for (let at = 0; at < bytes.length; at += 2) bytes.writeInt16LE(valueOf(fill, at, seed), at);
    const time = {
      even: (i: number) => i * 33,
      same: () => 5,
      back: (i: number) => 9_000 - i * 33,
      jump: (i: number) => i * i * 997,
      huge: (i: number) => 3_599_000 + i,
    };
    const human = captureHuman({ topology: 'key23', seed });
    const points = fill === 'human' ? Buffer.from(human.frames.points, 'base64').subarray(0, bytes.length) : bytes;
    return {
      topology: 'key23',
      model: 'any',
      width: 640,
      height: 480,
      atMs: Array.from({ length: count }, (_, index) => Math.min(3_600_000, time[times](index))),
      points: points.subarray(0, cut ? points.length - 9 : points.length).toString('base64'),
    };
  });

function valueOf(fill: string, at: number, seed: number): number {
  if (fill === 'huge') return 32_767;
  if (fill === 'least') return -32_768;
  if (fill === 'line') return at % 4 === 0 ? at : 0;
  return fill === 'noise' ? (Math.imul(at + 1, 2_654_435_761 ^ seed) >>> 16) - 32_768 : 0;
}

const anyEnvelope: fc.Arbitrary<Envelope> = fc
  .record({
    body: anyBody,
    frames: maybe(hostileFrames),
    consent: fc.constantFrom(null, { biometric: true }, { biometric: false }),
    label: fc.constantFrom(null, '', 'OBS Virtual Camera', 'HD Webcam'),
    features: maybe(
      fc.record({
        moire: maybe(share),
        deepfake: maybe(share),
        brightness: maybe(share),
        noise: maybe(share),
      }),
    ),
    embedding: maybe(fc.constant(embeddingOf(1))),
    reason: maybe(fc.constantFrom('NotFoundError', 'no_face_capture')),
    tracks: fc.array(
      fc.record({
        id: fc.constantFrom('challenge-1', 'challenge-2', 'x'),
        startedAtMs: fc.nat(9_000),
        endedAtMs: fc.nat(9_000),
        firstFrame: fc.nat(50),
        lastFrame: fc.nat(50),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ body, frames, consent, label, features, embedding, reason, tracks }) => {
    const { beh, auto, lies, ua, hw, scr, loc, gfx } = body;
    const device = Object.fromEntries(
      Object.entries({ auto, lies, ua, hw, scr, loc, gfx }).filter(([, group]) => group !== undefined),
    ) as NonNullable<Envelope['device']>;
    return {
      ...deviceEnvelope({
        device,
        consent,
        camera: { label },
        frames,
        features,
        embedding,
        challenges: tracks,
        cameraFailureReason: reason,
      }),
      behavior: beh ?? {},
    };
  });

const anyFacts: fc.Arbitrary<VerdictFacts> = fc
  .record({
    envelope: anyEnvelope,
    challenges: fc.constantFrom(challengesOf(), challengesOf('blink'), challengesOf('nod', 'smile', 'turn_right')),
    widgetMode: fc.constantFrom('invisible' as const, 'captcha' as const, 'standard' as const),
    escalateOnSuspicion: fc.boolean(),
    verificationMode: fc.constantFrom('block' as const, 'score' as const),
    riskAggregator: fc.constantFrom('off' as const, 'shadow' as const, 'on' as const),
    nonce: fc.constantFrom('nonce-0', 'other'),
    waitedMs: fc.constantFrom(-5_000, 0, 60_000),
    similarity: maybe(fc.double({ min: -1, max: 1, noNaN: true })),
    gallerySize: fc.constantFrom(0, 1, 1e6),
    compared: fc.boolean(),
    replay: maybe(
      fc.record({
        embeddingSeen: fc.boolean(),
        frameMarksSeen: fc.nat(8),
        frameMarks: fc.constant(8),
        motionMarksSeen: fc.nat(64),
        motionMarks: fc.constant(64),
      }),
    ),
  })
  .map(({ envelope, waitedMs, similarity, gallerySize, compared, ...over }) => {
    const base = factsOf(envelope, over);
    const match =
      similarity === null
        ? null
        : { fingerprintId: 'fp', similarity, sessionId: null, respondentId: null, completedAtMs: 0 };
    return {
      ...base,
      receivedAtMs: base.issuedAtMs + waitedMs,
      uniqueness: { ...nothingCompared, biometric: compared ? freshComparison({ gallerySize, match }) : null },
    };
  });

const numbersOf = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(numbersOf) : [];
};

t.test('any facts give a verdict of the contract, with every score in 0-1 or null and no NaN anywhere', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const outcome = judgeSession(facts);
      assert.ok(
        isVerdict(outcome.verdict),
        JSON.stringify(isVerdict.errors?.map(({ instancePath, message }) => [instancePath, message])),
      );
      for (const value of numbersOf(outcome)) assert.ok(Number.isFinite(value));
      holdNullRules(facts, outcome);
    }),
    { numRuns: 500 },
  );
  t.end();
});

function holdNullRules({ envelope, verificationMode }: VerdictFacts, { verdict, dispatch }: VerdictOutcome): void {
  const { scores, status } = verdict;
  assert.equal(scores.liveness === null, verdict.assuranceLevel !== 'biometric');
  if (verdict.assuranceLevel !== 'biometric') {
    assert.equal(scores.uniqueness, null);
    assert.equal(verdict.highFraudRisk, false);
    assert.equal(verdict.demographics, null);
  }
  if (envelope.frames == null) assert.notEqual(verdict.assuranceLevel, 'biometric');
  assert.equal(status === 'pass', verdict.failureCategory === null);
  assert.equal(status === 'pass', verdict.failureReasons.length === 0);
  assert.equal(verdict.duplicateMatch !== null, verdict.failureCategory === 'duplicate');
  if (status !== 'pass' || dispatch.decision === 'block') assert.notEqual(dispatch.failureCategory, null);
  if (verificationMode === 'block') assert.notEqual(status, 'review');
  assert.equal(verificationMode === 'block', dispatch.status === 'pass' || dispatch.status === 'fail');
}

t.test('the same facts give the same verdict, and judging leaves them as they are', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const before = JSON.stringify(facts);
      assert.deepEqual(judgeSession(facts), judgeSession(facts));
      assert.equal(JSON.stringify(facts), before);
    }),
    { numRuns: 60 },
  );
  t.end();
});

const rank = { fail: 0, review: 1, pass: 2 } as const;

/** Each makes a session more suspicious and changes nothing else; a device that told nothing of itself would gain by being measured. */
const worsenings: readonly ((facts: VerdictFacts) => VerdictFacts)[] = [
  (facts) => ({ ...facts, nonce: 'of another session' }),
  (facts) => ({ ...facts, replay: { ...notReplayed, embeddingSeen: true, frameMarksSeen: 8 } }),
  (facts) => ({ ...facts, receivedAtMs: facts.issuedAtMs - 1_000_000 }),
  (facts) => ({ ...facts, envelope: { ...facts.envelope, camera: { label: 'OBS Virtual Camera' } } }),
  (facts) => ({
    ...facts,
    envelope: { ...facts.envelope, features: { ...facts.envelope.features, moire: 1, deepfake: 1 } },
  }),
  (facts) => {
    const { device } = facts.envelope;
    if (typeof device?.auto?.webdriver !== 'boolean') return facts;
    const auto = { webdriver: true, globals: ['cdc_x'], debugStack: true, debugGetter: true };
    return { ...facts, envelope: { ...facts.envelope, device: { ...device, auto } } };
  },
];

t.test('more fraud never turns a fail into a pass, and never raises a score', (t) => {
  const people = [1, 2, 3].map((seed) => factsOf(biometricEnvelope(captureHuman({ seed, topology: 'key23' }))));
  const start = fc.oneof(anyFacts, fc.constantFrom(...people, factsOf(deviceEnvelope())));
  fc.assert(
    fc.property(start, fc.constantFrom(...worsenings), (facts, worsen) => {
      const before = judgeSession(facts).verdict;
      const after = judgeSession(worsen(facts)).verdict;
      assert.ok(rank[after.status] <= rank[before.status], `${before.status} to ${after.status}`);
      assert.ok(after.scores.fraud >= before.scores.fraud - 1e-12);
      assert.ok(after.scores.authenticity <= before.scores.authenticity + 1e-12);
      assert.ok((after.scores.liveness ?? 0) <= (before.scores.liveness ?? 1) + 1e-12);
      assert.ok(after.risk.overall >= before.risk.overall - 1e-12);
    }),
    { numRuns: 400 },
  );
  t.end();
});

t.test('the more alike a face, the lower uniqueness and the worse the status', (t) => {
  const envelope = biometricEnvelope(captureHuman({ topology: 'key23' }));
  const at = (similarity: number) =>
    judgeSession(
      factsOf(envelope, {
        uniqueness: {
          ...nothingCompared,
          biometric: freshComparison({
            match: { fingerprintId: 'fp', similarity, sessionId: null, respondentId: null, completedAtMs: 0 },
          }),
        },
      }),
    ).verdict;
  let last = at(-1);
  for (let similarity = -0.9; similarity <= 1; similarity += 0.1) {
    const next = at(similarity);
    t.ok((next.scores.uniqueness ?? NaN) <= (last.scores.uniqueness ?? NaN) && rank[next.status] <= rank[last.status]);
    last = next;
  }
  t.equal(last.failureCategory, 'duplicate');
  t.end();
});

t.test('the captures of the helpers are envelopes that the schema takes', (t) => {
  t.ok(isEnvelope(biometricEnvelope()), JSON.stringify(isEnvelope.errors));
  t.ok(isEnvelope(deviceEnvelope()), JSON.stringify(isEnvelope.errors));
  for (const topology of ['key23', 'face68', 'mesh468', 'mesh478'] as const) {
    const envelope = biometricEnvelope(captureHuman({ topology }));
    t.ok(isEnvelope(envelope));
    t.equal(judgeSession(factsOf(envelope)).verdict.status, 'pass', topology);
  }
  t.end();
});

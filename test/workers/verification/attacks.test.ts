import t from 'tap';
import type { Envelope } from '../../../src/contract/envelope.js';
import type { ChallengeType, Verdict } from '../../../src/contract/verdict.js';
import { verdictTables } from '../../../workers/verification/tables.js';
import { virtualCameraNames } from '../../../workers/verification/screen.js';
import { judgeSession } from '../../../workers/verification/verdict.js';
import { captureHuman, capturePhoto, challengesOf, rearrange, type CaptureOptions } from '../../helpers/captures.js';
import { scoredAtMs } from '../../helpers/facts.js';
import { webcam } from '../../helpers/head.js';
import { biometricEnvelope, capturedFacts, factsOf, notReplayed, type FactsOver } from '../../helpers/verdict-facts.js';

const { motionMarksMin } = verdictTables.session;

const judge = (envelope: Envelope, over: FactsOver = {}): Verdict => judgeSession(factsOf(envelope, over)).verdict;
const types = (verdict: Verdict): string[] => verdict.fraudSignals.map(({ type }) => type);
const sets: readonly (readonly ChallengeType[])[] = [
  ['blink', 'turn_left'],
  ['turn_right', 'blink'],
  ['nod', 'blink', 'turn_left'],
  ['turn_left', 'smile', 'turn_right'],
  ['smile', 'nod'],
];

/** Both levels of noise, three speeds of cameras. */
const settings: readonly Partial<CaptureOptions>[] = [0.1, 0.35, 0.7].flatMap((noise) =>
  [8, 15, 30].map((framesPerSecond) => ({ framesPerSecond, camera: { ...webcam, noise } })),
);

t.test('a person who does what is asked passes, on fast and slow, good and bad cameras', (t) => {
  let seed = 0;
  for (const set of sets) {
    for (const setting of settings) {
      const challenges = challengesOf(...set);
      seed += 1;
      const verdict = judgeSession(
        capturedFacts(captureHuman({ ...setting, challenges, seed }), { challenges }),
      ).verdict;
      t.same(
        [verdict.status, verdict.assuranceLevel, types(verdict)],
        ['pass', 'biometric', []],
        `${set.join()} ${seed}`,
      );
    }
  }
  t.end();
});

t.test('a head that does the same movements in turn, whatever is asked, fails; one other movement does not', (t) => {
  const judgeDoing = (performed: readonly ChallengeType[], set: readonly ChallengeType[], seed: number): Verdict => {
    const challenges = challengesOf(...set);
    const over = { challenges, seed, shownMs: 6_000, performed: set.map(() => performed) };
    return judgeSession(capturedFacts(captureHuman(over), { challenges })).verdict;
  };
  const programs: readonly (readonly ChallengeType[])[] = [
    ['blink', 'nod', 'smile', 'turn_left'],
    ['blink', 'nod', 'smile', 'turn_left', 'turn_right'],
    ['turn_right', 'smile', 'blink', 'nod'],
  ];
  for (const program of programs)
    for (const [index, set] of sets.entries()) {
      const verdict = judgeDoing(program, set, index + 1);
      t.same([verdict.status, verdict.failureCategory], ['fail', 'liveness'], `${program.join()} for ${set.join()}`);
    }
  for (const other of ['smile', 'nod', 'turn_left'] as const) {
    const challenges = challengesOf('blink', 'turn_right', 'blink');
    const performed = ['blink', 'turn_right', ['blink', other]] as const;
    const capture = captureHuman({ challenges, performed, shownMs: 3_000, seed: 7 });
    t.equal(judgeSession(capturedFacts(capture, { challenges })).verdict.status, 'pass', other);
  }
  t.end();
});

t.test('a photograph that is waved fails as flat, even where it moves its eyes and mouth as asked', (t) => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const verdict = judge(biometricEnvelope(capturePhoto({ seed })));
    t.equal(verdict.status, 'fail');
    t.ok(types(verdict).includes('flat_face'), types(verdict).join());
    t.ok((verdict.scores.liveness ?? 1) <= 0.25);
  }
  const still = judge(biometricEnvelope(capturePhoto({ performed: [], challenges: [] })));
  t.equal(still.failureCategory, 'liveness');
  t.end();
});

t.test('a picture that stands still fails, whatever its features say', (t) => {
  const capture = captureHuman();
  const frames = rearrange(capture.frames, () => 0);
  const features = { moire: 0, screenEdges: 0, flicker: 0 };
  const verdict = judge(biometricEnvelope({ ...capture, frames }, { features }));
  t.equal(verdict.failureCategory, 'liveness');
  t.ok(types(verdict).includes('frozen_frames'));
  const hashes = capture.frames.atMs.map(() => '00000000ffffffff');
  t.ok(
    types(judge(biometricEnvelope({ ...capture, frames: { ...capture.frames, hashes } }))).includes('frozen_frames'),
  );
  t.end();
});

t.test('a clip that runs in a circle fails, by its landmarks or by the hashes of its frames', (t) => {
  for (const length of [12, 20, 24]) {
    const capture = captureHuman({ challenges: challengesOf('blink', 'turn_left', 'nod'), seed: length });
    const frames = rearrange(capture.frames, (frame) => frame % length);
    const verdict = judge(biometricEnvelope({ ...capture, frames }), {
      challenges: challengesOf('blink', 'turn_left', 'nod'),
    });
    t.equal(verdict.failureCategory, 'liveness', `${length}`);
    t.ok(types(verdict).includes('looped_frames'), `${length}: ${types(verdict).join()}`);
  }
  const capture = captureHuman();
  const hashes = capture.frames.atMs.map((_, frame) => (frame % 15).toString(16).padStart(8, '0'));
  t.ok(
    types(judge(biometricEnvelope({ ...capture, frames: { ...capture.frames, hashes } }))).includes('looped_frames'),
  );
  t.end();
});

t.test('challenges answered in another order than issued fail, as tracks and as movements', (t) => {
  const capture = captureHuman();
  const swapped = judge(biometricEnvelope({ ...capture, challenges: [...capture.challenges].reverse() }));
  t.equal(swapped.failureCategory, 'liveness');
  t.ok(types(swapped).includes('challenge_out_of_order'));
  const relabelled = judge(biometricEnvelope(captureHuman({ performed: ['turn_left', 'blink'] })));
  t.equal(relabelled.failureCategory, 'liveness');
  t.end();
});

t.test('a turn to the other side, or no answer at all, fails', (t) => {
  for (const performed of [
    ['blink', 'turn_right'],
    ['blink', 'smile'],
    ['blink', 'nod'],
    ['turn_left', 'turn_left'],
  ] as const) {
    const verdict = judge(biometricEnvelope(captureHuman({ performed })));
    t.equal(verdict.failureCategory, 'liveness', performed.join());
  }
  const idle = captureHuman({ challenges: [] });
  const tracks = captureHuman().challenges.map((track) => ({
    ...track,
    lastFrame: Math.min(track.lastFrame, 5),
    firstFrame: 0,
  }));
  t.equal(judge(biometricEnvelope({ ...idle, challenges: tracks })).failureCategory, 'liveness');
  t.equal(judge(biometricEnvelope({ ...idle, challenges: [] })).failureCategory, 'liveness');
  t.end();
});

t.test('one missing answer fails a session of two, three or four challenges', (t) => {
  const all = ['blink', 'turn_left', 'nod', 'smile'] as const;
  for (const count of [2, 3, 4]) {
    const challenges = challengesOf(...all.slice(0, count));
    const capture = captureHuman({ challenges, framesPerSecond: 20 });
    t.equal(judgeSession(capturedFacts(capture, { challenges })).verdict.status, 'pass');
    const tracks = capture.challenges.map((track, index) => (index === 0 ? { ...track, id: 'challenge-x' } : track));
    const verdict = judgeSession(capturedFacts({ ...capture, challenges: tracks }, { challenges })).verdict;
    t.equal(verdict.failureCategory, 'liveness', `${count}`);
  }
  t.end();
});

t.test('an envelope made for another session fails', (t) => {
  const verdict = judge(biometricEnvelope(), { nonce: 'another' });
  t.equal(verdict.status, 'fail');
  t.equal(types(verdict)[0], 'session_mismatch');
  t.equal(judge(biometricEnvelope(), { sessionId: 'sess_1' }).status, 'fail');
  t.end();
});

t.test('a slow device does not pay: at five frames a second a person passes, and too few frames are no fraud', (t) => {
  const sets = [
    ['turn_left', 'nod'],
    ['smile', 'turn_right', 'nod'],
  ] as const;
  for (const set of sets)
    for (const seed of [1, 2, 3, 4, 5]) {
      const challenges = challengesOf(...set);
      const capture = captureHuman({ challenges, seed, framesPerSecond: 5, leadMs: 1_000 });
      t.equal(judgeSession(capturedFacts(capture, { challenges })).verdict.status, 'pass', `${set.join()} ${seed}`);
    }
  const features = { deepfake: 0.9 };
  const slow = judge(biometricEnvelope(captureHuman({ framesPerSecond: 1.5, shownMs: 4_000 }), { features }));
  t.match(slow, { status: 'fail', failureCategory: 'liveness', verificationOutcome: 'unverified_technical' });
  t.match(slow.failureReasons[0], /^The camera sent too few frames/);
  t.same(types(slow), [], 'no signal of fraud');
  t.end();
});

t.test('tracks, or an embedding, that another session sent before fail', (t) => {
  const tracks = judge(biometricEnvelope(), { replay: { ...notReplayed, frameMarksSeen: 5 } });
  t.equal(tracks.status, 'fail');
  t.ok(types(tracks).includes('capture_replayed'));
  const nudged = judge(biometricEnvelope(), { replay: { ...notReplayed, motionMarksSeen: motionMarksMin } });
  t.equal(nudged.status, 'fail');
  t.ok(types(nudged).includes('capture_replayed'));
  t.equal(
    judge(biometricEnvelope(), { replay: { ...notReplayed, motionMarksSeen: motionMarksMin - 1 } }).status,
    'pass',
    'chance',
  );
  const face = judge(biometricEnvelope(), { replay: { ...notReplayed, embeddingSeen: true } });
  t.equal(face.status, 'fail');
  t.ok(types(face).includes('embedding_replayed'));
  t.end();
});

t.test(
  'someone else’s timing fails: more time than passed, tracks beside their frames, answers before the question',
  (t) => {
    const capture = captureHuman({ challenges: challengesOf('blink', 'turn_left', 'nod') });
    const early = judge(biometricEnvelope(capture), {
      challenges: challengesOf('blink', 'turn_left', 'nod'),
      receivedAtMs: scoredAtMs + 1_000,
    });
    t.ok(types(early).includes('capture_time_impossible'));
    t.equal(early.status, 'fail');
    const shifted = captureHuman();
    const beside = judge(
      biometricEnvelope({
        ...shifted,
        challenges: shifted.challenges.map((track) => ({
          ...track,
          startedAtMs: track.startedAtMs + 3_000,
          endedAtMs: track.endedAtMs + 3_000,
        })),
      }),
    );
    t.ok(types(beside).includes('challenge_contradictory'));
    t.equal(beside.status, 'fail');
    const hasty = judge(biometricEnvelope(captureHuman({ reactionMs: 5, framesPerSecond: 30 })));
    t.ok(types(hasty).includes('challenge_premature'), types(hasty).join());
    t.equal(hasty.failureCategory, 'liveness');
    const late = judge(biometricEnvelope(), {
      challenges: challengesOf('blink', 'turn_left').map((each) => ({ ...each, timeoutMs: 1_000 })),
    });
    t.equal(late.failureCategory, 'liveness');
    t.end();
  },
);

t.test('a computed face without noise fails; noise added point by point is told', (t) => {
  const computed = judge(biometricEnvelope(captureHuman({ camera: { ...webcam, noise: 0 }, framesPerSecond: 30 })));
  t.equal(computed.status, 'fail');
  t.ok(types(computed).includes('noise_absent'), types(computed).join());
  const white = judge(
    biometricEnvelope(captureHuman({ camera: { ...webcam, whiteNoise: true }, framesPerSecond: 30 })),
  );
  t.ok(types(white).includes('noise_artificial'), types(white).join());
  t.end();
});

t.test('a virtual camera fails by its label, in whatever case and surroundings', (t) => {
  for (const name of virtualCameraNames) {
    const verdict = judge(biometricEnvelope(undefined, { camera: { label: `My ${name.toUpperCase()} (1234)` } }));
    t.same([verdict.failureCategory, types(verdict)], ['authenticity', ['virtual_camera']], name);
  }
  for (const label of [
    'FaceTime HD Camera',
    'Integrated Camera (04f2:b6d9)',
    'camera2 1, facing front',
    'Logitech BRIO',
    '',
  ])
    t.equal(judge(biometricEnvelope(undefined, { camera: { label } })).status, 'pass', label);
  t.end();
});

t.test('a screen before the camera fails as the project’s threshold has it', (t) => {
  const features = { moire: 0.75, screenEdges: 0.6, flicker: 0.5, noise: 0.01 };
  const verdict = judge(biometricEnvelope(undefined, { features }));
  t.equal(verdict.failureCategory, 'authenticity');
  t.ok(types(verdict).includes('screen_detected'));
  const { thresholds } = factsOf(biometricEnvelope());
  const faint = { ...features, moire: 0.5, screenEdges: 0.4, flicker: 0 };
  t.equal(judge(biometricEnvelope(undefined, { features: faint })).status, 'pass');
  const strict = { ...thresholds, screenDetection: 0.8 };
  t.equal(
    judge(biometricEnvelope(undefined, { features: faint }), { thresholds: strict }).failureCategory,
    'authenticity',
  );
  t.end();
});

t.test('a still picture does not pass without answers', (t) => {
  const steady = captureHuman({ challenges: [], camera: { ...webcam, flat: true } });
  t.equal(judge(biometricEnvelope(steady)).failureCategory, 'liveness');
  t.equal(judge(biometricEnvelope(steady), { challenges: [] }).failureCategory, 'liveness');
  t.end();
});

t.test('forged client scores change nothing', (t) => {
  const idle = biometricEnvelope(captureHuman({ challenges: [] }));
  const forged = {
    ...idle,
    status: 'pass',
    scores: { liveness: 1, uniqueness: 1, authenticity: 1, overall: 1 },
    livenessScore: 1,
  };
  t.same(judge(forged), judge(idle));
  t.equal(judge(forged).status, 'fail');
  t.end();
});

t.test('leaving the face’s vector out, so that nobody can be compared with, does not pass', (t) => {
  const verdict = judge(biometricEnvelope(undefined, { embedding: null }));
  t.same([verdict.status, verdict.scores.uniqueness, types(verdict)], ['fail', null, ['face_withheld']]);
  t.end();
});

/** Frames that a session has to show: each answer at its furthest and on its way, the rest before, and others that are unpredictable. */
import t from 'tap';
import type { ChallengeCall } from '../../../src/contract/session.js';
import type { ChallengeType } from '../../../src/contract/verdict.js';
import { chooseEvidenceFrames } from '../../../src/verification/sessions/evidence-frames.js';
import { createRandom } from '../../../workers/seeded-random.js';

const random = createRandom(3);
const dice = { integer: (below: number) => Math.floor(random() * below) };

/** Ten frames a second; each part lasts 3 s. */
const callOf = (type: ChallengeType, index: number): ChallengeCall => ({
  index,
  commitment: null,
  frameCount: 10 + index * 30,
  peakFrame: index === 0 ? null : 10 + index * 30 - 18,
  atMs: 1_000 + index * 3_000,
  reply: { index, id: `c${index}`, type, timeoutMs: 8_000, startAfterMs: 300 },
});
const calls = [callOf('turn_left', 0), callOf('blink', 1), callOf('nod', 2)];
const end = { atMs: 10_000, frameCount: 100, peakFrame: 82 };
const among = (chosen: readonly number[], from: number, to: number): number =>
  chosen.filter((index) => index >= from && index < to).length;

t.test('three frames of each answer, one of the rest and others, twelve in all, ascending and each once', async (t) => {
  for (let round = 0; round < 200; round += 1) {
    const chosen = chooseEvidenceFrames(calls, end, dice);
    t.equal(chosen.length, 12);
    t.same(
      chosen,
      [...new Set(chosen)].sort((a, b) => a - b),
    );
    t.ok(chosen.every((index) => index >= 0 && index < end.frameCount));
    t.ok(among(chosen, 0, 10) > 0, 'rest');
    for (const [peak, way] of [
      [22, 6],
      [52, 2],
      [82, 6],
    ] as const) {
      t.ok(chosen.includes(peak));
      t.ok(among(chosen, peak - way, peak) > 0 && among(chosen, peak + 1, peak + way + 1) > 0, chosen.join());
    }
  }
});

t.test('every frame may be asked for', async (t) => {
  const seen = new Set<number>();
  for (let round = 0; round < 400; round += 1)
    for (const index of chooseEvidenceFrames(calls, end, dice)) seen.add(index);
  t.equal(seen.size, end.frameCount);
});

t.test(
  'without challenges any twelve; of fewer frames all; of parts without time or frames nothing special',
  async (t) => {
    t.equal(chooseEvidenceFrames([], end, dice).length, 12);
    t.same(chooseEvidenceFrames([], { ...end, frameCount: 5 }, dice), [0, 1, 2, 3, 4]);
    t.same(
      chooseEvidenceFrames(calls.slice(0, 1), { atMs: 1_000, frameCount: 10 }, dice),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    t.same(chooseEvidenceFrames([], { ...end, frameCount: 0 }, dice), []);
  },
);

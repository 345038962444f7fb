import t from 'tap';
import { frameMarksMax, markCapture, motionMarksMax } from '../../../workers/verification/marks.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { verdictTables } from '../../../workers/verification/tables.js';
import { captureHuman, challengesOf, embeddingOf, rearrange, type Capture } from '../../helpers/captures.js';
import { biometricEnvelope, deviceEnvelope } from '../../helpers/verdict-facts.js';

const { motionMarksMin } = verdictTables.session;
const capture = captureHuman();
const marks = markCapture(biometricEnvelope(capture));
const shared = (other: { readonly frames: readonly string[] }): number =>
  other.frames.filter((mark) => marks.frames.includes(mark)).length;

t.test('a capture has marks, and one without a camera has none', (t) => {
  t.equal(marks.frames.length, frameMarksMax);
  t.match(marks.embedding, /^[0-9a-f]{16}$/);
  t.same(markCapture(deviceEnvelope()), { embedding: null, frames: [], motion: [] });
  t.end();
});

t.test('another person’s capture shares no mark', (t) => {
  const other = markCapture(biometricEnvelope(captureHuman({ seed: 2 }), { embedding: embeddingOf(2) }));
  t.equal(shared(other), 0);
  t.not(other.embedding, marks.embedding);
  t.end();
});

t.test('a copy keeps most of its marks when it is turned round, or when one frame in five is another’s', (t) => {
  const last = capture.frames.atMs.length - 1;
  const reversed = { ...capture, frames: rearrange(capture.frames, (frame) => last - frame) };
  t.equal(shared(markCapture(biometricEnvelope(reversed))), frameMarksMax);
  const bytes = Buffer.from(capture.frames.points, 'base64');
  const stride = bytes.length / (last + 1);
  for (let frame = 0; frame <= last; frame += 5) bytes.fill(frame, frame * stride, (frame + 1) * stride);
  const altered = { ...capture, frames: { ...capture.frames, points: bytes.toString('base64') } };
  t.ok(shared(markCapture(biometricEnvelope(altered))) >= frameMarksMax / 2);
  t.end();
});

const motionOf = (other: Capture): readonly string[] => markCapture(biometricEnvelope(other)).motion;
const countShared = (one: readonly string[], other: readonly string[]): number =>
  one.filter((mark) => other.includes(mark)).length;

const enlarge = (one: Capture): Capture => change(one, (_, value) => Math.round(value * 0.08));

/** Changes every coordinate of every frame. */
function change(other: Capture, by: (index: number, value: number) => number): Capture {
  const bytes = Buffer.from(other.frames.points, 'base64');
  for (let at = 0; at < bytes.length; at += 2) {
    const value = bytes.readInt16LE(at);
    bytes.writeInt16LE(value + by(at / 2, value), at);
  }
  return { ...other, frames: { ...other.frames, points: bytes.toString('base64') } };
}

t.test('marks of motion outlast nudges, and captures of the same head at the same challenges hardly share one', (t) => {
  const random = createRandom(3);
  const people = Array.from({ length: 60 }, (_, index) =>
    captureHuman({ seed: index + 1, challenges: challengesOf('turn_left', 'blink', 'nod') }),
  );
  const own = people.map(motionOf);
  const chance = own.flatMap((one, index) => own.slice(0, index).map((other) => countShared(one, other)));
  t.ok(Math.max(...chance) < motionMarksMin, `at most ${Math.max(...chance)} by chance`);
  const nudges: Readonly<Record<string, (index: number) => number>> = {
    'one coordinate of each frame': (index) => Number(index % 137 === 0),
    'every coordinate, by one either way': () => (random() < 0.5 ? -1 : 1),
    'every coordinate, by up to half a pixel': () => Math.round(random() * 8 - 4),
    'the whole picture moved': () => 40,
  };
  for (const [name, by] of Object.entries(nudges)) {
    const least = Math.min(...people.map((one, index) => countShared(own[index] ?? [], motionOf(change(one, by)))));
    t.ok(least >= 2 * motionMarksMin, `${name}: at least ${least} of ${motionMarksMax}`);
  }
  const enlarged = people.map((one, index) => countShared(own[index] ?? [], motionOf(enlarge(one))));
  t.ok(Math.min(...enlarged) >= 2 * motionMarksMin, `enlarged: at least ${Math.min(...enlarged)} of ${motionMarksMax}`);
  t.end();
});

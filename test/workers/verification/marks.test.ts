import t from 'tap';
import { frameMarksMax, markCapture, motionMarksMax } from '../../../workers/verification/marks.js';
import { createRandom } from '../../../workers/seeded-random.js';
import { verdictTables } from '../../../workers/verification/tables.js';
import { captureHuman, challengesOf, embeddingOf, rearrange, type Capture } from '../../helpers/captures.js';
import { changePoints, type PointChange } from '../../helpers/change-points.js';
import { biometricEnvelope, deviceEnvelope } from '../../helpers/verdict-facts.js';

const { motionMarksMin } = verdictTables.session;
const capture = captureHuman();
const marks = markCapture(biometricEnvelope(capture));
const shared = (other: { readonly frames: readonly string[] }): number =>
  other.frames.filter((mark) => marks.frames.includes(mark)).length;

t.test('a capture has marks, and one without a camera has none', (t) => {
  t.equal(marks.frames.length, frameMarksMax);
  t.match(marks.embedding, /^[0-9a-f]{16}$/);
  t.same(markCapture(deviceEnvelope()), { embedding: null, frames: [], motion: [], motionSought: [] });
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
const soughtOf = (other: Capture): ReadonlySet<string> => new Set(markCapture(biometricEnvelope(other)).motionSought);
const countFound = (kept: readonly string[], sought: ReadonlySet<string>): number =>
  kept.filter((mark) => sought.has(mark)).length;
const random = createRandom(3);
const people = Array.from({ length: 60 }, (_, index) =>
  captureHuman({ seed: index + 1, topology: 'key23', challenges: challengesOf('turn_left', 'blink', 'nod') }),
);
const kept = people.map(motionOf);

t.test('captures of the same head at the same challenges share few marks of motion', (t) => {
  const found = people.flatMap((one, index) => {
    const sought = soughtOf(one);
    return kept.filter((_, other) => other !== index).map((marks) => countFound(marks, sought));
  });
  t.ok(Math.max(...found) < motionMarksMin, `at most ${Math.max(...found)} by chance`);
  t.end();
});

const nudge = (units: number) => (): number => Math.round((random() * 2 - 1) * units);

/** The view of a camera that hangs askew: about the middle of the picture. */
function turn(degrees: number): PointChange {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return (x, y) => [2560 + (x - 2560) * cos - (y - 1920) * sin, 1920 + (x - 2560) * sin + (y - 1920) * cos];
}

/** The points of the other half of the face, at the places of each. */
const mirrored = [9, 8, 7, 6, 11, 10, 3, 2, 1, 0, 5, 4, 12, 13, 15, 14, 17, 16, 18, 19, 20, 22, 21];
const atPace = (one: Capture, pace: number): Capture => ({
  ...one,
  frames: { ...one.frames, atMs: one.frames.atMs.map((at) => at * pace) },
});

const copies: Readonly<Record<string, (one: Capture) => Capture>> = {
  'every coordinate changed by one unit': (one) => changePoints(one, (x, y) => [x + nudge(1)(), y + nudge(1)()]),
  'every coordinate changed by up to half a pixel': (one) =>
    changePoints(one, (x, y) => [x + nudge(4)(), y + nudge(4)()]),
  moved: (one) => changePoints(one, (x, y) => [x + 40, y - 80]),
  enlarged: (one) => changePoints(one, (x, y) => [x * 1.08, y * 1.08]),
  'turned by 5° and nudged': (one) =>
    copies['every coordinate changed by up to half a pixel']?.(changePoints(one, turn(5))) ?? one,
  'turned by 30°': (one) => changePoints(one, turn(-30)),
  mirrored: (one) => changePoints(one, (x, y) => [5120 - x, y], mirrored),
  'a tenth slower, and turned': (one) => atPace(changePoints(one, turn(3)), 1.1),
  'a ninth faster': (one) => atPace(one, 0.9),
  'a fifth slower': (one) => atPace(one, 1.2),
  'a fifth faster': (one) => atPace(one, 0.82),
};
for (const [name, copy] of Object.entries(copies))
  t.test(`marks of motion know a copy again: ${name}`, (t) => {
    const found = people.slice(0, 20).map((one, index) => countFound(kept[index] ?? [], soughtOf(copy(one))));
    t.ok(Math.min(...found) >= motionMarksMin, `at least ${Math.min(...found)} of ${motionMarksMax}`);
    t.end();
  });

t.test('times and points of nobody cost no more than those of a person', (t) => {
  const wild = changePoints(capture, (x, y, frame) => [x * (frame % 2 === 0 ? 5 : -5), y]);
  const atMs = capture.frames.atMs.map((_, index) => index * 60_000);
  const { motion, motionSought } = markCapture(biometricEnvelope({ ...wild, frames: { ...wild.frames, atMs } }));
  t.ok(motion.length <= motionMarksMax);
  t.ok(motionSought.length <= 1_024);
  t.end();
});

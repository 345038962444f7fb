import t from 'tap';
import { frameMarksMax, markCapture } from '../../../workers/verification/marks.js';
import { captureHuman, embeddingOf, rearrange } from '../../helpers/captures.js';
import { biometricEnvelope, deviceEnvelope } from '../../helpers/verdict-facts.js';

const capture = captureHuman();
const marks = markCapture(biometricEnvelope(capture));
const shared = (other: { readonly frames: readonly string[] }): number =>
  other.frames.filter((mark) => marks.frames.includes(mark)).length;

t.test('a capture has marks, and one without a camera has none', (t) => {
  t.equal(marks.frames.length, frameMarksMax);
  t.match(marks.embedding, /^[0-9a-f]{16}$/);
  t.same(markCapture(deviceEnvelope()), { embedding: null, frames: [] });
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

import fc from 'fast-check';
import t from 'tap';
import type { LogEntry } from '../../../src/stores/log/port.js';
import { frameOf, readFrames } from '../../../src/stores/spool/frames.js';

const entries = fc.array(fc.record({ key: fc.string({ maxLength: 20 }), value: fc.uint8Array({ maxLength: 50 }) }), {
  minLength: 1,
  maxLength: 5,
});
const fileOf = (frames: readonly (readonly LogEntry[])[]): Buffer =>
  Buffer.concat(frames.flatMap((frame) => [...frameOf(frame)]));
const plain = (frames: readonly (readonly LogEntry[])[]) =>
  frames.map((frame) => frame.map(({ key, value }) => [key, [...value]]));

t.test('frames come back as they were written', (t) => {
  fc.assert(
    fc.property(fc.array(entries, { maxLength: 5 }), (frames) => {
      const read = readFrames(fileOf(frames));
      return (
        JSON.stringify(plain(read.frames)) === JSON.stringify(plain(frames)) &&
        read.tornBytes === 0 &&
        read.damagedBytes === 0
      );
    }),
  );
  t.pass();
  t.end();
});

t.test('cut off anywhere, every frame before the cut comes back and the rest counts as torn', (t) => {
  fc.assert(
    fc.property(fc.array(entries, { minLength: 1, maxLength: 4 }), fc.nat(), (frames, at) => {
      const whole = fileOf(frames);
      const cut = at % whole.length;
      let kept = 0;
      while (fileOf(frames.slice(0, kept + 1)).length <= cut) kept++;
      const read = readFrames(whole.subarray(0, cut));
      return (
        JSON.stringify(plain(read.frames)) === JSON.stringify(plain(frames.slice(0, kept))) &&
        read.tornBytes === cut - fileOf(frames.slice(0, kept)).length &&
        read.damagedBytes === 0
      );
    }),
  );
  t.pass();
  t.end();
});

t.test('a frame whose bytes changed is told as damage, and those around it come back', (t) => {
  const frame = (text: string): LogEntry[] => [{ key: text, value: Buffer.from(text) }];
  const content = fileOf([frame('first'), frame('second'), frame('third')]);
  content.writeUInt8(0, content.indexOf('second') + 1);
  const { frames, damagedBytes, tornBytes } = readFrames(content);
  t.same(
    frames.flat().map(({ key }) => key),
    ['first', 'third'],
  );
  t.equal(damagedBytes, fileOf([frame('second')]).length);
  t.equal(tornBytes, 0);
  t.end();
});

t.test(
  'wherever one byte is changed, every frame that it is not in comes back, and none that it is in is taken for torn',
  (t) => {
    const written = ['first', 'second', 'third'].map((text): LogEntry[] => [{ key: text, value: Buffer.from(text) }]);
    const ends = written.map((_, n) => fileOf(written.slice(0, n + 1)).length);
    const whole = fileOf(written);
    for (let at = 0; at < whole.length; at++) {
      const content = Buffer.from(whole);
      content[at] = (content[at] ?? 0) ^ 0x81;
      const hit = ends.findIndex((end) => at < end);
      const { frames, damagedBytes, tornBytes } = readFrames(content);
      const size = fileOf([written[hit] ?? []]).length;
      if (
        JSON.stringify(plain(frames)) !== JSON.stringify(plain(written.filter((_, n) => n !== hit))) ||
        damagedBytes !== size ||
        tornBytes !== 0
      )
        t.fail(`byte ${at}: ${frames.length} frames, ${damagedBytes} bytes damaged, ${tornBytes} torn`);
    }
    t.pass();
    t.end();
  },
);

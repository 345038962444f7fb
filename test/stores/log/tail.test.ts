import t from 'tap';
import { createTail } from '../../../src/stores/log/embedded/consumer.js';
import { entry, textOf } from './contract.js';

const run = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => entry('k', `${from + n}`));
const texts = (entries: readonly { key: string; value: Uint8Array }[]) => entries.map(textOf);

t.test('adjacent appends are kept and handed out in order', (t) => {
  const tail = createTail(100);
  tail.offer(10, run(10, 12));
  tail.offer(12, run(12, 15));
  t.same(texts(tail.take(10, 3)), ['10', '11', '12']);
  t.same(texts(tail.take(13, 3)), ['13', '14']);
  t.same(tail.take(15, 3), []);
  tail.offer(15, run(15, 16));
  t.same(texts(tail.take(15, 3)), ['15']);
  t.end();
});

t.test('an offset before what is kept has to be read from the table', (t) => {
  const tail = createTail(100);
  tail.offer(10, run(10, 12));
  t.same(tail.take(5, 3), []);
  t.same(texts(tail.take(10, 1)), ['10']);
  t.end();
});

t.test('what is not adjacent, or does not fit, is not kept: no offset is ever skipped or shown twice', (t) => {
  const tail = createTail(4);
  tail.offer(0, run(0, 3));
  tail.offer(5, run(5, 6));
  tail.offer(3, run(3, 6));
  t.same(texts(tail.take(0, 10)), ['0', '1', '2']);
  t.same(tail.take(3, 10), []);
  tail.replace(3, run(3, 9));
  t.same(texts(tail.take(3, 10)), ['3', '4', '5', '6']);
  t.end();
});

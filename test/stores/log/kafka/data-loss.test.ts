import t from 'tap';
import { createDataLossDetector } from '../../../../src/stores/log/kafka/member.js';

const progress = [
  { partition: 0, start: 0, next: 100, end: 300 },
  { partition: 1, start: 40, next: 40, end: 50 },
];

t.test('a batch that begins beyond what the group read is a loss; one that comes again is none', async (t) => {
  const lost: number[] = [];
  const detector = createDataLossDetector(
    () => Promise.resolve(progress),
    (entries) => lost.push(entries),
  );
  detector.fetched(0, '999');
  t.same(lost, [], 'not before it knows what the group read');
  await detector.joined();
  detector.fetched(0, '100');
  detector.committed(0, '149');
  detector.fetched(0, '100');
  detector.fetched(0, '150');
  detector.fetched(1, '40');
  t.same(lost, []);
  detector.fetched(0, '180');
  detector.fetched(0, '180');
  t.same(lost, [30], 'counted once');
});

t.test('a question that fails is asked again, and without an answer no loss is reported', async (t) => {
  const lost: number[] = [];
  let failures = 1;
  const detector = createDataLossDetector(
    () => (failures-- > 0 ? Promise.reject(new Error('the connection broke')) : Promise.resolve(progress)),
    (entries) => lost.push(entries),
  );
  await detector.joined();
  detector.fetched(0, '110');
  t.same(lost, [10]);
  failures = 2;
  await detector.joined();
  detector.fetched(0, '500');
  t.same(lost, [10]);
});

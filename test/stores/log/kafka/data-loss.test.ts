import t from 'tap';
import { createDataLossDetector } from '../../../../src/stores/log/kafka/member.js';

const progress = [
  { partition: 0, start: 0, next: 100, end: 300 },
  { partition: 1, start: 40, next: 40, end: 50 },
];

function openDetector(readProgress: () => Promise<typeof progress>) {
  const lost: number[] = [];
  const unknown: string[] = [];
  const detector = createDataLossDetector(readProgress, {
    onLost: (entries) => lost.push(entries),
    onUnknown: (error) => unknown.push((error as Error).message),
  });
  return { detector, lost, unknown };
}

t.test('a batch that begins beyond what the group read is a loss; one that comes again is none', async (t) => {
  const { detector, lost } = openDetector(() => Promise.resolve(progress));
  detector.fetched(0, 999);
  t.same(lost, [], 'not before it knows what the group read');
  t.ok(await detector.joined());
  detector.fetched(0, 100);
  detector.taken(0, 150);
  detector.fetched(0, 100);
  detector.fetched(0, 150);
  detector.fetched(1, 40);
  t.same(lost, []);
  detector.fetched(0, 180);
  detector.fetched(0, 180);
  t.same(lost, [30], 'counted once');
});

t.test('a question that fails is asked again; without an answer no loss is reported, and that is said', async (t) => {
  let failures = 3;
  const { detector, lost, unknown } = openDetector(() =>
    failures-- > 0 ? Promise.reject(new Error('the connection broke')) : Promise.resolve(progress),
  );
  await detector.joined();
  detector.fetched(0, 110);
  t.same(lost, [10]);
  t.same(unknown, []);
  failures = 5;
  t.ok(await detector.joined(), 'reading goes on');
  detector.fetched(0, 500);
  t.same(lost, [10]);
  t.same(unknown, ['the connection broke']);
});

t.test('the answer to an earlier join changes nothing, and lets nothing be fetched', async (t) => {
  const answers: ((answer: typeof progress) => void)[] = [];
  const { detector, lost } = openDetector(() => new Promise((resolve) => answers.push(resolve)));
  const [first, second] = [detector.joined(), detector.joined()];
  answers[1]?.([{ partition: 0, start: 0, next: 200, end: 300 }]);
  t.ok(await second);
  answers[0]?.(progress);
  t.notOk(await first);
  detector.fetched(0, 200);
  t.same(lost, [], 'another member had read these entries');
});

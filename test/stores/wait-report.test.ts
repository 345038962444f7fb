import { mock } from 'node:test';
import t from 'tap';
import { reportWait } from '../../src/stores/wait-report.js';

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
t.afterEach(() => mock.timers.reset());

t.test('a wait is reported after 3 seconds, then at pauses that double up to a minute', async (t) => {
  const reports: number[] = [];
  let end: (value: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => (end = resolve));
  const waited = reportWait(work, (seconds) => reports.push(seconds));
  for (let second = 0; second < 220; second += 1) mock.timers.tick(1_000);
  t.same(reports, [3, 9, 21, 45, 93, 153, 213]);
  end('done');
  t.equal(await waited, 'done');
  mock.timers.tick(600_000);
  t.equal(reports.length, 7, 'none after its end');
});

t.test('work that fails rejects as it did, and is not reported', async (t) => {
  await t.rejects(
    reportWait(Promise.reject(new Error('refused')), () => t.fail('it has ended')),
    { message: 'refused' },
  );
  mock.timers.tick(600_000);
});

import t from 'tap';
import { late, startDeadline } from '../../src/scoring/deadline.js';

t.test('work that ends in time gives its result, work that does not gives none, whatever becomes of it', async (t) => {
  const deadline = startDeadline(20);
  t.teardown(deadline.end);
  t.equal(await deadline.within(Promise.resolve('here')), 'here');
  await t.rejects(deadline.within(Promise.reject(new Error('away'))), /away/);
  let fail = (_: Error): void => undefined;
  const slow = new Promise<string>((_, reject) => (fail = reject));
  t.equal(await deadline.within(slow), late);
  // Nobody waits for it any more: were the rejection not taken, the process would end.
  fail(new Error('away'));
  t.equal(await deadline.within(new Promise(() => undefined)), late, 'and nothing more is waited for');
});

t.test('without a deadline all is waited for', async (t) => {
  const work = Promise.resolve('here');
  t.equal(startDeadline(null).within(work), work);
});

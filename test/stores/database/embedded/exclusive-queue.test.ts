import t from 'tap';
import { createExclusiveQueue } from '../../../../src/stores/database/embedded/exclusive-queue.js';

/** A job that ends when told to, and the order in which jobs began. */
function createJobs() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const job = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
    });
  return { begun, job, end: (name: string, error?: Error) => ends.get(name)?.(error) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('statements do not wait for each other; a transaction has the place to itself, and order is kept', async (t) => {
  const { begun, job, end } = createJobs();
  const queue = createExclusiveQueue(10);
  const all = [
    queue.shared(job('a')),
    queue.shared(job('b')),
    queue.exclusive(job('tx')),
    queue.shared(job('c')),
    queue.exclusive(job('tx2')),
    queue.shared(job('d')),
  ];
  await turn();
  t.same(begun, ['a', 'b', 'tx']);
  end('tx');
  await turn();
  t.same(begun, ['a', 'b', 'tx', 'c', 'tx2']);
  end('tx2');
  await turn();
  for (const name of ['a', 'b', 'c', 'd']) end(name);
  t.same(await Promise.all(all), ['a', 'b', 'tx', 'c', 'tx2', 'd']);
});

t.test('a transaction that fails frees the place', async (t) => {
  const { job, end } = createJobs();
  const queue = createExclusiveQueue(10);
  const failed = queue.exclusive(job('tx'));
  const after = queue.shared(job('a'));
  await turn();
  end('tx', new Error('rolled back'));
  await t.rejects(failed, /rolled back/);
  await turn();
  end('a');
  t.equal(await after, 'a');
});

t.test('more than may wait are refused as a store that cannot serve', async (t) => {
  const { job, end } = createJobs();
  const queue = createExclusiveQueue(2);
  const held = queue.exclusive(job('tx'));
  const waiting = [queue.shared(job('a')), queue.shared(job('b'))];
  await t.rejects(queue.shared(job('c')), { code: 'STORE_UNAVAILABLE' });
  await turn();
  end('tx');
  await turn();
  end('a');
  end('b');
  await Promise.all([held, ...waiting]);
});

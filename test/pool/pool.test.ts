import t from 'tap';
import type { PoolTask } from '../../src/contract/pool.js';
import { Fault } from '../../src/errors.js';
import { createPool, type Pool } from '../../src/pool/pool.js';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.js';
import { waitUntil } from '../helpers/wait-until.js';

const entry = new URL('./entries/pool-entry.js', import.meta.url);
const order = (sessionId: string): Extract<PoolTask, { kind: 'sketch' }> => ({
  kind: 'sketch',
  userAgent: null,
  body: { v: 1, sdk: 't', projectKey: 'pk', sessionId, nonce: 'nonce-nonce', seq: 0, phase: 'load', at: 0, up: 0 },
});

async function open(
  test: Pick<typeof t, 'teardown'>,
  options: { queueMax?: number; deadlineMs?: number } = {},
): Promise<{ pool: Pool; metrics: Metrics }> {
  const metrics = createMetrics();
  const pool = createPool({
    entry,
    threads: 1,
    queueMax: options.queueMax ?? 1_000,
    deadlineMs: options.deadlineMs ?? 20_000,
    metrics,
  });
  test.teardown(() => pool.close());
  await pool.warm();
  return { pool, metrics };
}

const ask = async (pool: Pool, what: string): Promise<string | null | undefined> =>
  (await pool.run(order(what))).sketch.terms[0];
const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(String, (error: unknown) => (error instanceof Fault ? error.code : (error as Error).message));

t.test('every task gets its own answer, however tasks are batched', async (t) => {
  const { pool, metrics } = await open(t);
  const names = Array.from({ length: 200 }, (_, index) => `task-${index}`);
  t.same(await Promise.all(names.map((name) => ask(pool, name))), names);
  const batches =
    (await metrics.poolBatch.get()).values.find(({ metricName }) => metricName?.endsWith('_count') === true)?.value ??
    0;
  t.ok(batches < names.length, `${names.length} tasks went in ${batches} batches`);
});

t.test('a full queue answers OVERLOADED with Retry-After, and what was taken is still answered', async (t) => {
  const { pool } = await open(t, { queueMax: 4 });
  const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => ask(pool, `task-${index}`)));
  t.equal(answers.filter(({ status }) => status === 'fulfilled').length, 4);
  const refused = answers.find((answer) => answer.status === 'rejected')?.reason as Fault;
  t.match(refused, { code: 'OVERLOADED', details: { headers: { 'retry-after': '1' } } });
});

t.test('a known fault keeps its code across the thread, and fails alone', async (t) => {
  const { pool } = await open(t);
  t.same(await Promise.all([outcome(ask(pool, 'a')), outcome(ask(pool, 'fault')), outcome(ask(pool, 'b'))]), [
    'a',
    'NOT_FOUND',
    'b',
  ]);
});

t.test('a bug in the core is no fault of the caller and carries its stack for the log', async (t) => {
  const { pool } = await open(t);
  t.match(await outcome(ask(pool, 'bug')), /stack of the bug/);
});

t.test('a thread that dies: what it held is answered 503, and the pool goes on', async (t) => {
  const { pool } = await open(t);
  t.same(await Promise.all([outcome(ask(pool, 'a')), outcome(ask(pool, 'die'))]), ['OVERLOADED', 'OVERLOADED']);
  t.equal(await ask(pool, 'after'), 'after');
});

t.test('a task that cannot be packed is answered 503 with what travels with it, and the pool goes on', async (t) => {
  const { pool } = await open(t);
  const unpackable = { ...order('bad'), body: { ...order('bad').body, constructor: 1, toJSON: 1 } };
  t.same(await Promise.all([outcome(ask(pool, 'a')), outcome(pool.run(unpackable))]), ['OVERLOADED', 'OVERLOADED']);
  t.equal(await ask(pool, 'after'), 'after');
});

t.test('a thread that hangs is given up at the deadline, and the pool goes on', async (t) => {
  const { pool } = await open(t, { deadlineMs: 3_000 });
  t.equal(await outcome(ask(pool, 'hang')), 'OVERLOADED');
  // A fresh thread takes its time to start where the machine is busy, and the deadline here is short.
  await waitUntil(async () => (await outcome(ask(pool, 'after'))) === 'after', 'the pool answers again', 30_000);
  t.pass();
});

t.test('a clock that is set forward ends no deadline', async (t) => {
  const { pool } = await open(t);
  const real = Date.now;
  t.teardown(() => (Date.now = real));
  const waiting = outcome(ask(pool, 'a'));
  Date.now = () => real() + 3_600_000;
  t.equal(await waiting, 'a');
});

t.test('closing answers what still waits', async (t) => {
  const { pool } = await open(t);
  const waiting = outcome(ask(pool, 'late'));
  await pool.close();
  t.equal(await waiting, 'OVERLOADED');
});

t.test('the first tasks of a turn that can be done here are done here, and a thread does the rest', async (t) => {
  const { pool, metrics } = await open(t);
  const done: string[] = [];
  const both = async (name: string): Promise<string | null | undefined> => {
    const here = (): Awaited<ReturnType<typeof pool.run<'sketch'>>> => {
      done.push(name);
      return { sketch: { terms: [`${name} here`], osFamily: null, browser: null, browserMajor: null }, bands: [] };
    };
    return (await pool.run(order(name), here)).sketch.terms[0];
  };
  const first = Array.from({ length: 64 }, (_, index) => `first-${index}`);
  const rest = Array.from({ length: 32 }, (_, index) => `rest-${index}`);
  t.same(await Promise.all([...first, ...rest].map(both)), [...first.map((name) => `${name} here`), ...rest]);
  t.equal(await both('next turn'), 'next turn here');
  t.same(done, [...first, 'next turn']);
  t.equal((await metrics.poolHere.get()).values[0]?.value, 65);
});

t.test('a task that fails here fails alone', async (t) => {
  const { pool } = await open(t);
  const failing = pool.run(order('x'), () => {
    throw new Error('the bug');
  });
  const fine = ask(pool, 'fine');
  t.equal(await outcome(failing), 'the bug');
  t.equal(await fine, 'fine', 'what only a thread does goes there');
});

import { Redis } from 'ioredis';
import { pack, unpack } from 'msgpackr';
import pg from 'pg';
import t from 'tap';
import { storeUnavailable } from '../../src/errors.js';
import { createLogger, type Logger } from '../../src/telemetry/logger.js';
import { findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';

const somebody = 'maria.k@example.com';

function listen(summaryMs?: number): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return { logger: createLogger('info', { write: (line) => lines.push(line) }, summaryMs), lines };
}

const failureOf = (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(
      () => null,
      (error: unknown) => error,
    );

t.test('no error of a client library takes the values of a call into the log', async (t) => {
  const stack = findStack(t, 'errors of real stores in the log');
  if (stack === null) return;
  const redis = new Redis(stack.redisUrl, { lazyConnect: true });
  const client = new pg.Client(stack.databaseUrl);
  await Promise.all([redis.connect(), client.connect()]);
  t.teardown(async () => {
    redis.disconnect();
    await client.end();
  });
  await client.query('CREATE TEMPORARY TABLE people (name text PRIMARY KEY, age int NOT NULL)');
  await client.query('INSERT INTO people VALUES ($1, 1)', [somebody]);
  const errors = [
    await failureOf(() => redis.call('NO_SUCH_COMMAND', somebody)),
    await failureOf(() => redis.eval('return redis.call("INCRBY", KEYS[1], ARGV[1])', 1, `x${somebody}`, somebody)),
    await failureOf(() => client.query('SELECT $1::int', [somebody])),
    await failureOf(() => client.query('INSERT INTO people VALUES ($1, 2)', [somebody])),
    await failureOf(() => client.query('INSERT INTO people VALUES ($1, NULL)', [`x${somebody}`])),
    await failureOf(() => JSON.parse(somebody)),
    await failureOf(() => JSON.parse(`{"sessionId": ${somebody}}`)),
    await failureOf(() => unpack(Buffer.concat([pack({ id: `x"${somebody}` }), Buffer.from([1])]))),
    await failureOf(() => new URL(somebody)),
    somebody,
  ];
  const { logger, lines } = listen();
  for (const [index, error] of errors.entries()) {
    logger.warn({ err: error }, `plain ${index}`);
    logger.child({}).warn({ err: storeUnavailable('a store', error) }, `wrapped ${index}`);
  }
  t.equal(lines.length, 2 * errors.length);
  t.notOk(errors.includes(null), 'each of the calls failed');
  t.same(
    lines.filter((line) => line.includes('maria')),
    [],
  );
  t.match(JSON.parse(lines[6] ?? ''), {
    err: { type: 'error', code: '23505', table: 'people', constraint: 'people_pkey', stack: /at / },
  });
});

t.test('a warning is written once, and then summed up with how often it came again', async (t) => {
  const { logger, lines } = listen(200);
  const isSummary = (line: string): boolean => line.includes('"repeated":9999');
  for (let n = 0; n < 10_000; n += 1)
    logger.child({ requestId: `r${n}` }).warn({ err: storeUnavailable('down') }, 'a store is away');
  logger.error({ err: new Error('x') }, 'something else');
  logger.info('still there');
  logger.info('still there');
  t.equal(lines.length, 4, 'what is no warning is never held back');
  await waitUntil(() => lines.some(isSummary), 'the summary', 5_000);
  const summary = JSON.parse(lines.find(isSummary) ?? '') as { readonly time: number; readonly lastTime: number };
  t.match(summary, { level: 40, msg: 'a store is away', requestId: 'r9999' });
  const startMs = (JSON.parse(lines[0] ?? '') as { readonly time: number }).time;
  t.ok(summary.lastTime >= startMs && summary.lastTime < summary.time, 'when it came last, not when it was summed up');
});

t.test('a line that makes room for others is summed up before', async (t) => {
  const { logger, lines } = listen();
  for (let n = 0; n < 3; n += 1) logger.warn('at first');
  for (let n = 0; n < 1_000; n += 1) logger.warn(`another ${n}`);
  t.match(
    lines.map((line) => JSON.parse(line) as object).filter((line) => 'repeated' in line),
    [{ msg: 'at first', repeated: 2 }],
  );
});

t.test('bugs at two places are two lines, whatever their words', async (t) => {
  const { logger, lines } = listen();
  const first = new Error('bug');
  const second = new Error('bug');
  for (const err of [first, second, first]) logger.error({ code: 'INTERNAL', err }, 'failed');
  t.equal(lines.length, 2);
  for (const fingerprintId of ['fp_1', 'fp_2', 'fp_1']) logger.error({ fingerprintId }, 'damaged');
  t.equal(lines.length, 4, 'each damaged record is named once');
});

/**
 * Whatever is asked of the two adapters, in whatever order, they answer the same.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import type { Counters } from '../../../src/stores/counters/port.js';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { countedOf } from './contract-history.js';
import { hourMs, minuteMs, ref, scoreInput, sketchOf, startMs } from './inputs.js';
import { findRedis } from './redis-server.js';

const few = (name: string, count: number) => fc.integer({ min: 0, max: count - 1 }).map((i) => ref(`${name}${i}`));
const fewOrNone = (name: string, count: number) => fc.option(few(name, count), { nil: null, freq: 3 });
const term = fc.option(fc.constantFrom('x', 'y', 'z', 'not a hash'), { nil: null });

const scoring = fc.record({
  kind: fc.constant('score' as const),
  afterMs: fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 6 * minuteMs }), weight: 3 },
    { arbitrary: fc.integer({ min: 0, max: 30 * hourMs }), weight: 1 },
  ),
  session: fc.integer({ min: 0, max: 11 }),
  fingerprint: fc.constantFrom('a', 'b'),
  idempotency: fewOrNone('key', 3),
  scope: few('scope', 2),
  respondent: fewOrNone('r', 4),
  device: fewOrNone('d', 4),
  address: few('a', 3),
  prefix: few('p', 3),
  source: fewOrNone('source', 2),
  deviceClass: fc.constantFrom('ios/safari', 'windows/chrome', 'windows/chrome', null),
  addressShared: fc.constantFrom(false, false, true),
  host: fewOrNone('h', 2),
  signature: fewOrNone('signature', 2),
  limit: fc.integer({ min: 1, max: 30 }),
  history: fc.record({
    respondent: fewOrNone('subject', 3),
    source: fewOrNone('subject', 3),
    subSource: fewOrNone('subject', 3),
    range: few('subject', 3),
    study: few('d', 4),
  }),
});

const restoring = fc.record({
  kind: fc.constant('restore' as const),
  afterMs: fc.constant(0),
  backMs: fc.oneof(fc.integer({ min: 0, max: 2 * hourMs }), fc.integer({ min: 0, max: 100 * hourMs })),
  session: fc.integer({ min: 0, max: 11 }),
  scope: few('scope', 2),
  respondent: fewOrNone('r', 4),
  device: fewOrNone('d', 4),
  address: few('a', 3),
  prefix: few('p', 3),
  source: fewOrNone('source', 2),
  deviceClass: fc.constantFrom('ios/safari', 'windows/chrome', null),
  addressShared: fc.constantFrom(false, true),
  host: fewOrNone('h', 2),
  token: fewOrNone('d', 4),
  sketch: fc.option(
    fc.array(term, { minLength: 3, maxLength: 3 }).map((terms) => sketchOf(...terms)),
    { nil: null },
  ),
  bands: fc.uniqueArray(fc.constantFrom('b0', 'b1', 'b2', 'b3', 'b4'), { maxLength: 3 }),
});

const publishing = fc.record({
  kind: fc.constant('publish' as const),
  afterMs: fc.constant(0),
  subject: fc.oneof(few('subject', 3), few('d', 4)),
  version: fc.integer({ min: 0, max: 5 }),
  n: fc.double({ min: 0, max: 1e6, noNaN: true }),
});

const marking = fc.record({ kind: fc.constant('mark' as const), afterMs: fc.constant(0) });

const probing = fc.record({
  kind: fc.constant('probe' as const),
  afterMs: fc.integer({ min: 0, max: 10 * minuteMs }),
  session: fc.integer({ min: 0, max: 11 }),
  nonce: fc.integer({ min: 0, max: 23 }),
  phase: fc.constantFrom('load' as const, 'update' as const),
  seq: fc.integer({ min: 0, max: 4 }),
  content: fc.uint8Array({ minLength: 1, maxLength: 8 }),
  device: fewOrNone('d', 4),
  sketch: fc.option(
    fc.array(term, { minLength: 3, maxLength: 3 }).map((terms) => sketchOf(...terms)),
    { nil: null },
  ),
  bands: fc.uniqueArray(fc.constantFrom('b0', 'b1', 'b2', 'b3', 'b4'), { maxLength: 3 }),
  indicators: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(0.5, 4.5)), { maxLength: 3 }),
});

type Drawn<T> = T extends fc.Arbitrary<infer V> ? V : never;
type Step =
  | Drawn<typeof scoring>
  | Drawn<typeof probing>
  | Drawn<typeof restoring>
  | Drawn<typeof publishing>
  | Drawn<typeof marking>;

/** The stores’ clock, which the played time moves. */
let clockMs = startMs;

/** All answers to the steps, and the receipts read back at the end. */
async function play(counters: Counters, projectId: string, mode: string, steps: readonly Step[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  const namespace = projectId + mode;
  const receipts: { receiptId: string; atMs: number }[] = [];
  let nowMs = startMs;
  for (const [i, step] of steps.entries()) {
    nowMs += step.afterMs;
    clockMs = nowMs;
    if (step.kind === 'mark') {
      await counters.markComplete(namespace);
      continue;
    }
    if (step.kind === 'publish') {
      await counters.publishHistory(namespace, [
        {
          subject: step.subject,
          version: step.version,
          value: { n: step.n, fraud: 0.1, clawbacks: 1, asOfDay: 20_000 },
        },
      ]);
      continue;
    }
    const session = ref(`s${step.session}`);
    if (step.kind === 'probe') {
      answers.push(await counters.storeProbe({ ...step, nowMs, projectId, session, nonce: ref(`n${step.nonce}`) }));
      continue;
    }
    if (step.kind === 'restore') {
      await counters.restoreSessions(namespace, [
        countedOf({ ...scoreInput(projectId, 'any'), ...step, session, nowMs: nowMs - step.backMs }, step),
      ]);
      continue;
    }
    const receiptId = `rcpt_${i}`;
    receipts.push({ receiptId, atMs: nowMs });
    const limits = [{ key: 'key', limit: step.limit, windowSeconds: 3_600 }];
    answers.push(
      await counters.countScore({
        ...scoreInput(namespace, 'any'),
        ...step,
        nowMs,
        session,
        receiptId,
        limits,
        content: Buffer.from(receiptId),
      }),
    );
  }
  // Redis lets receipts go by its own clock: those that the played time has outrun are not compared.
  for (const { receiptId, atMs } of receipts)
    if (atMs > nowMs - 24 * hourMs) answers.push(await counters.recentReceipt(namespace, receiptId));
  return answers.map(comparable);
}

/** Bytes as hex, and means without the last bits of rounding. */
function comparable(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(12));
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, part]) => [key, comparable(part)])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
  return value;
}

const redis = await findRedis();
if (redis === null) {
  if (process.env['VH_REQUIRE_STACK'] === '1') t.fail('there is no Redis, and VH_REQUIRE_STACK asks for one');
  else t.comment('The adapters were not compared: install redis-server, or bring one up with `npm run stack`.');
} else {
  t.test('memory and Redis answer every sequence of calls alike', { timeout: 120_000 }, async (t) => {
    const inRedis = await openRedisCounters({ url: redis.url, deadlineMs: 5_000, now: () => clockMs });
    t.teardown(() => inRedis.close());
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            { arbitrary: scoring, weight: 6 },
            { arbitrary: probing, weight: 4 },
            { arbitrary: restoring, weight: 2 },
            { arbitrary: publishing, weight: 1 },
            { arbitrary: marking, weight: 1 },
          ),
          { minLength: 1, maxLength: 60, size: 'max' },
        ),
        fc.constantFrom('', '~test'),
        async (steps, mode) => {
          const projectId = `proj_${randomUUID()}`;
          const inMemory = await openMemoryCounters({ snapshotPath: null, keysMax: 100_000, now: () => clockMs });
          clockMs = startMs;
          assert.deepEqual(await play(inRedis, projectId, mode, steps), await play(inMemory, projectId, mode, steps));
        },
      ),
      { numRuns: 300 },
    );
    t.pass('no sequence told them apart');
  });
  t.teardown(() => redis.close());
}

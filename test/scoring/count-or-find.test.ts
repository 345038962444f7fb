/** Calls that count longer than they wait, and their retries: in the same process, and in another one. */
import t from 'tap';
import { countOrFind, type CountDeps } from '../../src/scoring/count-or-find.js';
import { late, startDeadline, type Deadline } from '../../src/scoring/deadline.js';
import { createLateAnswers } from '../../src/scoring/late-answers.js';
import { openMemoryCounters } from '../../src/stores/counters/memory/open.js';
import type { Counters, ScoreCountInput, ScoreCountResult } from '../../src/stores/counters/port.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { waitUntil } from '../helpers/wait-until.js';
import { ref, scoreInput, startMs } from '../stores/counters/inputs.js';

/** Counters of which the test decides when they count. */
async function openSlowCounters() {
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 10_000, now: () => startMs });
  let gate: Promise<void> = Promise.resolve();
  const countScore = async (input: ScoreCountInput): Promise<ScoreCountResult> => {
    await gate;
    return counters.countScore(input);
  };
  let forgotten = 0;
  const forgetReceipts: Counters['forgetReceipts'] = async (...named) => {
    await counters.forgetReceipts(...named);
    forgotten += 1;
  };
  return {
    counters: { ...counters, countScore, forgetReceipts },
    /** Each late call is forgotten at once, and again when it has counted. */
    settled: (lateCalls: number) => waitUntil(() => forgotten === 2 * lateCalls, 'what came late is forgotten'),
    /** Nothing is counted until the result is called. */
    stop(): () => void {
      let open = (): void => undefined;
      gate = new Promise((resolve) => (open = resolve));
      return open;
    },
  };
}

const passed: Deadline = { within: (work) => Promise.race([work, Promise.resolve(late)]), end: () => undefined };
const logger = { warn: () => undefined } as unknown as CountDeps['logger'];

/** One of several processes, with what it remembers; the database has what the test puts there. */
function openProcess(
  counters: Awaited<ReturnType<typeof openSlowCounters>>['counters'],
  recorded = new Map<string, Uint8Array>(),
) {
  const lateAnswers = createLateAnswers(counters);
  const findReleased = async (_: string, receiptId: string) => {
    const content = recorded.get(receiptId);
    return content === undefined ? null : { content, counted: null };
  };
  return (input: ScoreCountInput, deadline: Deadline = startDeadline(null)) =>
    countOrFind({ counters, findReleased, lateAnswers, metrics: createMetrics(), logger }, input, deadline);
}

const callOf = (receiptId: string, session = 's') =>
  scoreInput('proj_0', session, { receiptId, content: Buffer.from(`base of ${receiptId}`), respondent: ref('maria') });
const replayOf = (receiptId: string) => ({
  kind: 'replayed',
  recorded: { content: Buffer.from(`base of ${receiptId}`), counted: null },
});

t.test('a call that counts longer than it waits is answered without, and each retry as it was', async (t) => {
  const { counters, stop, settled } = await openSlowCounters();
  const call = openProcess(counters);
  const resume = stop();
  t.equal(await call(callOf('rcpt_1'), passed), late);
  t.same(await call(callOf('rcpt_2'), passed), replayOf('rcpt_1'), 'while it still counts');
  resume();
  t.same(await call(callOf('rcpt_3')), replayOf('rcpt_1'), 'and once it has');
  await settled(1);
  t.equal(await counters.recentReceipt('proj_0', 'rcpt_1'), null, 'no copy says something else');
  const next = await call(callOf('rcpt_4', 'another'));
  t.match(next, { kind: 'counted', counts: { respondentDay: 2 } }, 'three calls of the session counted it once');
});

t.test(
  'another process answers the retry from the database, and without a record there counts a new score',
  async (t) => {
    const { counters, stop, settled } = await openSlowCounters();
    const recorded = new Map<string, Uint8Array>();
    const [one, other] = [openProcess(counters, recorded), openProcess(counters, recorded)];
    const resume = stop();
    t.equal(await one(callOf('rcpt_1'), passed), late);
    resume();
    await settled(1);
    t.match(await other(callOf('rcpt_2')), { kind: 'counted', receiptId: 'rcpt_2', supersedes: 'rcpt_1' });
    const again = stop();
    t.equal(await one(callOf('rcpt_3', 'another'), passed), late);
    again();
    await settled(2);
    recorded.set('rcpt_3', Buffer.from('base of rcpt_3'));
    t.same(await other(callOf('rcpt_4', 'another')), replayOf('rcpt_3'));
  },
);

t.test('a late call that was never counted is counted by its retry', async (t) => {
  const { counters } = await openSlowCounters();
  const away = openProcess({ ...counters, countScore: () => new Promise(() => undefined) });
  t.equal(await away(callOf('rcpt_1'), passed), late);
  const call = openProcess(counters);
  t.match(await call(callOf('rcpt_2')), { kind: 'counted', receiptId: 'rcpt_2', supersedes: null });
});

t.test('a failure that comes late fails nothing', async (t) => {
  const { counters } = await openSlowCounters();
  let fail = (_: Error): void => undefined;
  const failing = new Promise<ScoreCountResult>((_, reject) => (fail = reject));
  const call = openProcess({
    ...counters,
    countScore: () => failing,
    forgetReceipts: () => Promise.reject(new Error('away')),
  });
  t.equal(await call(callOf('rcpt_1'), passed), late);
  fail(new Error('away'));
  await t.rejects(failing);
});

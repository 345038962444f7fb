import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { createBatchSigner } from '../../../src/crypto/batch-signer.js';
import { makeId, timeOfId } from '../../../src/crypto/ids.js';
import { createMakeRef, deriveSigningKey } from '../../../src/crypto/master-key.js';
import { createHistoryRound } from '../../../src/scoring/outcomes/history-consumer.js';
import { packBase, packSealed } from '../../../src/record/record.js';
import { forgetErased } from '../../../src/scoring/receipts/consumer.js';
import { findRecorded } from '../../../src/scoring/receipts/evidence-service.js';
import { createReceiptRecorder } from '../../../src/scoring/receipts/receipts.js';
import {
  dropEmptiedHistories,
  dropExpiredMarks,
  eraseRespondentScores,
} from '../../../src/scoring/receipts/respondent-erasure.js';
import { respondentSubject } from '../../../src/scoring/gather.js';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import { openRedisCounters } from '../../../src/stores/counters/redis/open.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { entryOfOutcomes } from '../../../src/scoring/outcomes/outcome-rows.js';
import { insertLetter } from '../../../src/stores/log/dead-letters/table.js';
import { countUnreadable, dropLetters } from '../../../src/stores/log/dead-letters/erasure.js';
import { cleanFacts } from '../../helpers/facts.js';
import { cleanVerdict, recordOf, splitFacts } from '../../helpers/records.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { probeInput, scoreInput } from '../../stores/counters/inputs.js';
import { findRedis } from '../../stores/counters/redis-server.js';

const database = await openTestDatabase(t);
/** null if none runs, which fails where the stack is required. */
async function openRedis(t: Test) {
  const redis = await findRedis();
  if (redis === null && process.env['VH_REQUIRE_STACK'] === '1') t.fail('there is no Redis');
  if (redis === null) return null;
  const opened = await openRedisCounters({ url: redis.url, deadlineMs: 5_000 });
  t.teardown(async () => {
    await opened.close();
    await redis.close();
  });
  return opened;
}

const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 10_000 });
t.teardown(() => counters.close());
const makeRef = createMakeRef(new Uint8Array(32).fill(3));
const projectId = `proj_${randomUUID()}`;
const maria = respondentSubject(makeRef, projectId, 'maria');
const other = respondentSubject(makeRef, projectId, 'other');
const source = makeRef(projectId, 'history:source', 'panel');
const record = createReceiptRecorder(database);
const receiptKey = deriveSigningKey(new Uint8Array(32), 'receipts');
const signer = createBatchSigner(receiptKey);

/** A scored session as it lies in the log. */
async function scored(session: string, respondent: string, isTest = false, ref = `ref_${session}`) {
  const receiptId = makeId('receipt');
  const { base, counted } = splitFacts(cleanFacts({ receiptId, sessionId: session }));
  const packed = recordOf(
    {
      ...base,
      owner: { ...base.owner, projectId, isTest },
      trace: { ...base.trace, session: ref },
      subjects: { respondent, source, subSource: null },
    },
    counted,
    cleanVerdict,
  );
  return { key: receiptId, value: packSealed(packed, await signer.seal(packed)) };
}
const erase = () => eraseRespondentScores({ database, counters, makeRef }, projectId, 'maria');
const rounds = createHistoryRound({ database, counters, now: Date.now });
const namesIn = async (table: string, column = 'session_ref'): Promise<readonly string[]> =>
  (await database.query<{ name: string }>(`SELECT ${column} AS name FROM ${table} ORDER BY 1`)).map(({ name }) => name);
const report = (session: string): Promise<unknown> =>
  database.transaction(async (tx) => {
    await tx.query(
      "INSERT INTO outcomes (namespace, session_ref, type, occurred_at, reason_class) VALUES ($1, $2, 'ban', now(), 'fraud')",
      [projectId, `ref_${session}`],
    );
    await tx.query('INSERT INTO adjudication_work (namespace, session_ref) VALUES ($1, $2)', [
      projectId,
      `ref_${session}`,
    ]);
  });

t.test('an erasure reaches receipts, index, outcomes, adjudications and history, and says what is left', async (t) => {
  await record([await scored('m1', maria), await scored('m2', maria, true), await scored('o1', other)]);
  await report('m1');
  await report('o1');
  await rounds();
  t.same(await namesIn('adjudications'), ['ref_m1', 'ref_o1']);
  // Its receipt is past its retention; what is kept beside the outcomes still tells whose it is.
  await record([await scored('m3', maria)]);
  await report('m3');
  await rounds();
  await database.query("DELETE FROM receipts WHERE session_ref = 'ref_m3'");
  await database.query("DELETE FROM session_index WHERE session_ref = 'ref_m3'");
  await database.query("UPDATE adjudications SET events_dropped = true WHERE session_ref = 'ref_m3'");
  const first = await erase();
  t.match(first, { receipts: 2, events: 2, left: { receipts: 0, events: 0 } });
  t.ok(first.left.history > 0, 'the consumers have not done their part yet');
  await rounds();
  t.match(await erase(), { receipts: 0, events: 0, left: { receipts: 0, events: 0, history: 0 } });
  await rounds();
  for (const table of ['receipts', 'session_index', 'outcomes', 'adjudications', 'outcome_subjects'])
    t.same(await namesIn(table), ['ref_o1'], table);
  t.equal(await dropEmptiedHistories(database), 1);
  t.same([...(await namesIn('history', 'subject_ref'))].sort(), [other, source].sort());
  const [kept] = await database.query<{ days: object }>('SELECT days FROM history WHERE subject_ref = $1', [source]);
  t.same(Object.values(kept?.days ?? {}), [[1, 1, 0]], 'what the source has of others stays');
});

t.test('what lay in the log at an erasure is erased as it is recorded; a session of later is none of it', async (t) => {
  const before = await scored('late', maria);
  await erase();
  const after = await scored('new', maria);
  const [mark] = await database.query<{ at: Date }>('SELECT erased_at AS at FROM erased_respondents');
  // The clocks of the database and of this process may differ by a moment.
  await database.query('UPDATE erased_respondents SET erased_at = $1', [
    new Date(timeOfId('receipt', before.key) ?? 0),
  ]);
  t.ok(mark !== undefined && after.key !== before.key);
  await record([before, after, await scored('o2', other)]);
  const isSameMoment = timeOfId('receipt', before.key) === timeOfId('receipt', after.key);
  t.same(await namesIn('receipts'), isSameMoment ? ['ref_o1', 'ref_o2'] : ['ref_new', 'ref_o1', 'ref_o2']);
  t.notOk((await namesIn('session_index')).includes('ref_late'));
  t.equal(await dropExpiredMarks(database, Date.now() + 401 * 86_400_000, 400), 1);
});

for (const [store, open] of Object.entries({ memory: async () => counters, redis: openRedis }))
  t.test(`${store}: nothing of a session that was scored before the erasure is found, recorded or not`, async (t) => {
    const counters = await open(t);
    if (counters === null) return;
    const session = makeRef(projectId, 'session', 'unrecorded-1');
    const receipt = await scored('unrecorded-1', maria, false, session);
    const { base } = splitFacts(cleanFacts({ receiptId: receipt.key }));
    const owner = { ...base.owner, projectId };
    const named = { ...base, owner, subjects: { respondent: maria, source, subSource: null } };
    const nowMs = Date.now();
    await counters.storeProbe(probeInput(projectId, 'unrecorded', { session, nowMs }));
    const input = { nowMs, session, receiptId: receipt.key, content: packBase(named) };
    await counters.countScore(scoreInput(projectId, 'unrecorded', input));
    const receiptKeys = [receiptKey];
    const find = () => findRecorded({ database, counters, receiptKeys }, { ...owner, isTest: false }, receipt.key);
    t.not(await find(), null);
    await eraseRespondentScores({ database, counters, makeRef }, projectId, 'maria');
    t.equal(await find(), null, 'before the recorder comes to it');
    const { kept, erased } = await record([receipt]);
    t.same([kept, erased.map(({ receiptId }) => receiptId)], [[], [receipt.key]]);
    t.equal(await find(), null);
    forgetErased({ counters, metrics: createMetrics() }, erased);
    await waitUntil(
      async () => (await counters.recentReceipt(projectId, receipt.key)) === null,
      'the counters store has no copy',
    );
    await waitUntil(
      async () => (await counters.findProbe(projectId, session, nowMs)) === null,
      'the counters store has no probe',
    );
  });

t.test(
  'an erasure reaches dead letters as they lie, and leaves those of others and what nobody can read',
  async (t) => {
    const owner = { topic: 'scores', group: 'receipts' } as const;
    const [theirs, kept] = [await scored('letter', maria), await scored('letter-o', other)];
    const unreadable = { key: 'torn', value: new Uint8Array([0xc1]) };
    const because = { tenant: 'org_1', reason: 'refused', lettersMax: 10 };
    for (const entry of [theirs, kept, unreadable]) await insertLetter(database, owner, entry, because);
    const [ofSession, ofOthers] = ['letter', 'letter-o'].map((session) =>
      entryOfOutcomes({ organizationId: 'org_1', projectId }, 0, [
        {
          ...{ namespace: projectId, sessionRef: `ref_${session}`, type: 'ban', occurredAt: new Date(), target: '' },
          ...{ reasonClass: 'fraud', respondentRef: session === 'letter' ? maria : other, eventId: null },
        },
      ]),
    );
    for (const entry of [ofSession, ofOthers])
      await insertLetter(database, { topic: 'outcomes', group: 'history' }, entry ?? unreadable, because);
    await erase();
    t.same(
      new Set(await namesIn('dead_letters', 'key')),
      new Set([kept.key, 'torn', projectId]),
      'of the outcomes those of the other',
    );
    t.equal((await namesIn('dead_letters', 'key')).length, 3);
    t.equal(await countUnreadable(database), 1, 'it was found out now, and has the shorter life');
    const lives = { retentionDays: 400, unreadableDays: 30 };
    const inDays = (days: number): number => Date.now() + days * 86_400_000;
    t.equal(await dropLetters(database, lives, inDays(29)), 0);
    t.equal(await dropLetters(database, lives, inDays(31)), 1);
    t.equal(await countUnreadable(database), 0);
    t.equal(await dropLetters(database, lives, inDays(401)), 2);
  },
);

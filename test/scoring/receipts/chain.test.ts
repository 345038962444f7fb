import t, { type Test } from 'tap';
import { idAt, makeId } from '../../../src/crypto/ids.js';
import { createMakeRef } from '../../../src/crypto/master-key.js';
import { checkChain } from '../../../src/cli/receipts/check-chain.js';
import { readHeads, signHeads } from '../../../src/scoring/receipts/chain-heads.js';
import { readChain } from '../../../src/scoring/receipts/chain-reader.js';
import { dropExpiredBatches } from '../../../src/scoring/receipts/chain-retention.js';
import { makePartition } from '../../../src/scoring/receipts/partitions.js';
import { createReceiptRecorder, recordSuperseding } from '../../../src/scoring/receipts/receipts.js';
import { dropExpiredReceipts } from '../../../src/scoring/receipts/retention.js';
import { dropExpiredMarks, eraseRespondentScores } from '../../../src/scoring/receipts/respondent-erasure.js';
import { dropExpiredSessions } from '../../../src/scoring/sessions/session-index.js';
import { respondentSubject } from '../../../src/scoring/gather.js';
import { openPostgres } from '../../../src/stores/database/postgres/open.js';
import type { Database } from '../../../src/stores/database/port.js';
import { createLogger, type Logger } from '../../../src/telemetry/logger.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { presentRules, readWhole, receiptKey, scoredEntry, signDay, wholeExport } from '../../helpers/receipt-chain.js';
import { createDatabase, findStack } from '../../helpers/stores.js';

const dayMs = 86_400_000;
const logger = createLogger('silent');
const makeRef = createMakeRef(new Uint8Array(32).fill(3));
const project = (): string => makeId('project');
const entriesOf = (projectId: string, sessions: readonly string[]) =>
  Promise.all(sessions.map((session) => scoredEntry({ projectId, session })));
const check = async (database: Database, projectId: string) =>
  checkChain(await wholeExport(database, projectId), presentRules);
const range = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `s${n}`);

async function openServer(t: Test): Promise<Database | null> {
  const stack = findStack(t, 'chains of receipts in PostgreSQL');
  if (stack === null) return null;
  const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 6, deadlineMs: 20_000 });
  t.teardown(() => database.close());
  return database;
}

for (const [store, open] of Object.entries({ embedded: openTestDatabase, PostgreSQL: openServer }))
  t.test(store, async (t) => {
    const database = await open(t);
    if (database === null) return;

    t.test('recorders at the same time add each receipt once, and never fork a chain', async (t) => {
      const [one, two] = [project(), project()];
      const entries = [...(await entriesOf(one, range(60))), ...(await entriesOf(two, range(60)))];
      // Each batch goes to two recorders, and holds both chains in an order of its own.
      const batches = [0, 1, 2, 3].map((part) => entries.filter((_, n) => n % 4 === part));
      const twice = [...batches, ...batches.map((batch) => [...batch].reverse())];
      // Changed verdicts are recorded without the lock of the score distribution.
      const changed = await entriesOf(one, range(20));
      await makePartition(database, new Date().toISOString().slice(0, 10));
      await Promise.all([
        ...twice.map((batch) => createReceiptRecorder(database)(batch)),
        ...changed.map(({ value }) => database.transaction((tx) => recordSuperseding(tx, value))),
      ]);
      t.match(await check(database, one), { last: 80, recomputed: 80 });
      t.match(await check(database, two), { last: 60, recomputed: 60 });
      const { receipts, previous } = await readChain(database, one, 10, 5);
      t.same([previous.seq, ...receipts.map(({ seq }) => seq)], [10, 11, 12, 13, 14, 15]);
    });

    t.test('a redelivery adds nothing, and what came new with it follows', async (t) => {
      const projectId = project();
      const [first, second, third] = await entriesOf(projectId, ['a', 'b', 'c']);
      if (first === undefined || second === undefined || third === undefined) throw new Error('three entries');
      const record = createReceiptRecorder(database);
      await record([first, second, first]);
      await record([second, third]);
      await record([third]);
      const receipts = await readWhole(database, projectId);
      t.same(
        receipts.map(({ receiptId }) => receiptId),
        [first, second, third].map(({ key }) => key),
      );
      t.match(await check(database, projectId), { last: 3, recorded: 3 });
    });

    t.test('an erased receipt keeps its digest alone, recorded before the erasure or after', async (t) => {
      const projectId = project();
      const maria = respondentSubject(makeRef, projectId, 'maria');
      const scored = (session: string, respondent: string) => scoredEntry({ projectId, session, respondent });
      const late = await scored('late', maria);
      const record = createReceiptRecorder(database);
      await record([await scored('m1', maria), await scored('o1', 'other'), await scored('m2', maria)]);
      const before = await readWhole(database, projectId);
      const counters = { forgetReceipts: async () => undefined, forgetProbes: async () => undefined };
      t.match(await eraseRespondentScores({ database, counters, makeRef }, projectId, 'maria'), { receipts: 2 });
      await record([await scored('o2', 'other'), late]);
      const after = await readWhole(database, projectId);
      t.same(
        after.map(({ state, receiptId }) => [state, receiptId === null]),
        [
          ['erased', true],
          ['recorded', false],
          ['erased', true],
          ['recorded', false],
          ['erased', true],
        ],
      );
      t.same(
        after.slice(0, 3).map(({ hash }) => hash),
        before.map(({ hash }) => hash),
      );
      t.match(await check(database, projectId), { last: 5, recorded: 2, erased: 3 });
      const batches = await database.query<{ ids: Uint8Array }>(
        'SELECT ids FROM receipt_batches WHERE namespace = $1',
        [projectId],
      );
      const kept = Buffer.concat(batches.map(({ ids }) => ids)).toString('hex');
      t.notOk(kept.includes(late.key.slice(5)), 'nothing names it any more');
    });

    t.test(
      'a receipt whose respondent was erased is none for a reader, though its deletion is still to come',
      async (t) => {
        const projectId = project();
        const maria = respondentSubject(makeRef, projectId, 'maria');
        const record = createReceiptRecorder(database);
        await record([await scoredEntry({ projectId, session: 'm1', respondent: maria })]);
        t.match(await readWhole(database, projectId), [{ state: 'recorded' }]);
        await database.query(
          'INSERT INTO erased_respondents (project_id, subject_ref, erased_at) VALUES ($1, $2, $3)',
          [...[projectId, maria], new Date(Date.now() + 60_000)],
        );
        t.match(await readWhole(database, projectId), [{ state: 'erased', receiptId: null, record: null, salt: null }]);
        t.match(await check(database, projectId), { last: 1, erased: 1 });
      },
    );

    t.test('the chain begins behind what was deleted by age, and still follows from its heads', async (t) => {
      const projectId = project();
      const record = createReceiptRecorder(database);
      const nowMs = Date.now();
      const at = (days: number, n: number) => idAt('receipt', nowMs - days * dayMs, Buffer.alloc(16, n));
      const scored = (days: number, n: number) => scoredEntry({ projectId, session: `s${n}`, receiptId: at(days, n) });
      await record([await scored(40, 1), await scored(40, 2)]);
      await database.query("UPDATE receipt_batches SET recorded_at = now() - interval '40 days' WHERE namespace = $1", [
        projectId,
      ]);
      // Recorded days after it was scored.
      await record([await scored(39, 3), await scored(0, 4)]);
      await signDay(database);
      await record([await scored(0, 5)]);
      t.match(await check(database, projectId), { first: 1, last: 5, heads: 1 });
      t.equal(await dropExpiredBatches(database, nowMs, 30), 1);
      t.same((await dropExpiredReceipts(database, nowMs, 30)).length, 2);
      await t.rejects(
        check(database, projectId),
        /number 3 .* was removed/,
        'nothing says yet that it is deleted by age',
      );
      await database.query("INSERT INTO retention_marks (what, deleted_before) VALUES ('receipts', $1)", [
        new Date(nowMs - 30 * dayMs),
      ]);
      t.match(await check(database, projectId), { first: 3, last: 5, expired: 1, recorded: 2, heads: 1 });
      t.ok((await dropExpiredBatches(database, nowMs + 31 * dayMs, 30)) >= 2);
      t.match(await check(database, projectId), { first: 6, last: 5, recorded: 0 });
    });

    t.test('a day is signed once it is over, and once', async (t) => {
      const projectId = project();
      const record = createReceiptRecorder(database);
      await record(await entriesOf(projectId, ['a', 'b']));
      await signHeads({ database, logger, key: receiptKey });
      t.same(await readHeads(database, projectId, null, 10), [], 'the day is not over');
      await signDay(database);
      await record(await entriesOf(projectId, ['c']));
      await signHeads({ database, logger, key: receiptKey });
      const [head, ...others] = await readHeads(database, projectId, null, 10);
      t.match([head, others], [{ seq: 2 }, []]);
      t.same(await readHeads(database, projectId, head?.day ?? '', 10), [], 'none is earlier');
      t.match(await check(database, projectId), { last: 3, heads: 1 });
    });

    t.test('a chain that cannot be signed is logged, and does not hold up the others', async (t) => {
      const record = createReceiptRecorder(database);
      const projects = [project(), project(), project()].sort();
      for (const projectId of projects) await record(await entriesOf(projectId, ['a']));
      const headsOf = () =>
        Promise.all(projects.map(async (projectId) => (await readHeads(database, projectId, null, 10)).length));
      await database.query(
        `INSERT INTO receipt_heads (namespace, day, seq, hash, jws)
         VALUES ($1, (now() AT TIME ZONE 'UTC')::date - 1, 9, '\\x00', 'of another')`,
        [projects[0] ?? ''],
      );
      await signDay(database);
      t.same(await headsOf(), [1, 1, 1]);
      const failed: unknown[] = [];
      const warn = ({ namespace }: { readonly namespace: unknown }): unknown => failed.push(namespace);
      await signHeads({ database, logger: { warn } as unknown as Logger, key: receiptKey });
      t.same(
        projects.map((projectId) => failed.includes(projectId)),
        [true, false, false],
        'the next call retries that one',
      );
    });

    t.test('a retention that is to stop deletes nothing more', async (t) => {
      const record = createReceiptRecorder(database);
      await record(await entriesOf(project(), ['a']));
      const later = Date.now() + 100 * dayMs;
      const isStopping = (): boolean => true;
      t.equal(await dropExpiredBatches(database, later, 30, isStopping), 0);
      t.same(await dropExpiredReceipts(database, later, 30, isStopping), []);
      t.equal(await dropExpiredSessions(database, later, 30, isStopping), 0);
      t.equal(await dropExpiredMarks(database, later, 30, isStopping), 0);
      t.ok((await dropExpiredSessions(database, later, 30)) > 0);
    });
  });

import t, { type Test } from 'tap';
import type { RecordedVerdict } from '../../../src/contract/pool.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import type { VerdictEvent } from '../../../src/contract/session-event.js';
import { insertOrganization } from '../../../src/administration/organization-store.js';
import { insertProject } from '../../../src/administration/project-store.js';
import { createBatchSigner } from '../../../src/crypto/batch-signer.js';
import { makeId } from '../../../src/crypto/ids.js';
import { createMakeRef, deriveSigningKey } from '../../../src/crypto/master-key.js';
import { packSealed } from '../../../src/record/record.js';
import { respondentSubject } from '../../../src/scoring/gather.js';
import { eraseRespondentScores } from '../../../src/scoring/receipts/respondent-erasure.js';
import { createReceiptRecorder, findReceipt } from '../../../src/scoring/receipts/receipts.js';
import { lookAgain } from '../../../src/scoring/verdict-changes/look.js';
import { createVerdictLooks, dropUnwatched } from '../../../src/scoring/verdict-changes/rounds.js';
import { looksPerDay, watchedPerSubject } from '../../../src/scoring/verdict-changes/watched-verdicts.js';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import type { Database, Queryable, TransactionCallOptions } from '../../../src/stores/database/port.js';
import { writeEvents } from '../../../src/stores/outbox/outbox.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { recordVerdict, scoreFacts } from '../../../workers/scoring/score.js';
import { onBothStores, type TestStore } from '../../helpers/both-stores.js';
import { cleanFacts } from '../../helpers/facts.js';
import { workOff } from '../../helpers/outcome-work.js';
import { recordOf, splitFacts } from '../../helpers/records.js';

const receiptKey = deriveSigningKey(new Uint8Array(32), 'receipts');
const signer = createBatchSigner(receiptKey);
const makeRef = createMakeRef(new Uint8Array(32).fill(3));
const judge = (facts: ScoreFacts): RecordedVerdict => recordVerdict(scoreFacts(facts));

async function openWorld(store: TestStore, days = 30) {
  const { database } = store;
  const organizationId = await insertOrganization(database, { name: 'One', tier: 'free', liteEnabled: true });
  const project = await insertProject(database, organizationId, {
    name: 'Project',
    config: { verdictChangedDays: days },
  });
  if (project === null) throw new Error('the project was not made');
  const { projectId } = project;
  const record = createReceiptRecorder(database);
  const refOf = (respondent: string): string => respondentSubject(makeRef, projectId, respondent);
  const events: VerdictEvent[] = [];
  const deps = {
    database,
    outbox: {
      write: writeEvents,
      publish: (published: readonly object[]) => Promise.resolve(void events.push(...(published as VerdictEvent[]))),
      close: () => Promise.resolve(),
    },
    receiptKeys: [receiptKey],
    signer,
    judge,
    now: Date.now,
    logger: createLogger('silent', { write: () => undefined }),
    metrics: createMetrics(),
  };
  return {
    ...{ database, projectId, events, deps, refOf },
    look: createVerdictLooks(deps),
    /** Records scores of a respondent; answers their receipts. */
    async score(respondent: string, sessions: readonly string[], over: { isTest?: boolean; facts?: ScoreFacts } = {}) {
      const entries = await Promise.all(
        sessions.map(async (session) => {
          const receiptId = makeId('receipt');
          const { base, counted } = splitFacts(over.facts ?? cleanFacts({ sessionId: session }));
          const facts = { ...base.facts, receiptId, sessionId: session };
          const own = {
            ...base,
            facts,
            owner: { ...base.owner, organizationId, projectId, receiptId, isTest: over.isTest === true },
            trace: { ...base.trace, session: `ref_${session}` },
            subjects: { respondent: refOf(respondent), source: null, subSource: null },
          };
          const answered = { ...counted, history: { respondent: null, source: null, subSource: null } };
          const verdict = judge(over.facts ?? cleanFacts({ sessionId: session }));
          const packed = recordOf(own, answered, verdict);
          return { key: receiptId, value: packSealed(packed, await signer.seal(packed)) };
        }),
      );
      await record(entries);
      return entries.map(({ key }) => key);
    },
    async report(session: string, type = 'ban'): Promise<void> {
      await database.query('DELETE FROM outcomes WHERE session_ref = $1', [`ref_${session}`]);
      await database.query(
        'INSERT INTO outcomes (namespace, session_ref, type, occurred_at, reason_class) VALUES ($1, $2, $3, now(), $4)',
        [projectId, `ref_${session}`, type, type === 'ban' ? 'fraud' : null],
      );
      await database.query('INSERT INTO adjudication_work (namespace, session_ref) VALUES ($1, $2)', [
        projectId,
        `ref_${session}`,
      ]);
      await workOff(database);
    },
    lookAll: async (look: () => Promise<number>): Promise<number> => {
      let looked = 0;
      for (let page = await look(); page > 0; page = await look()) looked += page;
      return looked;
    },
  };
}

const dueIn = async (database: Database): Promise<readonly string[]> =>
  (
    await database.query<{ ref: string }>(
      'SELECT session_ref AS ref FROM watched_verdicts WHERE due_at <= now() ORDER BY 1',
    )
  ).map(({ ref }) => ref);
const countIn = async (database: Database, table: string): Promise<number> =>
  (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? -1;

onBothStores(t, 'changed verdicts', (t, open) => {
  const world = async (t: Test, days?: number) => openWorld(await open(t), days);

  t.test('a change is a receipt that supersedes, and an event in the outbox, once however many look', async (t) => {
    const { database, deps, events, lookAll, projectId, report, score } = await world(t);
    const [, known = ''] = await score('maria', ['a', 'b']);
    await report('a');
    t.same(await dueIn(database), ['ref_a', 'ref_b']);
    const session = { namespace: projectId, sessionRef: 'ref_b' };
    const found = (await Promise.all([1, 2, 3].map(() => lookAgain(deps, session)))).filter((each) => each !== null);
    t.equal(found.length, 1);
    const [{ sessionId, data }] = found as [VerdictEvent];
    await lookAll(createVerdictLooks(deps));
    t.same(events, [], 'nothing is left to report');
    t.match([sessionId, data.supersedes], ['b', known]);
    const receipt = await findReceipt(database, [receiptKey], data.receipt_id);
    t.match(receipt, { authentic: true, receipt: { supersedes: known, verdict: data.to } });
    t.equal(receipt?.receipt.verdict.modelVersion, judge(cleanFacts()).modelVersion);
    t.match(await database.query('SELECT log_key FROM outbox'), [{ log_key: 'b' }]);
    t.match(
      await database.query(
        'SELECT receipt_id, changed_at IS NOT NULL AS changed FROM session_index ORDER BY session_id',
      ),
      [{ changed: false }, { receipt_id: known, changed: true }],
      'the index keeps the reply of the call',
    );
    t.equal(await countIn(database, 'receipts'), 3);
    t.same(await dueIn(database), []);
  });

  t.test('an outcome that is taken back leads back, and the receipts form one chain', async (t) => {
    const { events, look, lookAll, report, score } = await world(t);
    const [, first = ''] = await score('maria', ['a', 'b']);
    await report('a');
    await lookAll(look);
    await report('a', 'complete');
    await lookAll(look);
    await report('a', 'complete');
    await lookAll(look);
    t.equal(events.length, 2);
    const [there, back] = events.map(({ data }) => data);
    t.match(there, { supersedes: first });
    t.match(back, {
      supersedes: there?.receipt_id,
      from: there?.to,
      to: { recommendation: there?.from.recommendation },
    });
  });

  t.test('only live sessions of projects that ask for it are watched', async (t) => {
    const quiet = await world(t, 0);
    await quiet.score('maria', ['a', 'b']);
    t.equal(await countIn(quiet.database, 'watched_verdicts'), 0);
    const { database, lookAll, look, events, report, score } = await world(t);
    await score('maria', ['a', 'b'], { isTest: true });
    t.equal(await countIn(database, 'watched_verdicts'), 0);
    await score('maria', ['c']);
    await report('c');
    await lookAll(look);
    t.same(events, [], 'the session’s own outcome changes nothing');
  });

  t.test('outcomes ask for watched sessions only where the project asks for changes', async (t) => {
    const asksIn = async (days: number): Promise<number> => {
      const { database, report, score } = await world(t, days);
      let asks = 0;
      const transaction = database.transaction.bind(database);
      const spied = (tx: Queryable): Queryable => ({
        query: (sql, ...rest) => {
          if (sql.includes('watched_verdicts')) asks += 1;
          return tx.query(sql, ...rest);
        },
      });
      Object.assign(database, {
        transaction: (run: (tx: Queryable) => Promise<unknown>, options?: TransactionCallOptions) =>
          transaction((tx) => run(spied(tx)), options),
      });
      await score('maria', ['a', 'b']);
      asks = 0;
      await report('a');
      return asks;
    };
    t.same([await asksIn(0), await asksIn(30)], [0, 1]);
  });

  t.test('of a respondent the latest sessions are looked at, each some times a day', async (t) => {
    const { database, look, lookAll, report, score } = await world(t);
    const names = Array.from({ length: watchedPerSubject + 5 }, (_, n) => `s${String(n).padStart(3, '0')}`);
    for (const name of names) await score('maria', [name]);
    await report('s000');
    t.same(
      await dueIn(database),
      names.slice(5).map((name) => `ref_${name}`),
    );
    t.equal(await lookAll(look), watchedPerSubject);
    await database.query('UPDATE watched_verdicts SET checks = $1', [looksPerDay]);
    await report('s000', 'complete');
    t.same(await dueIn(database), []);
    t.equal(await lookAll(look), 0);
    t.match(
      await database.query(
        "SELECT count(*)::int AS n FROM watched_verdicts WHERE due_at = ((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC'",
      ),
      [{ n: watchedPerSubject }],
      'on the next day, again',
    );
  });

  t.test('a later call is reported with its receipt, and an equal one is not', async (t) => {
    const { database, events, look, lookAll, score } = await world(t);
    const [first = ''] = await score('maria', ['a']);
    await score('maria', ['a']);
    t.same(await dueIn(database), ['ref_a']);
    await lookAll(look);
    t.same(events, []);
    const facts = cleanFacts({ sessionId: 'a', userAgent: 'python-requests/2.31' });
    const [later = ''] = await score('maria', ['a'], { facts });
    await lookAll(look);
    t.match(
      events.map(({ data }) => data),
      [{ receipt_id: later, supersedes: first }],
    );
    t.equal(await countIn(database, 'receipts'), 3, 'no receipt is written for it');
  });

  t.test('a session goes with its days, with its receipt and with its respondent', async (t) => {
    const { database, events, look, lookAll, projectId, report, score } = await world(t);
    const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 1_000 });
    t.teardown(() => counters.close());
    await score('maria', ['a', 'b']);
    await database.query(
      "UPDATE watched_verdicts SET scored_at = now() - interval '31 days' WHERE session_ref = 'ref_b'",
    );
    await report('a');
    await lookAll(look);
    t.same(events, []);
    t.equal(await countIn(database, 'watched_verdicts'), 1, 'its days are over');
    await score('peter', ['c', 'd']);
    await database.query("DELETE FROM receipts WHERE session_ref = 'ref_d'");
    await report('c');
    await lookAll(look);
    t.same(events, []);
    t.equal(await countIn(database, 'watched_verdicts'), 2, 'its receipt is gone');
    await eraseRespondentScores({ database, counters, makeRef }, projectId, 'peter');
    t.match(await database.query('SELECT session_ref FROM watched_verdicts'), [{ session_ref: 'ref_a' }]);
    await database.query("UPDATE watched_verdicts SET scored_at = now() - interval '91 days'");
    t.equal(await dropUnwatched(database, Date.now(), () => true), 0, 'stopped before it began');
    t.equal(await dropUnwatched(database, Date.now()), 1);
  });

  t.test('a session that cannot be judged rests, and the others go on', async (t) => {
    const { database, deps, events, lookAll, report, score } = await world(t);
    await score('maria', ['a', 'b', 'c']);
    await report('a');
    const failing = (facts: ScoreFacts): RecordedVerdict => {
      if (facts.sessionId === 'b') throw new Error('not this one');
      return judge(facts);
    };
    t.equal(await lookAll(createVerdictLooks({ ...deps, judge: failing })), 3);
    t.same(
      events.map(({ sessionId }) => sessionId),
      ['c'],
    );
    t.match(await database.query('SELECT session_ref FROM watched_verdicts WHERE due_at > now()'), [
      { session_ref: 'ref_b' },
    ]);
  });

  t.end();
});

import t from 'tap';
import { createHistoryRound } from '../../../src/scoring/outcomes/history-consumer.js';
import { readjudicate } from '../../../src/scoring/outcomes/adjudication-work.js';
import { createWorkOrders } from '../../../src/scoring/outcomes/work-orders.js';
import type { SessionName } from '../../../src/scoring/outcomes/session-subjects.js';
import { storeUnavailable } from '../../../src/errors.js';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import type { Database } from '../../../src/stores/database/port.js';

const database = await openTestDatabase(t);
t.beforeEach(() => database.query('TRUNCATE adjudication_work, outcomes, history, adjudications, outcome_subjects'));

const order = (projectId: string, sessions: number): Promise<unknown> =>
  database.query(
    'INSERT INTO adjudication_work (namespace, session_ref) SELECT $1, $1 || n FROM generate_series(1, $2::int) AS n',
    [projectId, sessions],
  );
const namesOf = async (sessions: readonly SessionName[]): Promise<readonly SessionName[]> => sessions;
const countBy = (sessions: readonly SessionName[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { namespace } of sessions) counts[namespace] = (counts[namespace] ?? 0) + 1;
  return counts;
};

t.test('a project with a long backlog leaves half of a batch to one that has just begun', async (t) => {
  await order('large', 1_000);
  await order('small', 7);
  const orders = createWorkOrders(database, 100);
  t.same(countBy((await orders.next((_, sessions) => namesOf(sessions))) ?? []), { large: 50, small: 7 });
  t.same(countBy((await orders.next((_, sessions) => namesOf(sessions))) ?? []), { large: 100 });
});

t.test('where more projects wait than are served in one go, each comes in its turn', async (t) => {
  const projects = Array.from({ length: 120 }, (_, n) => `p${String(n).padStart(3, '0')}`);
  for (const project of projects) await order(project, 3);
  const orders = createWorkOrders(database, 50);
  const served = new Set<string>();
  for (let batch = 0; batch < 3; batch += 1)
    for (const { namespace } of (await orders.next((_, sessions) => namesOf(sessions))) ?? []) served.add(namespace);
  t.equal(served.size, projects.length);
});

t.test('an organization with many projects has no more turns than one with a single project', async (t) => {
  const many = Array.from({ length: 60 }, (_, n) => `many${String(n).padStart(2, '0')}`);
  const own = [...many, 'single'];
  await database.query(
    `INSERT INTO organizations (organization_id, name, tier) SELECT owner, owner, 'enterprise' FROM unnest($1::text[]) AS owner`,
    [['org_many', 'org_single']],
  );
  await database.query(
    `INSERT INTO projects (project_id, organization_id, probe_key, fields)
     SELECT project, CASE project WHEN 'single' THEN 'org_single' ELSE 'org_many' END, 'pk_' || project, '{}'::jsonb FROM unnest($1::text[]) AS project`,
    [own],
  );
  for (const project of own) await order(project, 20);
  await order('single~test', 20);
  const orders = createWorkOrders(database, 60);
  const first = countBy((await orders.next((_, sessions) => namesOf(sessions))) ?? []);
  const { single = 0, 'single~test': test = 0, ...others } = first;
  t.same([single, test], [15, 15], 'half of the batch, shared by what it has');
  t.ok(Object.keys(others).length >= 20, 'of the other, many projects');
  const served = new Set(Object.keys(others));
  for (let batch = 0; batch < 3; batch += 1)
    for (const { namespace } of (await orders.next((_, sessions) => namesOf(sessions))) ?? []) served.add(namespace);
  t.ok(
    many.every((project) => served.has(project)),
    'and its projects take turns',
  );
});

t.test('a batch that fails is taken again in smaller ones, and nothing of it is lost', async (t) => {
  await order('slow', 100);
  const orders = createWorkOrders(database, 64);
  const sizes: number[] = [];
  const done = new Set<string>();
  let tries = 0;
  for (let result: unknown = 1; result !== null && tries < 100; tries += 1)
    result = await orders
      .next(async (_, sessions) => {
        sizes.push(sessions.length);
        if (sessions.length > 5) throw storeUnavailable('took too long');
        for (const { sessionRef } of sessions) done.add(sessionRef);
        return sessions;
      })
      .catch(() => 'failed');
  t.same(sizes.slice(0, 3), [64, 16, 4]);
  t.equal(done.size, 100);
});

t.test('an order that fails by itself lets the others of its project pass', async (t) => {
  await order('p', 3);
  const orders = createWorkOrders(database, 1);
  const done: string[] = [];
  for (let tries = 0; tries < 6; tries += 1)
    await orders
      .next(async (_, sessions) => {
        if (sessions[0]?.sessionRef === 'p1') throw new Error('cannot be worked out');
        done.push(...sessions.map(({ sessionRef }) => sessionRef));
      })
      .catch(() => undefined);
  t.same(done, ['p2', 'p3']);
});

t.test('an order that can never be done holds up no other project', async (t) => {
  await order('a', 2);
  await order('b', 5);
  await order('c', 5);
  const orders = createWorkOrders(database, 4);
  const done = new Set<string>();
  for (let tries = 0; tries < 20; tries += 1)
    await orders
      .next(async (_, sessions) => {
        if (sessions.some(({ sessionRef }) => sessionRef === 'a1')) throw storeUnavailable('takes too long');
        for (const { sessionRef } of sessions) done.add(sessionRef);
      })
      .catch(() => undefined);
  t.equal(done.size, 11, 'all but the one');
  const left = await database.query('SELECT session_ref FROM adjudication_work');
  t.same(left, [{ session_ref: 'a1' }], 'which is not given up');
});

t.test(
  'what a batch changed is published before the next is taken, and a store that is away holds up no work',
  async (t) => {
    await seed(database, ['a', 'b'], 600);
    const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 100_000 });
    t.teardown(() => counters.close());
    const seen: { readonly published: number; readonly waiting: number }[] = [];
    let isAway = true;
    const round = createHistoryRound({
      database,
      now: Date.now,
      counters: {
        ...counters,
        publishHistory: async (projectId, records) => {
          if (isAway) throw storeUnavailable('counters: away');
          const [row] = await database.query<{ n: number }>('SELECT count(*) AS n FROM adjudication_work');
          seen.push({ published: records.length, waiting: row?.n ?? 0 });
          await counters.publishHistory(projectId, records);
        },
      },
    });
    await t.rejects(round(), { code: 'STORE_UNAVAILABLE' }, 'a round whose records could not be told says so');
    const left = async (): Promise<number> =>
      (await database.query<{ n: number }>('SELECT count(*) AS n FROM adjudication_work'))[0]?.n ?? 0;
    t.equal(await left(), 0, 'though all of its work is done');
    isAway = false;
    await round();
    t.equal(
      seen.reduce((sum, { published }) => sum + published, 0),
      1_200,
      'and it is told by the next',
    );
    await seed(database, ['a', 'b'], 600);
    seen.length = 0;
    await round();
    t.ok(
      seen.some(({ waiting }) => waiting > 0),
      'while others still wait',
    );
  },
);

t.test('a project whose records the store refuses holds up the telling of no other', async (t) => {
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 100_000 });
  t.teardown(() => counters.close());
  const round = createHistoryRound({
    database,
    now: Date.now,
    counters: {
      ...counters,
      publishHistory: (projectId, records) =>
        projectId === 'a'
          ? Promise.reject(storeUnavailable('counters: its shard is away'))
          : counters.publishHistory(projectId, records),
    },
  });
  await seed(database, ['a', 'b'], 600);
  for (let rounds = 0; rounds < 6; rounds += 1) await t.rejects(round(), { code: 'STORE_UNAVAILABLE' });
  const untold = 'SELECT DISTINCT namespace FROM history WHERE published < version';
  t.same(await database.query(untold), [{ namespace: 'a' }]);
});

/** Sessions whose respondents have an outcome each, and the orders to carry them into the history. */
async function seed(store: Database, projects: readonly string[], sessions: number): Promise<void> {
  for (const project of projects) {
    await store.query(
      `INSERT INTO outcome_subjects SELECT $1, $1 || n, ARRAY['subject' || n], true FROM generate_series(1, $2::int) AS n ON CONFLICT DO NOTHING`,
      [project, sessions],
    );
    await store.query(
      `INSERT INTO outcomes (namespace, session_ref, type, occurred_at) SELECT $1, $1 || n, 'complete', now() FROM generate_series(1, $2::int) AS n`,
      [project, sessions],
    );
    await order(project, sessions);
  }
}

t.test('orders of the same session in one batch are worked off once', async (t) => {
  await order('p', 1);
  await order('p', 1);
  t.same(await createWorkOrders(database).next(readjudicate), { sessions: 1, changed: [] });
});

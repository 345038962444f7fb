import t from 'tap';
import { openEmbeddedDatabase } from '../../../src/stores/database/embedded/open.js';
import { openPostgres } from '../../../src/stores/database/postgres/open.js';
import { shared } from '../../../src/stores/database/shares.js';
import { inOrganization } from '../../../src/stores/database/tenant.js';
import { createDatabase, findStack } from '../../helpers/stores.js';
import { waitUntil } from '../../helpers/wait-until.js';

const stack = findStack(t, 'connections shared among organizations');

if (stack !== null) {
  const open = async (connections: number, waitMsMax = 5_000) => {
    const bare = await openPostgres({ url: await createDatabase(t, stack), poolMax: connections, deadlineMs: 5_000 });
    t.teardown(() => bare.close());
    return { bare, database: shared(bare, { connections, waitMsMax }) };
  };

  t.test('an organization whose calls wait for one lock leaves connections to the others', async (t) => {
    const { bare, database } = await open(4);
    await bare.query(
      'CREATE TABLE locked (n integer PRIMARY KEY, count integer NOT NULL); GRANT ALL ON locked TO PUBLIC',
    );
    await bare.query('INSERT INTO locked VALUES (1, 0)');
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const holder = bare.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM locked WHERE n = 1 FOR UPDATE');
      await ended;
    });
    const storm = Array.from({ length: 20 }, (_, n) =>
      inOrganization(database, 'org_storm', (tx) => tx.query('UPDATE locked SET count = count + 1 WHERE n = 1'), {
        ...(n % 2 === 0 ? { line: 'locked 1' } : {}),
      }),
    );
    await waitUntil(() => (bare.connections?.().busy ?? 0) >= 2, 'the storm waits for the lock');
    const sinceMs = performance.now();
    for (let n = 0; n < 20; n += 1) await inOrganization(database, 'org_neighbour', (tx) => tx.query('SELECT 1'));
    t.ok(performance.now() - sinceMs < 1_000, 'the neighbour did not wait for the lock');
    end();
    await Promise.all([holder, ...storm]);
    t.same(await bare.query('SELECT count FROM locked'), [{ count: 20 }]);
  });

  t.test(
    'a lock that is held for too long ends the calls that wait for it: 503 of the first, 429 of those in line',
    async (t) => {
      const { bare, database } = await open(4, 300);
      await bare.query('CREATE TABLE held (n integer PRIMARY KEY); GRANT ALL ON held TO PUBLIC');
      await bare.query('INSERT INTO held VALUES (1)');
      let [lock, end] = [(): void => undefined, (): void => undefined];
      const locked = new Promise<void>((resolve) => (lock = resolve));
      const ended = new Promise<void>((resolve) => (end = resolve));
      const holder = bare.transaction(async (tx) => {
        await tx.query('SELECT 1 FROM held WHERE n = 1 FOR UPDATE');
        lock();
        await ended;
      });
      const wait = () =>
        inOrganization(database, 'org', (tx) => tx.query('SELECT 1 FROM held WHERE n = 1 FOR UPDATE'), {
          line: 'held',
        });
      await locked;
      await t.rejects(wait(), { code: 'STORE_UNAVAILABLE' }, 'the first in line');
      // Had it no more than the patience of the next, either could end first.
      const first = inOrganization(database, 'org', () => ended, { line: 'held' });
      await t.rejects(wait(), { code: 'RATE_LIMIT_EXCEEDED' }, 'the next in line');
      end();
      await Promise.all([first, holder]);
    },
  );
}

t.test(
  'embedded: however many transactions of one organization wait, those of another take turns with them',
  async (t) => {
    const bare = await openEmbeddedDatabase({ directory: null });
    t.teardown(() => bare.close());
    const uses: { readonly organizationId: string; readonly heldMs: number }[] = [];
    const database = shared(bare, {
      connections: 1,
      observer: ({ organizationId, heldMs }) => uses.push({ organizationId, heldMs: heldMs ?? NaN }),
    });
    const call = (organizationId: string): Promise<unknown> =>
      inOrganization(database, organizationId, (tx) => tx.query('SELECT 1'));
    await Promise.all([
      ...Array.from({ length: 30 }, () => call('org_storm')),
      ...Array.from({ length: 5 }, () => call('org_neighbour')),
    ]);
    t.equal(uses.length, 35);
    // Turns go by the time that each has held the connection, and a call that the machine holds up counts for more than one turn.
    const untilLast = uses.slice(0, uses.findLastIndex(({ organizationId }) => organizationId === 'org_neighbour') + 1);
    const heldMs = (whose: string): number[] =>
      untilLast.filter(({ organizationId }) => organizationId === whose).map((use) => use.heldMs);
    const sum = (list: readonly number[]): number => list.reduce((total, ms) => total + ms, 0);
    const [storm, neighbour] = [heldMs('org_storm'), heldMs('org_neighbour')];
    const clockMs = 0.1 * uses.length;
    t.ok(
      sum(storm.slice(0, -1)) <= sum(neighbour) + clockMs,
      `before its last turn the storm had ${sum(storm.slice(0, -1))} ms of the neighbour's ${sum(neighbour)} ms`,
    );
  },
);

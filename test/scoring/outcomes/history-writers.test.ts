/** Several that write the same records of history at the same moment, in a real PostgreSQL: none waits for another in a circle. */
import t from 'tap';
import { publishRecords } from '../../../src/scoring/outcomes/history-publisher.js';
import { createHistoryShifts, type HistoryRow } from '../../../src/scoring/outcomes/history-shifts.js';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import { migrate } from '../../../src/stores/database/migrate.js';
import type { Queryable } from '../../../src/stores/database/port.js';
import { openPostgres } from '../../../src/stores/database/postgres/open.js';
import { createEmptyDatabase, findStack } from '../../helpers/stores.js';
import { waitUntil } from '../../helpers/wait-until.js';

const stack = findStack(t, 'writers of history in PostgreSQL');
const namespace = 'proj_1';
const adjudication = { fraud: true, clawback: false, atMs: Date.UTC(2026, 0, 1) };

const shift = (tx: Queryable, subjects: readonly string[]): Promise<readonly HistoryRow[]> => {
  const shifts = createHistoryShifts();
  shifts.add(namespace, subjects, adjudication, 1);
  return shifts.apply(tx);
};

interface Gate {
  readonly promise: Promise<void>;
  readonly open: () => void;
}

function createGate(): Gate {
  let open = (): void => undefined;
  return { promise: new Promise<void>((resolve) => (open = resolve)), open: () => open() };
}

if (stack !== null) {
  const database = await openPostgres({ url: await createEmptyDatabase(t, stack), poolMax: 4, deadlineMs: 5_000 });
  t.teardown(() => database.close());
  await migrate(database);
  t.beforeEach(() => database.query('TRUNCATE history'));

  t.test('records that two make at once, and a third finds there, are locked in no circle', async (t) => {
    const codes: unknown[] = [];
    /** Calls `after` with the number of each statement that ended, and notes the codes of those that failed. */
    const watched = (tx: Queryable, after: (nth: number) => Promise<void> | void): Queryable => {
      let ended = 0;
      return {
        query: async (sql, values, options) => {
          const rows = await tx.query(sql, values, options).catch((error: unknown) => {
            codes.push((error as { readonly code?: unknown }).code);
            throw error;
          });
          await after((ended += 1));
          return rows as never;
        },
      };
    };
    const [hasRead, hasMade] = [createGate(), createGate()];
    let third: Promise<unknown> = Promise.resolve();
    let runs = 0;
    const first = database.transaction((tx) => {
      const isFirstRun = (runs += 1) === 1;
      return shift(
        watched(tx, async (nth) => {
          if (!isFirstRun) return;
          if (nth === 2) hasMade.open();
          if (nth !== 1) return;
          // It knows neither record; now one is made, and held by somebody who is about to make the other.
          await database.transaction((other) => shift(other, ['a']));
          third = database.transaction((other) =>
            shift(
              watched(other, (nthOther) => {
                if (nthOther !== 1) return;
                hasRead.open();
                return hasMade.promise;
              }),
              ['a', 'b'],
            ),
          );
          await hasRead.promise;
        }),
        ['a', 'b'],
      );
    });
    await first;
    await third;
    t.same(codes, [], 'nobody was thrown out by the server');
    t.same(
      await database.query('SELECT subject_ref, version::int AS version, days FROM history ORDER BY subject_ref'),
      ['a', 'b'].map((subject) => {
        const times = subject === 'a' ? 3 : 2;
        return { subject_ref: subject, version: times, days: { '20454': [times, times, 0] } };
      }),
      'and each was counted once',
    );
  });

  t.test('what was told is noted in the order in which records are changed', async (t) => {
    const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 100 });
    t.teardown(() => counters.close());
    const rows = await database.transaction((tx) => shift(tx, ['a', 'b']));
    let runs = 0;
    let noted: Promise<void> = Promise.resolve();
    await database.transaction(async (tx) => {
      runs += 1;
      await shift(tx, ['a']);
      noted = publishRecords({ database, counters, now: () => adjudication.atMs }, [...rows].reverse());
      noted.catch(() => undefined);
      const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await waitUntil(async () => (await database.query(waiting)).length > 0, 'it waits for the first record');
      await t.resolves(
        tx.query("SELECT 1 FROM history WHERE subject_ref = 'b' FOR UPDATE NOWAIT"),
        'and holds no other',
      );
    });
    t.equal(runs, 1);
    await noted;
    t.same(await database.query('SELECT subject_ref, version::int, published::int FROM history ORDER BY 1'), [
      { subject_ref: 'a', version: 2, published: 1 },
      { subject_ref: 'b', version: 1, published: 1 },
    ]);
  });
}

/** The report of a large study, on PostgreSQL and embedded: it is what SQL counts from the places, and a reversal that is withdrawn leaves no trace in it. */
import t, { type Test } from 'tap';
import {
  changeReservations,
  findNamed,
  type QuotaReservation,
  type ReservationChange,
} from '../../src/audience/reservation-store.js';
import { readQuotas, type Study } from '../../src/audience/study-store.js';
import { restore, reverseAll, type Rejection } from '../../src/audience/reversals.js';
import { screenedFors } from '../../src/audience/transitions.js';
import type { Database } from '../../src/stores/database/port.js';
import { onBothStores, type TestStore } from '../helpers/both-stores.js';
import { makeStudy } from '../helpers/reservations.js';
import { current, figuresOf } from '../helpers/reversals.js';
import { compareReport, recountStudy } from '../helpers/study-recount.js';

t.setTimeout(120_000);

const places = 10_000;
const reversals = 100;

/** Places that have entered, of three suppliers and of five open sources, on three days, each with its counts. */
async function enterAll(database: Database, { studyId, organizationId, projectId }: Study): Promise<void> {
  await database.query(
    `INSERT INTO study_places (place_id, study_id, organization_id, project_id, respondent_id, source_id, respondent_ref, state, gender, supplier_id, entry, entered_at)
     SELECT 'plc_' || lpad(to_hex(n), 32, '0'), $1, $2, $3, 'r-' || n, 's-' || n % 5, 'r-' || n, 'entering', CASE n % 3 WHEN 0 THEN 'female' WHEN 1 THEN 'male' END,
            CASE WHEN n % 7 < 3 THEN 'sup_' || n % 7 END, 'open', now() - n % 11 % 3 * interval '1 day' FROM generate_series(1, $4::int) AS n`,
    [studyId, organizationId, projectId, places],
  );
  await database.query('UPDATE studies SET entered = $2, sources = 5 WHERE study_id = $1', [studyId, places]);
  await database.query(
    `INSERT INTO study_tallies (study_id, organization_id, supplier_id, source_id, day, entered)
     SELECT study_id, organization_id, coalesce(supplier_id, ''), CASE WHEN supplier_id IS NULL THEN source_id ELSE '' END, (entered_at AT TIME ZONE 'UTC')::date, count(*)
       FROM study_places WHERE study_id = $1 GROUP BY 1, 2, 3, 4, 5`,
    [studyId],
  );
}

/** Every end of the funnel, with completes of many lengths. */
function changesAt(nowMs: number): readonly (ReservationChange | null)[] {
  const returnedAt = (seconds: number): Date => new Date(nowMs + seconds * 1_000);
  const ended = { verified: false, counted: false } as const;
  return [
    null,
    { state: 'surveying', verified: false },
    { state: 'released' },
    ...screenedFors.map((screenedFor) => ({ state: 'screened', screenedFor }) as const),
    ...(['unconfirmed', 'too_fast'] as const).map(
      (completion) => ({ ...ended, state: 'completed', completion, returnedAt: returnedAt(20) }) as const,
    ),
    { ...ended, state: 'terminated', refusedFor: 'fit', returnedAt: returnedAt(90) },
    ...Array.from({ length: 12 }, (_, n) => {
      const returned = { returnedAt: returnedAt(60 + n * n * 25), returnedBy: 'owner' } as const;
      return { state: 'completed', completion: 'confirmed', verified: true, counted: true, ...returned } as const;
    }),
  ];
}

/** Brings every place to an end, many at once. */
async function endAll(database: Database, study: Study): Promise<void> {
  const [row] = await database.query<{ now: Date }>('SELECT now() AS now');
  const changes = changesAt(row?.now.getTime() ?? 0);
  const named = await findNamed(database, study, {
    ids: [],
    rids: Array.from({ length: places }, (_, n) => `r-${n + 1}`),
  });
  const ordered = named.toSorted((a, b) => (a.reservationId < b.reservationId ? -1 : 1));
  for (const [index, change] of changes.entries()) {
    const some = ordered.filter((_place, n) => n % changes.length === index);
    if (change === null) continue;
    await database.transaction(async (tx) => {
      const surveying: ReservationChange = { state: 'surveying' };
      const before = change.state === 'screened' ? some : await changeReservations(tx, some, surveying);
      return changeReservations(tx, before, change);
    });
  }
}

/** Whoever may be a woman counts. */
const quotasAgain = (database: Database, { studyId }: Study) =>
  database.query(
    `SELECT count(*) FILTER (WHERE state IN ('verifying', 'surveying', 'completed'))::int AS held,
            count(*) FILTER (WHERE verified AND state IN ('verifying', 'surveying', 'completed'))::int AS verified,
            count(*) FILTER (WHERE state = 'completed' AND counted)::int AS completed
       FROM study_places WHERE study_id = $1 AND gender IS DISTINCT FROM 'male'`,
    [studyId],
  );

async function compare(t: Test, database: Database, study: Study): Promise<void> {
  await compareReport(t, database, await current(database, study));
  const [quota] = await readQuotas(database, study.studyId);
  t.match(quota, (await quotasAgain(database, study))[0], 'the quota');
}

function testReport(t: Test, open: (t: Test) => Promise<TestStore>): void {
  t.test(
    'the report of 10,000 places is what SQL counts, before reversals, after them and after their withdrawal',
    async (t) => {
      const { database } = await open(t);
      const study = await makeStudy(database, places, [{ name: 'women', gender: 'female', limit: places }]);
      await database.query("UPDATE studies SET returns = 'confirmed' WHERE study_id = $1", [study.studyId]);
      await enterAll(database, study);
      await endAll(database, study);
      t.match((await recountStudy(database, study.studyId, null))[0], { entries: places });
      await compare(t, database, study);
      const before = await figuresOf(database, study);
      const completed = await database.query<{ rid: string }>(
        `SELECT respondent_id AS rid FROM study_places WHERE study_id = $1 AND state = 'completed' ORDER BY md5(place_id) LIMIT ${reversals}`,
        [study.studyId],
      );
      const named = await findNamed(database, study, { ids: [], rids: completed.map(({ rid }) => rid) });
      const rejectionOf = (_place: QuotaReservation, n: number): Rejection => ({
        ...{ by: n % 2 === 0 ? 'dispute' : 'return', reason: n % 3 === 0 ? 'fraud' : 'quality' },
        ...{ note: null, at: new Date() },
      });
      const reversed = await database.transaction(async (tx) =>
        reverseAll(
          tx,
          await current(tx, study),
          named.map((place, n) => ({ place, rejection: rejectionOf(place, n) })),
        ),
      );
      t.equal((await current(database, study)).reversed, reversals);
      await compare(t, database, study);
      await database.transaction(async (tx) => {
        for (const place of reversed) await restore(tx, await current(tx, study), place);
      });
      await compare(t, database, study);
      t.same(await figuresOf(database, study), before);
    },
  );
}

onBothStores(t, 'large reports', testReport);

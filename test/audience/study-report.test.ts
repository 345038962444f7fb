/** The report of a study: every respondent in one place of the funnel, by supplier and by day, from counts that follow every change. */
import t, { type Test } from 'tap';
import type { Queryable } from '../../src/stores/database/port.js';
import { eraseReservations } from '../../src/audience/reservation-erasure.js';
import { changeReservation, openReservation } from '../../src/audience/reservation-store.js';
import { medianOf } from '../../src/audience/study-counts.js';
import { reportStudy } from '../../src/audience/study-report.js';
import { applyEvent } from '../../src/audience/fielding.js';
import { findStudy, type Study } from '../../src/audience/study-store.js';
import { deleteOldReservations } from '../../src/audience/reservation-round.js';
import type { Claimant } from '../../src/audience/limits.js';
import { onBothStores, type TestStore } from '../helpers/both-stores.js';
import { makeStudy } from '../helpers/reservations.js';
import { openSourcesMax } from '../../src/contract/study-report.js';

const traits = { country: null, gender: null, age: null, profession: null };
const claim = (device: string, address: string | null = null): Claimant => ({
  ...{ deviceRef: device, addressRef: address, networkRef: null, networkClass: null },
});

async function current(tx: Queryable, { studyId }: Study): Promise<Study> {
  const study = await findStudy(tx, studyId);
  if (study === null) throw new Error('no study');
  return study;
}

function testReport(t: Test, open: (t: Test) => Promise<TestStore>): void {
  t.test('report', async (t) => {
    const { database } = await open(t);
    const enter = (tx: Queryable, study: Study, rid: string, supplierId: string | null) =>
      openReservation(tx, study, {
        ...{ ...traits, respondentId: rid, respondentRef: rid, sourceId: 's', supplierId, entry: 'open' as const },
      });

    t.test('counts follow every change, by supplier and by day', async (t) => {
      const made = await makeStudy(database, 10);
      await database.transaction(async (tx: Queryable) => {
        const take = async (rid: string, supplier: string | null, who: Claimant) =>
          applyEvent(tx, await current(tx, made), await enter(tx, made, rid, supplier), 'admit', { claim: who });
        const completed = await take('a', 'sup_1', claim('d1', 'home'));
        const rejected = await take('b', 'sup_1', claim('d2', 'home'));
        const fast = await take('c', null, claim('d3', 'else'));
        await enter(tx, made, 'left', 'sup_1');
        const refused = await enter(tx, made, 'e', null);
        await applyEvent(tx, await current(tx, made), refused, 'screen', { change: { screenedFor: 'gate' } });
        for (const place of [completed, rejected]) {
          const returnedAt = new Date((place.surveyedAt?.getTime() ?? 0) + 200_000);
          await applyEvent(tx, await current(tx, made), place, 'complete', {
            change: { completion: 'confirmed', returnedAt },
          });
        }
        await applyEvent(tx, await current(tx, made), fast, 'hold', { change: { completion: 'too_fast' } });
      });
      const report = await reportStudy(database, await current(database, made), 'supplier');
      t.match(report.totals, {
        ...{ entries: 5, undecided: 1, completed: 2, tooFast: 1, unconfirmed: 0, inSurvey: 0, reversed: 0 },
        ...{ screenedOut: { quality: 1, gate: 1, verification: 0, full: 0 }, sameAddress: 1, sameDevice: 0 },
      });
      t.ok(Math.abs((report.totals.medianSeconds ?? 0) - 200) <= 5, String(report.totals.medianSeconds));
      t.match(report.rows, [
        { supplierId: 'sup_1', day: null, entries: 3, undecided: 1, completed: 2, sameAddress: 1 },
        { supplierId: null, day: null, entries: 2, tooFast: 1, screenedOut: { quality: 1 }, medianSeconds: null },
      ]);
      t.match(report.groups, [{ kind: 'address', group: 'home', places: 2, completed: 2 }]);
      await database.transaction(async (tx: Queryable) => {
        const rejected = await enter(tx, made, 'b', 'sup_1');
        await applyEvent(tx, await current(tx, made), rejected, 'reverse', { change: { completion: 'reversed' } });
      });
      const byDay = await reportStudy(database, await current(database, made), 'day');
      t.match(byDay.rows, [
        { supplierId: null, day: /^\d{4}-\d\d-\d\d$/, entries: 5, completed: 1, reversed: 1, terminated: 0 },
      ]);
      t.match(byDay.groups, [{ places: 2, completed: 1 }]);
    });

    t.test('open links count by source, and sources beyond the most count together', async (t) => {
      const made = await makeStudy(database, 1_000);
      const arrive = (rid: string, sourceId: string, supplierId: string | null = null) =>
        database.transaction(async (tx: Queryable) => {
          const who = {
            ...traits,
            respondentId: rid,
            respondentRef: rid,
            sourceId,
            supplierId,
            entry: 'open' as const,
          };
          const place = await openReservation(tx, made, who);
          await applyEvent(tx, await current(tx, made), place, 'screen', { change: { screenedFor: 'gate' } });
        });
      for (let n = 0; n < openSourcesMax + 3; n++) await arrive(`r${n}`, `source-${n}`);
      for (const rid of ['a', 'b']) await arrive(rid, 'source-0');
      await arrive('supplied', 'source-1', 'sup_1');
      const { rows } = await reportStudy(database, await current(database, made), 'source');
      t.equal(rows.length, openSourcesMax + 2);
      const find = (sourceId: string | null, supplierId: string | null = null) =>
        rows.find((row) => row.sourceId === sourceId && row.supplierId === supplierId);
      t.match(find('source-0'), { entries: 3, screenedOut: { gate: 3 } });
      t.match(find(null), { entries: 3, screenedOut: { gate: 3 } }, 'those that came when there were enough');
      t.match(find(null, 'sup_1'), { entries: 1 });
      const bySupplier = await reportStudy(database, await current(database, made), 'supplier');
      t.same(
        bySupplier.rows.map(({ supplierId, sourceId, entries }) => [supplierId, sourceId, entries]),
        [
          [null, null, openSourcesMax + 5],
          ['sup_1', null, 1],
        ],
      );
    });

    t.test('what is erased or too old stays counted, and names nobody among who took places', async (t) => {
      const made = await makeStudy(database, 10);
      await database.transaction(async (tx: Queryable) => {
        for (const rid of ['x', 'y', 'z'])
          await applyEvent(tx, await current(tx, made), await enter(tx, made, rid, null), 'admit', {
            claim: claim(rid, 'shared'),
          });
      });
      const claimants = async () =>
        database.query<{ kind: string; ref: string; places: number }>(
          'SELECT kind, ref, places FROM study_claimants WHERE study_id = $1 ORDER BY kind, ref',
          [made.studyId],
        );
      await eraseReservations(database, { ...made, respondentId: 'x' }, () => Promise.resolve(0));
      t.match(await claimants(), [
        { kind: 'address', ref: 'shared', places: 2 },
        { kind: 'device', ref: 'y' },
        { kind: 'device', ref: 'z' },
      ]);
      await database.query(
        "UPDATE study_places SET state = 'released', entered_at = now() - interval '9 days' WHERE study_id = $1",
        [made.studyId],
      );
      await deleteOldReservations({ database, retentionDays: 8 });
      t.same(await claimants(), []);
      t.match((await reportStudy(database, await current(database, made), 'day')).totals, { entries: 3 });
    });

    t.test('the counts of a place that changes in every way come to what the places are', async (t) => {
      const made = await makeStudy(database, 10);
      await database.transaction(async (tx: Queryable) => {
        const place = await enter(tx, made, 'p', 'sup_2');
        const survey = await changeReservation(tx, place, { state: 'surveying', deviceRef: 'd' });
        const released = await changeReservation(tx, survey, { state: 'released' });
        const back = await changeReservation(tx, released, {
          state: 'completed',
          ...{ verified: true, counted: true },
          returnedAt: new Date(),
        });
        await changeReservation(tx, back, { returnedAt: new Date(Date.now() + 3_600_000) });
      });
      const { totals } = await reportStudy(database, await current(database, made), 'supplier');
      t.match(totals, { entries: 1, undecided: 0, inSurvey: 0, released: 0, completed: 1, verified: 1 });
      t.ok(Math.abs((totals.medianSeconds ?? 0) - 3_600) <= 90, String(totals.medianSeconds));
    });
  });
}

t.test('the median of times is that of the middle one, within its bucket', (t) => {
  const bucket = (seconds: number): string => String(Math.floor(Math.log(1 + seconds) / Math.log(1.05)));
  const near = (value: number | null, wanted: number): void =>
    void t.ok(value !== null && Math.abs(value - wanted) <= Math.max(1, wanted * 0.026), `${value} of ${wanted}`);
  t.equal(medianOf([]), null);
  t.equal(medianOf([{ '0': 3 }]), 0);
  for (const seconds of [5, 60, 331, 2_400]) near(medianOf([{ [bucket(seconds)]: 1 }]), seconds);
  near(medianOf([{ [bucket(60)]: 2 }, { [bucket(600)]: 1, [bucket(60)]: 0 }]), 60);
  t.end();
});

onBothStores(t, 'reports of studies', testReport);

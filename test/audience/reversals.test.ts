/** Completes that are rejected after the fact, on PostgreSQL and embedded: every figure follows, and a withdrawal leaves none changed. */
import t, { type Test } from 'tap';
import { applyEvent } from '../../src/audience/fielding.js';
import {
  findReservation,
  openReservation,
  type QuotaReservation,
  type ReservationChange,
} from '../../src/audience/reservation-store.js';
import { restore, reverseAll } from '../../src/audience/reversals.js';
import { setStatus, type Study } from '../../src/audience/study-store.js';
import { screenedFors, type PlaceEvent } from '../../src/audience/transitions.js';
import { makeId } from '../../src/crypto/ids.js';
import type { Database, Queryable } from '../../src/stores/database/port.js';
import { createRandom } from '../../workers/seeded-random.js';
import { onBothStores, type TestStore } from '../helpers/both-stores.js';
import { makeStudy, tokenOf } from '../helpers/reservations.js';
import { current, figuresOf, reversalsOf } from '../helpers/reversals.js';
import { compareReport } from '../helpers/study-recount.js';

t.setTimeout(600_000);

type Change = (tx: Queryable, study: Study, place: QuotaReservation) => Promise<QuotaReservation>;

function testReversals(t: Test, open: (t: Test) => Promise<TestStore>): void {
  t.test('reversals', async (t) => {
    const { database } = await open(t);
    const { instance, rejected, settle, dispute, withdraw, complete, reportAsOwner } = await reversalsOf(t, database);

    t.test('a dispute gives place and quota back, and its withdrawal leaves every figure as it was', async (t) => {
      const study = await makeStudy(database, 3, [{ name: 'women', gender: 'female', limit: 2 }]);
      const place = await complete(study, 'a', 'female');
      await complete(study, 'b', 'female');
      t.match(await instance.enter(study, 'c', 'female'), { page: 'full' }, 'the quota is full');
      const before = await figuresOf(database, study);
      t.match(await dispute(study, [{ rid: 'a', reason: 'fraud', note: 'speed' }]), {
        ...{ received: 1, reversed: 1, already: 0, unknown: 0 },
        rows: [{ rid: 'a', place, result: 'reversed' }],
      });
      t.match(await figuresOf(database, study), {
        study: { held: 1, verified: 1, completed: 1, reversed: 1, terminated: 0 },
        quotas: [{ held: 1, verified: 1, completed: 1 }],
        suppliers: { totals: { completed: 1, reversed: 1 } },
      });
      t.match(
        await dispute(study, [
          { place, reason: 'quality' },
          { rid: 'a', reason: 'fraud' },
        ]),
        { already: 2, reversed: 0 },
      );
      t.match(await withdraw(study, place), { place, status: 'completed', completion: 'confirmed', changed: true });
      t.same(await figuresOf(database, study), before);
      t.match(await withdraw(study, place), { completion: 'confirmed', changed: false });
      t.match(
        instance.told.filter((line) => line.startsWith(place)).map((line) => line.split(' ')[1]),
        ['complete', 'complete', 'reconciliation', 'complete', 'reconciliation', 'custom'],
      );
      await dispute(study, [{ place, reason: 'unknown' }]);
      t.match(await instance.enter(study, 'd', 'female'), { kind: 'redirect' }, 'somebody else takes the place');
      t.match(await withdraw(study, place), { completion: 'confirmed' }, 'room or not');
      t.match(await current(database, study), { held: 3, completed: 2 });
    });

    t.test('rows are answered one by one, and only completes are rejected', async (t) => {
      const study = await makeStudy(database, 9);
      const other = await complete(await makeStudy(database, 1), 'elsewhere');
      const counted = await complete(study, 'a');
      await instance.enter(study, 'still there');
      const answer = await dispute(study, [
        { rid: 'nobody', reason: 'fraud' },
        { place: other, reason: 'fraud' },
        { rid: 'still there', reason: 'fraud' },
        { rid: 'a', sourceId: 'another', reason: 'fraud' },
        { rid: 'a', sourceId: 's', reason: 'fraud' },
      ]);
      t.match(answer, { received: 5, reversed: 1, unknown: 3, notCompleted: 1, already: 0, ambiguous: 0 });
      t.same(
        answer.rows.map(({ result, place }) => [result, place === counted]),
        [
          ['unknown', false],
          ['unknown', false],
          ['not_completed', false],
          ['unknown', false],
          ['reversed', true],
        ],
      );
      const twin = {
        respondentId: 'a',
        respondentRef: 'a of t',
        sourceId: 't',
        supplierId: null,
        entry: 'signed',
      } as const;
      const traits = { country: null, gender: null, age: null, profession: null };
      const { reservationId } = await database.transaction((tx) => openReservation(tx, study, { ...twin, ...traits }));
      const setState = (state: string) =>
        database.query('UPDATE study_places SET state = $2, screened_for = $3 WHERE place_id = $1', [
          ...[reservationId, state, state === 'screened' ? 'gate' : null],
        ]);
      for (const state of ['entering', 'screened']) {
        await setState(state);
        t.match(
          await dispute(study, [{ rid: 'a', reason: 'fraud' }]),
          { already: 1, rows: [{ rid: 'a', place: counted }] },
          `a place of that rid that nobody took: ${state}`,
        );
      }
      await setState('surveying');
      t.match(await dispute(study, [{ rid: 'a', reason: 'fraud' }]), {
        ambiguous: 1,
        rows: [{ rid: 'a', place: null }],
      });
      await t.rejects(dispute(study, [{ reason: 'fraud' }]), { code: 'VALIDATION_FAILED' });
      await t.rejects(withdraw(study, other), { code: 'NOT_FOUND' });
    });

    t.test('a row that names a place and another respondent rejects neither', async (t) => {
      const study = await makeStudy(database, 5);
      const [place] = [await complete(study, 'a'), await complete(study, 'b')];
      const answer = await dispute(study, [
        { place, rid: 'b', reason: 'fraud' },
        { place, sourceId: 'another', reason: 'fraud' },
        { place, rid: 'a', sourceId: 's', reason: 'fraud' },
      ]);
      t.same(
        answer.rows.map(({ result }) => result),
        ['unknown', 'unknown', 'reversed'],
      );
      t.match(await current(database, study), { completed: 1, reversed: 1 });
    });

    t.test('a study that has ended gives nothing out, and its completes may still be rejected', async (t) => {
      const study = await makeStudy(database, 1);
      await complete(study, 'a');
      await setStatus(database, study.studyId, 'completed');
      t.match(await dispute(study, [{ rid: 'a', reason: 'quality' }]), { reversed: 1 });
      t.match(await instance.enter(study, 'b'), { page: 'closed' });
    });

    t.test('an outcome event rejects a complete, before it or after it, and its retraction restores it', async (t) => {
      const study = await makeStudy(database, 5);
      const owner = { organizationId: study.organizationId };
      const place = await complete(study, 'a');
      const before = await figuresOf(database, study);
      rejected.set(place, 'fraud');
      for (let times = 0; times < 2; times++) await settle(owner, [place, 'plc_none', makeId('reservation')]);
      t.match(await current(database, study), { completed: 0, reversed: 1 });
      t.match(await dispute(study, [{ place, reason: 'quality' }]), { already: 1 });
      await t.rejects(withdraw(study, place), { code: 'CONFLICT', message: /Retract the event/ });
      await settle({ organizationId: 'org_other' }, [place]);
      rejected.set(place, 'quality');
      await settle(owner, [place]);
      t.match(await findReservation(database, place), { refusedFor: 'quality' }, 'the reason was corrected');
      rejected.clear();
      for (let times = 0; times < 2; times++) await settle(owner, [place]);
      t.same(await figuresOf(database, study), before);
      t.notOk(
        instance.told.some((line) => line.startsWith(`${place} reconciliation`)),
        'scoring knew of it',
      );
    });

    t.test('the survey rejects what it had reported, and a weaker word does not', async (t) => {
      const study = await makeStudy(database, 5);
      const token = tokenOf(await instance.enter(study, 'a'));
      await instance.report(study, token, 'complete');
      t.match(await instance.returns.comeBack(token, 'quality'), { page: 'thanks' });
      t.match(await current(database, study), { completed: 1, reversed: 0 });
      t.match(await instance.report(study, token, 'terminate'), { changed: false });
      t.match(await instance.report(study, token, 'quality'), { completion: 'reversed', changed: true });
      t.match(await instance.report(study, token, 'quality'), { completion: 'reversed', changed: false });
      t.match(await current(database, study), { completed: 0, reversed: 1, held: 0 });
    });

    t.test('a stronger refusal gives a complete that a return rejected its own reason', async (t) => {
      const study = await makeStudy(database, 5);
      const token = tokenOf(await instance.enter(study, 'a'));
      const { place } = await instance.report(study, token, 'complete');
      const before = await figuresOf(database, study);
      await instance.report(study, token, 'quality');
      const refuse = () => reportAsOwner(study, place, 'terminate');
      t.match(await refuse(), { status: 'terminated', completion: 'reversed', changed: true });
      t.match(await refuse(), { completion: 'reversed', changed: false }, 'again');
      t.match(await findReservation(database, place), {
        refusedFor: 'fit',
        returnedBy: 'owner',
        reversedFrom: 'confirmed',
      });
      const taught = (type: string) => instance.told.filter((line) => line.startsWith(`${place} ${type}`)).length;
      t.equal(taught('reconciliation'), 2, 'scoring learns of the reason');
      t.match(await current(database, study), { completed: 0, reversed: 1, held: 0 });
      t.match(await withdraw(study, place), { completion: 'confirmed', changed: true });
      t.same(await figuresOf(database, study), before);
    });

    t.test(
      'a rejection by a return that its owner withdrew stays withdrawn, whatever repeats the return',
      async (t) => {
        const study = await makeStudy(database, 5);
        const token = tokenOf(await instance.enter(study, 'a'));
        const { place } = await instance.report(study, token, 'complete');
        t.match(await instance.report(study, token, 'quality'), { completion: 'reversed' });
        t.match(await withdraw(study, place), { completion: 'confirmed', changed: true });
        const before = await figuresOf(database, study);
        for (const status of ['quality', 'terminate'] as const)
          t.match(await instance.report(study, token, status), { completion: 'confirmed', changed: false }, status);
        t.same(await figuresOf(database, study), before);
        t.match(
          await reportAsOwner(study, place, 'quality'),
          { completion: 'reversed' },
          'the owner may say otherwise',
        );
        t.match(await withdraw(study, place), { completion: 'confirmed', changed: true });
        for (const status of ['quality', 'terminate', 'complete'] as const)
          t.match(await reportAsOwner(study, place, status), { completion: 'confirmed', changed: false }, status);
        t.same(await figuresOf(database, study), before, 'and withdraws their own return for good');
        await dispute(study, [{ place, reason: 'fraud' }]);
        t.match(await withdraw(study, place), { completion: 'confirmed' });
        t.match(await reportAsOwner(study, place, 'quality'), { completion: 'confirmed', changed: false });
      },
    );

    t.test('a report that scoring did not take is repeated with what holds by then', async (t) => {
      const study = await makeStudy(database, 5);
      const place = await complete(study, 'a');
      instance.setAway(true);
      await dispute(study, [{ place, reason: 'fraud' }]);
      const due = () =>
        database.query<{ due: boolean }>('SELECT outcome_due AS due FROM study_places WHERE place_id = $1', [place]);
      t.same(await due(), [{ due: true }]);
      instance.setAway(false);
      await withdraw(study, place);
      t.same(await due(), [{ due: false }]);
      t.match(instance.told.at(-1), `${place} custom`);
    });

    t.test(
      'the report of places in every state is what SQL counts from them, before and after reversals',
      async (t) => {
        const study = await makeStudy(database, 210, [{ name: 'women', gender: 'female', limit: 90 }]);
        await database.query("UPDATE studies SET returns = 'confirmed' WHERE study_id = $1", [study.studyId]);
        const places = await populate(database, study, 300);
        await compareReport(t, database, await current(database, study));
        const before = await figuresOf(database, study);
        const completed = places.filter(({ state }) => state === 'completed').slice(0, 40);
        const changeAll = async (
          change: Change,
          of: readonly QuotaReservation[],
        ): Promise<readonly QuotaReservation[]> => {
          const changed: QuotaReservation[] = [];
          for (const place of of)
            changed.push(await database.transaction(async (tx) => change(tx, await current(tx, study), place)));
          return changed;
        };
        const rejection = { by: 'dispute', reason: 'fraud', note: null, at: new Date() } as const;
        const reversed = await database.transaction(async (tx) =>
          reverseAll(
            tx,
            await current(tx, study),
            completed.map((place) => ({ place, rejection })),
          ),
        );
        t.equal((await current(database, study)).reversed, completed.length);
        await compareReport(t, database, await current(database, study));
        await changeAll(restore, reversed);
        t.same(await figuresOf(database, study), before);
      },
    );
  });
}

/** Places in every state, of three suppliers and none, on three days, by what a fixed seed draws. Ten thousand stand in large-report.test.ts. */
async function populate(database: Database, study: Study, count: number): Promise<readonly QuotaReservation[]> {
  const random = createRandom(20_261_128);
  const places: QuotaReservation[] = [];
  for (let n = 0; n < count; n++) {
    const days = Math.floor(n / 105);
    if (n % 105 === 0)
      await database.query(`ALTER TABLE study_places ALTER entered_at SET DEFAULT now() - interval '${days} days'`);
    places.push(await database.transaction((tx) => drawPlace(tx, study, `r-${n}`, random)));
  }
  await database.query('ALTER TABLE study_places ALTER entered_at SET DEFAULT now()');
  return places;
}

async function drawPlace(tx: Queryable, study: Study, rid: string, random: () => number): Promise<QuotaReservation> {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  let place = await openReservation(tx, study, {
    ...{ respondentId: rid, respondentRef: rid, sourceId: `source-${rid.slice(-1)}`, entry: 'open' },
    ...{ supplierId: pick(['sup_1', 'sup_2', 'sup_3', null]), gender: pick(['female', 'male', null]) },
    ...{ country: null, age: null, profession: null },
  });
  const step = async (event: PlaceEvent, change: ReservationChange = {}): Promise<void> => {
    place = await applyEvent(tx, await current(tx, study), place, event, { change });
  };
  const way = random();
  if (way < 0.05) return place;
  if (way < 0.25) await step('screen', { screenedFor: pick(screenedFors) });
  else {
    await step('admit');
    const returnedAt = new Date((place.surveyedAt?.getTime() ?? 0) + Math.floor(10 + random() * 3_000) * 1_000);
    if (way < 0.3) await step('expire');
    else if (way < 0.4) await step('terminate', { refusedFor: pick(['fit', 'quality'] as const), returnedAt });
    else if (way < 0.5) await step('hold', { completion: pick(['unconfirmed', 'too_fast'] as const), returnedAt });
    else if (way < 0.95) await step('complete', { completion: 'confirmed', returnedAt });
  }
  return place;
}

onBothStores(t, 'reversals', testReversals);

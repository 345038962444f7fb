/** Reports of places to scoring, on PostgreSQL and embedded: what was decided last stands, in whichever order reports arrive. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { createOutcomeReporter } from '../../src/audience/outcome-reporter.js';
import type { QuotaReservation } from '../../src/audience/reservation-store.js';
import { reportUnreported } from '../../src/audience/reservation-round.js';
import { underLock } from '../../src/audience/fielding.js';
import { restore, reverseAll } from '../../src/audience/reversals.js';
import type { Study } from '../../src/audience/study-store.js';
import type { OutcomeEvent } from '../../src/contract/outcome.js';
import type { DataOwner } from '../../src/kernel/caller.js';
import { adjudicate } from '../../src/scoring/outcomes/adjudication-rules.js';
import { readOutcomes } from '../../src/scoring/outcomes/adjudication-work.js';
import { rowOf, rowOwnerOf } from '../../src/scoring/outcomes/outcome-rows.js';
import { storeEvents } from '../../src/scoring/outcomes/outcome-store.js';
import { nameOf } from '../../src/scoring/outcomes/session-subjects.js';
import type { Database } from '../../src/stores/database/port.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { onBothStores, type TestStore } from '../helpers/both-stores.js';
import { placeOf } from '../helpers/fielding.js';
import { instanceOf, makeStudy, tokenOf } from '../helpers/reservations.js';

t.setTimeout(120_000);

const makeRef = (...parts: readonly string[]): string => parts.join(' ');

/** A place that completed, and scoring, which knows what was reported of it. */
async function completeIn(t: Test, database: Database) {
  const study = await makeStudy(database, 5);
  const instance = await instanceOf(t, database, new Uint8Array(32));
  const token = tokenOf(await instance.enter(study, 'r'));
  await instance.report(study, token, 'complete');
  const reservationId = placeOf(token);
  let owner: DataOwner | null = null;
  const accept = async (caller: DataOwner, events: readonly OutcomeEvent[]): Promise<void> => {
    owner = caller;
    await storeEvents(
      database,
      events.map((event) => rowOf(event, rowOwnerOf(caller), makeRef)),
    );
  };
  const change = (run: Parameters<typeof underLock<QuotaReservation>>[2]) =>
    underLock(database, { ...study, reservationId }, run);
  return {
    study,
    accept,
    reporter: (acceptOutcomes = accept) =>
      createOutcomeReporter({
        ...{ database, acceptOutcomes, logger: createLogger('silent') },
        settlePlaces: () => Promise.resolve(),
      }),
    dispute: (at: Date) =>
      change(async (tx, current, place) => {
        const rejection = { by: 'dispute', reason: 'fraud', note: null, at } as const;
        const [reversed = place] = await reverseAll(tx, current, [{ place, rejection }]);
        return reversed;
      }),
    withdraw: () => change(restore),
    /** Whether scoring holds the respondent for a fraud. */
    isFraud: async (): Promise<boolean | undefined> => {
      if (owner === null) return undefined;
      const { namespace, holder } = rowOwnerOf(owner);
      const session = { namespace, sessionRef: makeRef(holder, 'session', reservationId) };
      const stated = (await readOutcomes(database, [session])).get(nameOf(session)) ?? [];
      return adjudicate(stated)?.fraud;
    },
  };
}

function testReporter(t: Test, open: (t: Test) => Promise<TestStore>): void {
  t.test(
    'a dispute that is reported after its withdrawal does not count, even if its process ends there',
    async (t) => {
      const { database } = await open(t);
      const { study, accept, reporter, dispute, withdraw, isFraud } = await completeIn(t, database);
      const [disputed, withdrawn] = [await dispute(new Date()), await withdraw()];
      await reporter()(study, [withdrawn]);
      await reporter(async (caller, events) => {
        await accept(caller, events);
        throw new Error('the process ends');
      })(study, [disputed]);
      t.equal(await isFraud(), false);
    },
  );

  t.test('whatever the order of the reports, the last of several disputes and withdrawals counts', async (t) => {
    const { database } = await open(t);
    const run = async (last: number, order: readonly number[]): Promise<void> => {
      const { study, reporter, dispute, withdraw, isFraud } = await completeIn(t, database);
      const decisions: QuotaReservation[] = [];
      for (let n = 0; n <= last; n++)
        decisions.push(n % 2 === 0 ? await dispute(new Date(Date.now() + n)) : await withdraw());
      for (const n of order) {
        const decided = decisions[n];
        if (decided !== undefined) await reporter()(study, [decided]);
      }
      await database.query(`UPDATE study_places SET returned_at = now() - interval '1 minute' WHERE study_id = $1`, [
        study.studyId,
      ]);
      await reportUnreported({ database, reportOutcomes: reporter() });
      assert.equal(await isFraud(), last % 2 === 0, `after ${last + 1} decisions, reported as ${order.join()}`);
    };
    const orders = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 });
    await fc.assert(fc.asyncProperty(fc.nat(3), orders, run), { numRuns: 20 });
  });

  t.test('a round reports the places of a study together, and those of every organization', async (t) => {
    const { database } = await open(t);
    const [flood, neighbour] = [await makeStudy(database, 5), await makeStudy(database, 5)];
    const giveDue = ({ studyId, organizationId, projectId }: Study, days: number, from: number, count: number) =>
      database.query(
        `INSERT INTO study_places (place_id, study_id, organization_id, project_id, respondent_id, source_id, respondent_ref, state, entry, returned_at, outcome_due)
         SELECT 'plc_' || lpad(to_hex(n), 32, '0'), $1, $2, $3, 'r', 's', 'r-' || n, 'terminated', 'open', now() - $4 * interval '1 day', true
           FROM generate_series($5::int, $6::int) AS n`,
        [studyId, organizationId, projectId, days, from, from + count - 1],
      );
    await giveDue(flood, 2, 1, 300);
    await giveDue(neighbour, 1, 1_000, 3);
    const reports: (readonly [studyId: string, places: number])[] = [];
    await reportUnreported({
      database,
      reportOutcomes: ({ studyId }, places) => Promise.resolve(void reports.push([studyId, places.length])),
    });
    t.same(
      new Map(reports),
      new Map([
        [flood.studyId, 197],
        [neighbour.studyId, 3],
      ]),
    );
    t.equal(reports.length, 2);
  });
}

onBothStores(t, 'reports of places', testReporter);

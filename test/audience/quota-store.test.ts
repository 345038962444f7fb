/** Counts of quotas, on PostgreSQL and embedded: never another sum than a full count, and made in pieces that let others pass. */
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { operator } from '../../src/administration/audit.js';
import { countNewQuotas, quotaCounts } from '../../src/audience/quota-store.js';
import { releaseReservations } from '../../src/audience/reservation-round.js';
import { findReservation, type QuotaReservation } from '../../src/audience/reservation-store.js';
import { restore, reverseAll } from '../../src/audience/reversals.js';
import { createStudyService } from '../../src/audience/study-service.js';
import { changeStudy, findStudy, readQuotas, type Study } from '../../src/audience/study-store.js';
import { createSecretStore } from '../../src/administration/secret-store.js';
import type { StudyQuota } from '../../src/contract/study.js';
import type { Database, Queryable } from '../../src/stores/database/port.js';
import { onBothStores, type TestStore } from '../helpers/both-stores.js';
import { instanceOf, makeStudy, tokenOf } from '../helpers/reservations.js';

t.setTimeout(120_000);

const draw = (n: number): number => Math.floor(Math.random() * n);
const someOf = <T>(...values: T[]): T | undefined => values[draw(values.length)];
const drawQuotas = (): StudyQuota[] =>
  Array.from({ length: draw(5) }, (_, name) => {
    const [country, gender] = [someOf('DE', undefined), someOf('female', 'male', undefined)];
    return { name: `q${name}`, limit: 1_000, ...(country && { country }), ...(gender && { gender }) };
  });

const locked = <T>(database: Database, { studyId }: Study, run: (tx: Queryable, study: Study) => Promise<T>) =>
  database.transaction(async (tx) => {
    const study = await findStudy(tx, studyId, { lock: true });
    if (study === null) throw new Error('the study is gone');
    return run(tx, study);
  });

/** Each quota with its counts, and with those of a full count of the places. */
const compareWithFull = (database: Database, { studyId }: Study) => {
  const full = (condition: string): string =>
    `(SELECT count(*) FROM study_places p WHERE p.study_id = $1 AND ${condition} AND ${quotaCounts})::int`;
  return database.query(
    `SELECT q.name, q.held, q.verified, q.completed, ${full("p.state IN ('verifying', 'surveying', 'completed')")} AS "heldFull",
            ${full("p.verified AND p.state IN ('verifying', 'surveying', 'completed')")} AS "verifiedFull",
            ${full("p.verified AND p.state = 'completed'")} AS "completedFull"
       FROM study_quotas q WHERE study_id = $1 ORDER BY position`,
    [studyId],
  );
};

function testQuotas(t: Test, open: (t: Test) => Promise<TestStore>): void {
  t.test('counts of quotas', async (t) => {
    const { database } = await open(t);
    const instance = await instanceOf(t, database, randomBytes(32));

    t.test(
      'equal those of a full count, whatever happened in whatever order, and while new ones are counted',
      async (t) => {
        const study = await makeStudy(database, 60);
        const places: string[] = [];
        const somePlace = async (tx: Queryable, where: string): Promise<QuotaReservation | null> => {
          const [row] = await tx.query<{ id: string }>(
            `SELECT place_id AS id FROM study_places WHERE study_id = $1 AND ${where} ORDER BY random() LIMIT 1`,
            [study.studyId],
          );
          return row === undefined ? null : findReservation(tx, row.id);
        };
        let next = drawQuotas();
        const steps: (() => Promise<unknown>)[] = [
          async () => {
            const rid = `p${draw(1e9)}`;
            const entered = await instance.enter(study, rid, someOf('female', 'male', null), someOf('DE', null));
            if (entered.kind === 'redirect') places.push(tokenOf(entered));
          },
          () =>
            instance.report(study, someOf(...places) ?? '', someOf('complete', 'complete', 'terminate') ?? 'complete'),
          async () => {
            await database.query(
              `UPDATE study_places SET due_at = now() - interval '1 second' WHERE place_id IN (
               SELECT place_id FROM study_places WHERE study_id = $1 AND state = 'surveying' LIMIT 2)`,
              [study.studyId],
            );
            await releaseReservations({ database });
          },
          () =>
            locked(database, study, async (tx, now) => {
              const place = await somePlace(tx, "state = 'completed'");
              const rejection = { by: 'dispute', reason: 'fraud', note: null, at: new Date() } as const;
              if (place !== null) await reverseAll(tx, now, [{ place, rejection }]);
            }),
          () =>
            locked(database, study, async (tx, now) => {
              const place = await somePlace(tx, "completion = 'reversed'");
              if (place !== null) await restore(tx, now, place);
            }),
          () => locked(database, study, (tx, now) => countNewQuotas(tx, now, next, 1)),
          () => locked(database, study, (tx, now) => countNewQuotas(tx, now, next, 1)),
          async () => {
            await locked(database, study, (tx, now) => changeStudy(tx, now, { ...now, quotas: next }));
            next = drawQuotas();
          },
        ];
        let reversed = 0;
        for (let step = 0; step < 250; step += 1) {
          const what = places.length < 6 || draw(3) === 0 ? 0 : draw(steps.length);
          await steps[what]?.();
          for (const { name, held, verified, completed, ...full } of await compareWithFull(database, study))
            t.same(
              [held, verified, completed],
              [full['heldFull'], full['verifiedFull'], full['completedFull']],
              `${String(name)} after step ${step}`,
            );
          reversed = Math.max(reversed, (await findStudy(database, study.studyId))?.reversed ?? 0);
        }
        t.ok(reversed > 0, 'some completes were reversed');
      },
    );

    t.test('are made in pieces when conditions are new, and others pass between them', async (t) => {
      const study = await makeStudy(database, 1_000_000);
      await database.query(
        `INSERT INTO study_kinds (study_id, organization_id, profession, age, held, verified)
         SELECT study_id, organization_id, 'profession ' || n, n % 80, 2, 1 FROM studies, generate_series(1, 5000) n WHERE study_id = $1`,
        [study.studyId],
      );
      let [transactions, passed] = [0, 0];
      const watched: Database = {
        ...database,
        transaction: async (run, options) => {
          transactions += 1;
          const result = await database.transaction(run, options);
          if (transactions === 2) passed = (await instance.enter(study, 'between')).kind === 'redirect' ? 1 : 0;
          return result;
        },
      };
      const studies = createStudyService({
        ...{ database: watched, environment: 'development', secrets: createSecretStore(new Uint8Array(32)) },
        ...{ findProjectOwner: () => Promise.resolve(null), liteEnabled: () => Promise.resolve(true) },
        audienceUrl: () => 'https://audience.example/v1',
      });
      const quotas = Array.from({ length: 20 }, (_, n) => ({ name: `q${n}`, ageMin: n, limit: 900_000 }));
      const caller = { ...study, projectId: null, lineage: 'key_1', isTest: false };
      await studies.update(operator, caller, study.studyId, { audience: { quotas } });
      t.ok(transactions >= 5, `${transactions} transactions`);
      t.equal(passed, 1, 'a respondent came between two of them');
      t.match((await readQuotas(database, study.studyId))[0], { held: 10_001 });
      const kept = await database.query('SELECT 1 FROM study_quota_drafts WHERE study_id = $1', [study.studyId]);
      t.same(kept, [], 'nothing is left of the counting');
      transactions = 0;
      await studies.update(operator, caller, study.studyId, { audience: { quotas: quotas.slice(1) } });
      t.equal(transactions, 2, 'known conditions keep their counts');
    });
  });
}

onBothStores(t, 'quotas', testQuotas);

/** Places under contention and over time, on PostgreSQL and embedded: never over-filled, released, taken back, told once. */
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import {
  deleteOldReservations,
  releaseReservations,
  reportUnreported,
  type ReleaseFailures,
} from '../../src/audience/reservation-round.js';
import { changeStudy, findStudy, readQuotas, setStatus, type Study } from '../../src/audience/study-store.js';
import { decodeJwt } from 'jose';
import { applyEvent, underLock, type HostedVerification } from '../../src/audience/fielding.js';
import { findReservation } from '../../src/audience/reservation-store.js';
import { noScores } from '../../src/contract/study-replies.js';
import type { Database, Queryable } from '../../src/stores/database/port.js';
import { onBothStores, type TestStore } from '../helpers/both-stores.js';
import { placeOf } from '../helpers/fielding.js';
import { waitUntil } from '../helpers/wait-until.js';
import { allowed, instanceOf, makeStudy, tokenOf, unknown } from '../helpers/reservations.js';

t.setTimeout(120_000);

/** Whether a connection to this database waits for a row that another has locked. */
const isLockAwaited = async (tx: Queryable): Promise<boolean> =>
  (
    await tx.query(
      `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()`,
    )
  ).length > 0;

function testReservations(t: Test, open: (t: Test) => Promise<TestStore>): void {
  t.test('places', async (t) => {
    const { database: one, another } = await open(t);
    const two = await another(30_000);
    /** Waits for little time. */
    const hasty = await another(1_000);
    const masterKey = randomBytes(32);
    const instances = [await instanceOf(t, one, masterKey), await instanceOf(t, two, masterKey)] as const;
    const read = async (study: Study): Promise<Study> => (await findStudy(one, study.studyId)) ?? study;

    t.test('100 at once through two instances fill the sample and each quota, and not one more', async (t) => {
      const study = await makeStudy(one, 25, [
        { name: 'women', gender: 'female', limit: 10 },
        { name: 'men', gender: 'male', limit: 18 },
      ]);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          instances[(n >> 1) % 2 === 0 ? 0 : 1].enter(study, `r${n}`, n % 2 === 0 ? 'female' : 'male'),
        ),
      );
      const passed = answers.filter(({ kind }) => kind === 'redirect');
      t.equal(passed.length, 25);
      const after = await read(study);
      t.match(after, { entered: 100, screened_full: 75, held: 25, verified: 0, completed: 0 });
      const quotas = await readQuotas(one, study.studyId);
      t.ok(
        quotas.every(({ held, limit }) => held <= limit),
        JSON.stringify(quotas),
      );
      t.equal(
        quotas.reduce((sum, { held }) => sum + held, 0),
        25,
      );
      await Promise.all(
        passed.flatMap((answer, n) => [
          instances[0].returns.comeBack(tokenOf(answer), 'complete'),
          instances[1].report(study, tokenOf(answer), n % 5 === 0 ? 'terminate' : 'complete'),
        ]),
      );
      const done = await read(study);
      t.equal(done.held, done.completed);
      t.equal(done.verified, done.completed);
      t.equal([...instances[0].told, ...instances[1].told].length, 25, 'each end told by whoever made it');
    });

    t.test('the same respondent many times at once has one place', async (t) => {
      const study = await makeStudy(one, 50);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => instances[n % 2 === 0 ? 0 : 1].enter(study, 'same')),
      );
      t.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
      t.match(await read(study), { entered: 1, held: 1 });
    });

    t.test('a place that is not returned in time is released, and taken back while there is room', async (t) => {
      const study = await makeStudy(one, 1);
      const [instance] = instances;
      const token = tokenOf(await instance.enter(study, 'late'));
      t.equal(await releaseReservations({ database: one }), 0, 'not before its time');
      const expire = (): Promise<unknown> =>
        one.query(`UPDATE study_places SET due_at = now() - interval '1 second' WHERE study_id = $1`, [study.studyId]);
      await expire();
      const counts = await Promise.all([
        releaseReservations({ database: one }),
        releaseReservations({ database: two }),
      ]);
      t.equal(counts[0] + counts[1], 1, 'once, whoever does it');
      t.equal((await read(study)).held, 0);
      t.match(await instance.enter(study, 'late'), { kind: 'redirect' }, 'back by the entry link');
      await expire();
      await releaseReservations({ database: one });
      t.match(await instance.enter(study, 'next'), { kind: 'redirect' }, 'somebody else takes it');
      t.match(await instance.returns.comeBack(token, 'complete'), { page: 'full' });
      t.match(await instance.enter(study, 'late'), { page: 'full' });
      await instance.returns.comeBack(tokenOf(await instance.enter(study, 'next')), 'terminate');
      t.match(await instance.returns.comeBack(token, 'complete'), { page: 'thanks' }, 'room again');
      t.match(await read(study), { held: 1, verified: 1, completed: 1 });
      t.match(await instance.returns.comeBack(token, 'complete'), { page: 'thanks' });
    });

    t.test('a browser’s end of a released place does not bind its holder who takes it back', async (t) => {
      const study = await makeStudy(one, 1);
      const [instance] = instances;
      for (const status of ['terminate', 'quality'] as const) {
        const token = tokenOf(await instance.enter(study, 'late'));
        await one.query(`UPDATE study_places SET due_at = now() WHERE study_id = $1`, [study.studyId]);
        await releaseReservations({ database: one });
        t.match(await instance.returns.comeBack(token, status), { page: 'thanks' });
      }
      const token = tokenOf(await instance.enter(study, 'late'));
      t.match(await instance.returns.comeBack(token, 'complete'), { page: 'thanks' });
      t.match(await read(study), { held: 1, completed: 1 });
    });

    t.test('organizations take turns when more places are due than one batch releases', async (t) => {
      const [loud, quiet] = [await makeStudy(one, 9), await makeStudy(one, 9)];
      const [instance] = instances;
      for (const rid of ['a', 'b', 'c', 'd']) await instance.enter(loud, rid);
      await instance.enter(quiet, 'e');
      await one.query(
        `UPDATE study_places SET due_at = now() - CASE study_id WHEN $1 THEN 2 ELSE 1 END * interval '1 second' WHERE study_id IN ($1, $2)`,
        [loud.studyId, quiet.studyId],
      );
      t.equal(await releaseReservations({ database: one }, new Map(), 2), 2);
      t.same([(await read(loud)).held, (await read(quiet)).held], [3, 0]);
      t.equal(await releaseReservations({ database: one }), 3);
    });

    t.test('a study that takes no respondents gives a released place back after the interview alone', async (t) => {
      const [instance] = instances;
      for (const [status, page, completed] of [
        ['paused', 'thanks', 1],
        ['completed', 'thanks', 1],
        ['cancelled', 'closed', 0],
      ] as const) {
        const study = await makeStudy(one, 1);
        const token = tokenOf(await instance.enter(study, 'late'));
        await one.query(`UPDATE study_places SET due_at = now() WHERE study_id = $1`, [study.studyId]);
        await releaseReservations({ database: one });
        await setStatus(one, study.studyId, status);
        t.match(await instance.enter(study, 'late'), { page: 'closed' }, `${status}: back by the entry link`);
        t.match(await instance.returns.comeBack(token, 'complete'), { page }, `${status}: back from the survey`);
        t.match(await read(study), { held: completed, completed });
      }
    });

    t.test('a close that comes while a respondent is scored gives out no place', async (t) => {
      const study = await makeStudy(one, 1);
      const instance = await instanceOf(t, one, masterKey, {
        score: async () => {
          await setStatus(one, study.studyId, 'completed');
          return allowed;
        },
      });
      t.match(await instance.enter(study, 'slow'), { page: 'closed' });
      t.match(await read(study), { held: 0 });
    });

    t.test('who is of another country is screened out: by the address, else by what is declared', async (t) => {
      const study = await makeStudy(one, 5);
      const [instance] = instances;
      t.match(await instance.enter(study, 'from-us', null, 'US'), { page: 'declined' });
      t.match(
        await instance.enter(study, 'from-us', null, 'DE'),
        { page: 'declined' },
        'a second thought changes nothing',
      );
      t.match(await instance.enter(study, 'from-de', null, 'DE'), { kind: 'redirect' });
      t.match(await instance.enter(study, 'unknown'), { kind: 'redirect' });
      const located = await instanceOf(t, one, masterKey, { locate: () => ({ ...unknown, country: 'DE' }) });
      t.match(await located.enter(study, 'at-home', null, 'US'), { kind: 'redirect' }, 'the address is believed');
      t.match(await read(study), { entered: 4, screened_country: 1, held: 3 });
    });

    t.test('a quota made smaller while people verify is not over-filled by them', async (t) => {
      const quota = { name: 'women', gender: 'female', limit: 3 };
      const study = await makeStudy(one, 10, [quota], true);
      let result: HostedVerification | null = null;
      const instance = await instanceOf(t, one, masterKey, {
        verification: {
          makeLink: () => Promise.resolve('link'),
          linkUrl: (id) => `https://verify.example/${id}`,
          read: () => Promise.resolve(result),
        },
      });
      for (const rid of ['a', 'b', 'c']) await instance.enter(study, rid, 'female');
      await one.transaction(async (tx) =>
        changeStudy(tx, (await findStudy(tx, study.studyId, { lock: true })) ?? study, {
          ...{ name: 'n', sampleSize: 10, limits: {}, quotas: [{ ...quota, limit: 1 }] },
        }),
      );
      const scores = { ...noScores, uniqueness: 0.9, authenticity: 0.8, overall: 0.8 };
      result = { status: 'pass', assurance: 'none', isRetryable: false, scores };
      const surveyed = await instance.enter(study, 'a', 'female');
      t.match(surveyed, { url: /survey\.example/ });
      t.same(decodeJwt(tokenOf(surveyed))['scores'], scores, 'the token has the scores of the verification');
      t.match(await instance.enter(study, 'b', 'female'), { page: 'full' });
      t.match(await instance.enter(study, 'c', 'female'), { page: 'full' });
      t.match(await readQuotas(one, study.studyId), [{ held: 1, verified: 1, limit: 1 }]);
      t.match(await read(study), { held: 1, verified: 1 });
    });

    t.test('the token at the survey lasts as long as the place', async (t) => {
      const study = await makeStudy(one, 1);
      let now = Date.now();
      const instance = await instanceOf(t, one, masterKey, { now: () => now });
      const first = tokenOf(await instance.enter(study, 'slow'));
      now += 3_600_000;
      t.equal(tokenOf(await instance.enter(study, 'slow')), first, 'the same while it lasts long enough');
      now += 22 * 3_600_000 + 1_800_000;
      const later = tokenOf(await instance.enter(study, 'slow'));
      now += 3_500_000;
      t.match(await instance.returns.comeBack(first, 'complete'), { page: 'expired' });
      t.match(await instance.returns.comeBack(later, 'complete'), { page: 'thanks' });
    });

    t.test('quotas of a large study are counted from kinds of respondents, and no place is read', async (t) => {
      const study = await makeStudy(one, 1_000_000);
      await one.query(
        `INSERT INTO study_kinds (study_id, organization_id, gender, age, held, verified)
         SELECT study_id, organization_id, CASE n % 2 WHEN 0 THEN 'female' END, n % 80, 500, n % 4 * 5
           FROM studies, generate_series(1, 80) n WHERE study_id = $1`,
        [study.studyId],
      );
      const quotas = Array.from({ length: 50 }, (_, n) => ({
        name: `q${n}`,
        gender: 'male',
        ageMin: n,
        limit: 50_000,
      }));
      const texts: string[] = [];
      await hasty.transaction((tx) => {
        const watched: Queryable = { query: (sql, ...rest) => (texts.push(sql), tx.query(sql, ...rest)) };
        return changeStudy(watched, study, { name: 'n', sampleSize: 1_000_000, limits: {}, quotas });
      });
      t.ok(texts.length <= 5, `${texts.length} statements`);
      t.same(
        texts.filter((text) => text.includes('study_places')),
        [],
      );
      const counted = await readQuotas(one, study.studyId);
      t.match(counted[0], { held: 20_000, verified: 400 }, 'men would be these, and of whom it is not known');
      t.match(counted[40], { held: 10_000, verified: 200 });
    });

    const alone = one === two && 'one connection has nobody to wait for';
    t.test('a study that cannot be locked does not keep the places of others', { skip: alone }, async (t) => {
      const [stuck, other] = [await makeStudy(one, 3), await makeStudy(one, 3)];
      const [instance] = instances;
      await instance.enter(stuck, 'stuck');
      await instance.enter(other, 'other');
      await one.query(
        `UPDATE study_places SET due_at = now() - CASE study_id WHEN $1 THEN 2 ELSE 1 END * interval '1 second' WHERE study_id IN ($1, $2)`,
        [stuck.studyId, other.studyId],
      );
      const failures: ReleaseFailures = new Map();
      await two.transaction(async (tx) => {
        await findStudy(tx, stuck.studyId, { lock: true });
        t.equal(await releaseReservations({ database: hasty }, failures), 1);
      });
      t.same([...failures.keys()], [stuck.studyId], 'and is told');
      t.same([(await read(stuck)).held, (await read(other)).held], [1, 0]);
      t.equal(await releaseReservations({ database: hasty }), 1, 'the next round releases it');
    });

    t.test('studies of one organization that cannot be locked do not keep the places of others', async (t) => {
      const [first, other] = [await makeStudy(one, 3), await makeStudy(one, 8)];
      const stuck = [first, ...(await Promise.all(Array.from({ length: 6 }, () => makeStudy(one, 3))))];
      const [instance] = instances;
      for (const study of stuck) await instance.enter(study, 'stuck');
      for (let n = 0; n < 8; n++) await instance.enter(other, `r-${n}`);
      const ids = stuck.map(({ studyId }) => studyId);
      await one.query('UPDATE study_places SET organization_id = $2 WHERE study_id = ANY($1::text[])', [
        ids,
        first.organizationId,
      ]);
      await one.query(`UPDATE study_places SET due_at = now() WHERE study_id = ANY($1::text[])`, [
        [...ids, other.studyId],
      ]);
      let tries = 0;
      const failing: Database = {
        ...one,
        transaction: (run, options) =>
          ids.includes(options?.line ?? '')
            ? Promise.reject(new Error(`locked, try ${++tries}`))
            : one.transaction(run, options),
      };
      const failures: ReleaseFailures = new Map();
      t.equal(await releaseReservations({ database: failing }, failures), 8);
      t.equal(await releaseReservations({ database: failing }, failures), 0);
      t.equal(tries, 2);
      t.equal((await read(other)).held, 0);
    });

    t.test('a complete that found no room is no outcome, and a later check of its answers is one', async (t) => {
      const study = await makeStudy(one, 2);
      const [instance] = instances;
      const [first, second] = [tokenOf(await instance.enter(study, 'a')), tokenOf(await instance.enter(study, 'b'))];
      await one.query('UPDATE studies SET sample_size = 1 WHERE study_id = $1', [study.studyId]);
      await instance.report(study, first, 'complete');
      t.match(await instance.report(study, second, 'complete'), { status: 'terminated', completion: null });
      const told = () => instance.told.filter((line) => line.startsWith(placeOf(second)));
      t.same(told(), []);
      t.same(await one.query('SELECT 1 FROM study_places WHERE study_id = $1 AND outcome_due', [study.studyId]), []);
      await instance.report(study, second, 'quality');
      t.match(told(), [/ quality_term /]);
    });

    t.test('an outcome that could not be told is told by the round, with the same time', async (t) => {
      const study = await makeStudy(one, 1);
      const [instance] = instances;
      const token = tokenOf(await instance.enter(study, 'untold'));
      // The round also tells what other tests left untold, once it is old enough.
      const told = () => instance.told.filter((line) => line.startsWith(placeOf(token)));
      instance.setAway(true);
      await instance.report(study, token, 'complete');
      t.same(told(), []);
      instance.setAway(false);
      await one.query(`UPDATE study_places SET returned_at = returned_at - interval '1 minute' WHERE study_id = $1`, [
        study.studyId,
      ]);
      await reportUnreported({ database: one, reportOutcomes: instance.reportOutcomes });
      await reportUnreported({ database: one, reportOutcomes: instance.reportOutcomes });
      t.match(told(), { 0: / complete \d{4}-/, length: 1 });
    });

    t.test('places past their retention go, those that are held stay, and the counts with them', async (t) => {
      const study = await makeStudy(one, 5);
      const [instance] = instances;
      await instance.returns.comeBack(tokenOf(await instance.enter(study, 'old')), 'complete');
      await instance.enter(study, 'held');
      await one.query(`UPDATE study_places SET entered_at = now() - interval '10 days' WHERE study_id = $1`, [
        study.studyId,
      ]);
      await deleteOldReservations({ database: one, retentionDays: 9 });
      const rest = await one.query('SELECT respondent_id FROM study_places WHERE study_id = $1', [study.studyId]);
      t.same(rest, [{ respondent_id: 'held' }]);
      t.match(await read(study), { held: 2, completed: 1 });
    });

    t.test('a place that its holder takes back while old ones are deleted stays', { skip: one === two }, async (t) => {
      const study = await makeStudy(one, 1);
      const [{ returns, enter }] = instances;
      const token = tokenOf(await enter(study, 'back'));
      await one.query(
        `UPDATE study_places SET due_at = now(), entered_at = now() - interval '10 days' WHERE study_id = $1`,
        [study.studyId],
      );
      await releaseReservations({ database: one });
      const deletions: Promise<void>[] = [];
      await underLock(one, (await findReservation(one, placeOf(token)))!, async (tx, current, place) => {
        await applyEvent(tx, current, place, 'admit', { change: { dueInMs: 3_600_000 } });
        let isDone = false;
        deletions.push(deleteOldReservations({ database: two, retentionDays: 9 }).finally(() => (isDone = true)));
        await waitUntil(
          async () => isDone || (await isLockAwaited(hasty)),
          'the deletion ended, or waits for the place',
        );
      });
      await Promise.all(deletions);
      t.match(await returns.comeBack(token, 'complete'), { page: 'thanks' });
      t.match(await read(study), { held: 1, completed: 1, released: 0 });
    });

    t.test('places of a study that is changing are deleted later, without a wait', { skip: one === two }, async (t) => {
      const study = await makeStudy(one, 5);
      const [{ returns, enter }] = instances;
      const tokens = [tokenOf(await enter(study, 'a')), tokenOf(await enter(study, 'b'))];
      for (const token of tokens) await returns.comeBack(token, 'complete');
      await one.query(`UPDATE study_places SET entered_at = now() - interval '10 days' WHERE study_id = $1`, [
        study.studyId,
      ]);
      const places = async () =>
        (await one.query('SELECT 1 FROM study_places WHERE study_id = $1', [study.studyId])).length;
      const clean = () => deleteOldReservations({ database: two, retentionDays: 9 });
      await underLock(one, (await findReservation(one, placeOf(tokens[0] ?? '')))!, async (tx, current) => {
        await tx.query('UPDATE study_claimants SET completed = completed WHERE study_id = $1', [current.studyId]);
        const cleaning = clean().then(() => 'done');
        const waiting = waitUntil(() => isLockAwaited(hasty), 'the deletion waits').then(() => 'waits');
        t.equal(await Promise.race([cleaning, waiting]), 'done');
        waiting.catch(() => undefined);
      });
      t.equal(await places(), 2);
      await clean();
      t.equal(await places(), 0);
    });
  });
}

onBothStores(t, 'places', testReservations);

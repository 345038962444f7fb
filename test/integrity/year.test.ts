/**
 * After a year: 400 days of receipts. Short in CI; `npm run soak` sets YEAR_RECEIPTS to a million. Each figure stands beside its rival of the
 * same run, a database with a few days.
 */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { createCounterRecovery } from '../../src/scoring/recovery/counter-recovery.js';
import { openRedisCounters } from '../../src/stores/counters/redis/open.js';
import { migrate } from '../../src/stores/database/migrate.js';
import { migrationsDirectory } from '../../src/stores/database/migration-plan.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import type { Database } from '../../src/stores/database/port.js';
import { openTableLog } from '../../src/stores/log/embedded/log.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { workOff } from '../helpers/outcome-work.js';
import { createDatabase, findStack } from '../helpers/stores.js';
import { waitUntil } from '../helpers/wait-until.js';
import { dayMs, makeDays, postOutcomes, recordScores, refOf, type PastScore } from '../helpers/year.js';
import { scoreInput } from '../stores/counters/inputs.js';
import { startRedis } from '../stores/counters/redis-server.js';

const receipts = Number(process.env['YEAR_RECEIPTS'] ?? 2_000);
const days = 400;
/** The best of some short ones counts: what else the machine does is no difference between them. */
const rounds = receipts > 100_000 ? [1] : [1, 2, 3];
/** A migration of a made-up later version: it only adds. */
const laterName = '9001-of-a-later-version.sql';
const laterSql = `
  ALTER TABLE receipts ADD COLUMN later text;
  ALTER TABLE session_index ADD COLUMN later integer NOT NULL DEFAULT 0;
  CREATE INDEX outcomes_later ON outcomes (type, received_at);`;
const patienceMs = 60_000 + receipts * 10;
t.setTimeout(patienceMs);
const stack = findStack(t, 'a year of receipts');

if (stack !== null) {
  const nowMs = Date.now();
  const openDays = async (count: number): Promise<Database> => {
    const database = await openPostgres({ url: await createDatabase(t, stack), poolMax: 4, deadlineMs: 5_000 });
    t.teardown(() => database.close());
    await makeDays(database, nowMs, count);
    return database;
  };
  const scoresOver = (count: number, prefix: string): PastScore[] =>
    Array.from({ length: receipts }, (_, n) => ({
      projectId: 'proj_year',
      sessionId: `${prefix}${n}`,
      atMs: nowMs - (n % count) * dayMs,
    }));
  /** Posts outcomes of these sessions, and works them off. */
  const workedPerSecond = async (database: Database, scores: readonly PastScore[]): Promise<number> => {
    for (let from = 0; from < scores.length; from += 10_000)
      await postOutcomes(database, scores.slice(from, from + 10_000), { type: 'complete' });
    const startMs = performance.now();
    const sessions = await workOff(database);
    t.equal(sessions, scores.length);
    return (sessions * 1_000) / (performance.now() - startMs);
  };
  const outcomesPerSecond = async (database: Database, scores: readonly PastScore[]): Promise<number> => {
    await recordScores(database, scores);
    return workedPerSecond(database, scores);
  };

  t.test('a large project comes back into an emptied Redis whole, by one instance of two', async (t) => {
    const redis = await startRedis();
    if (redis === null) throw new Error('redis-server is not installed');
    t.teardown(() => redis.close());
    const database = await openDays(days);
    const log = openTableLog({ database, now: () => performance.now() });
    t.teardown(() => log.close());
    const device = 'shared';
    await recordScores(
      database,
      Array.from({ length: receipts }, (_, n) => ({
        ...{
          projectId: 'proj_large',
          sessionId: `large ${n}`,
          atMs: nowMs - n * 10,
          respondent: `respondent ${n % 100}`,
        },
        device: n % 10 === 0 ? device : null,
      })),
    );
    const instances = await Promise.all(
      [1, 2].map(async () => {
        const counters = await openRedisCounters({ url: redis.url, deadlineMs: 2_000 });
        t.teardown(() => counters.close());
        const metrics = createMetrics();
        const pool = { run: () => Promise.reject(new Error('nobody has a probe here')) };
        const logger = createLogger('silent');
        const deps = { database, lookups: database, counters, log, pool, logger, metrics, now: Date.now };
        return { counters, metrics, counterRecovery: createCounterRecovery(deps) };
      }),
    );
    const startMs = performance.now();
    await Promise.all(instances.map(({ counterRecovery }) => counterRecovery.check('proj_large')));
    t.ok(performance.now() - startMs < 5_000, 'no score waits for the rebuild');
    const [one] = instances;
    if (one === undefined) throw new Error('no instance');
    const meanwhile: { readonly complete: boolean; readonly ms: number }[] = [];
    let unanswered = 0;
    const scoreMeanwhile = async (): Promise<void> => {
      const fromMs = performance.now();
      await one.counterRecovery.check('proj_large');
      const input = scoreInput('proj_large', `meanwhile ${meanwhile.length}`, {
        nowMs: Date.now(),
        scope: refOf('other'),
      });
      // Without an answer in time a score goes without its counts, and says so.
      const counted = await one.counters.countScore(input).catch(() => null);
      unanswered += counted === null ? 1 : 0;
      const complete = counted !== null && 'complete' in counted && counted.complete;
      meanwhile.push({ complete, ms: performance.now() - fromMs });
    };
    const isComplete = (): Promise<boolean> =>
      one.counters.checkComplete('proj_large').then(
        (look) => look.isComplete,
        () => false,
      );
    await waitUntil(() => scoreMeanwhile().then(isComplete), 'the rebuild', patienceMs);
    await Promise.all(instances.map(({ counterRecovery }) => counterRecovery.settled()));
    const seconds = (performance.now() - startMs) / 1_000;
    const sorted = meanwhile.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
    t.comment(
      `rebuilt: ${receipts} sessions in ${seconds.toFixed(1)} s; meanwhile ${sorted.length} scores, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${unanswered} without an answer in 2 s`,
    );
    const ends = await Promise.all(instances.map(async ({ metrics }) => (await metrics.rebuilds.get()).values));
    t.comment(
      `rebuilds: ${ends
        .flat()
        .map(({ labels, value }) => `${value} ${labels.result}`)
        .join(', ')}`,
    );
    t.notOk(meanwhile[0]?.complete, 'a score of the meantime says that it is partial');
    t.ok(meanwhile.filter(({ complete }) => complete).length <= 1, 'until the last session is back');
    const restored = await Promise.all(
      instances.map(async ({ metrics }) => (await metrics.restoredSessions.get()).values[0]?.value ?? 0),
    );
    const total = restored.reduce((sum, each) => sum + each, 0);
    // A page that was cut off comes again.
    t.ok(total >= receipts && total <= receipts * 1.01, `${total} restored by both together`);
    const input = scoreInput('proj_large', 'next', { nowMs, scope: refOf('study'), device: refOf(device) });
    t.match(await one.counters.countScore(input), {
      complete: true,
      counts: { deviceSessionsDay: Math.ceil(Math.min(receipts, 8_640_000) / 10) + 1 },
    });
  });

  t.test('outcomes go as fast over 400 days as over two, those of sessions that were never scored too', async (t) => {
    const [year, few] = [await openDays(days), await openDays(2)];
    const best = { few: 0, year: 0, strangers: 0 };
    for (const round of rounds) {
      best.few = Math.max(best.few, await outcomesPerSecond(few, scoresOver(2, `${round} `)));
      best.year = Math.max(best.year, await outcomesPerSecond(year, scoresOver(days, `${round} `)));
      const strangers = scoresOver(days, `stranger ${round} `).slice(0, 10_000);
      best.strangers = Math.max(best.strangers, await workedPerSecond(year, strangers));
    }
    const { few: beside, year: perSecond } = best;
    t.comment(`outcomes/s: ${Math.round(perSecond)} at ${days} days, ${Math.round(beside)} at 2`);
    t.ok(perSecond > beside / 3, `${perSecond} over the year against ${beside}`);
    t.ok(best.strangers > beside / 3, 'what matches nothing costs no more');
    const [source] = await year.query<{ sessions: number }>(
      'SELECT sum((day.value ->> 0)::int) AS sessions FROM history, jsonb_each(days) AS day WHERE subject_ref = $1',
      [refOf('source')],
    );
    t.equal(Number(source?.sessions), rounds.length * receipts, 'all of them count for their source');
  });

  t.test(
    'an upgrade takes a year of receipts along while scores are recorded, and the earlier version runs on beside it',
    async (t) => {
      const database = await openDays(days);
      const later = temporaryDirectory(t);
      await cp(migrationsDirectory(), later, { recursive: true });
      await writeFile(join(later, laterName), laterSql);
      const scores = scoresOver(days, 'before').slice(0, 10_000);
      await recordScores(database, scores);
      await postOutcomes(database, scores, { type: 'complete' });

      let isUpgraded = false;
      const meanwhile: PastScore[] = [];
      const recording = (async (): Promise<void> => {
        for (let n = 0; !isUpgraded || n < 2; n += 1) {
          const some = scoresOver(days, `meanwhile ${n} `).slice(0, 50);
          // A consumer takes a batch again that a lock held up for too long.
          await waitUntil(
            () =>
              recordScores(database, some).then(
                () => true,
                () => false,
              ),
            'a batch is recorded',
          );
          meanwhile.push(...some);
        }
      })();
      const startMs = performance.now();
      t.same(await migrate(database, { directory: later }), [laterName]);
      isUpgraded = true;
      await recording;
      t.comment(
        `upgraded: ${scores.length} receipts in ${days} days, ${((performance.now() - startMs) / 1_000).toFixed(1)} s`,
      );
      const [kept] = await database.query<{ receipts: number }>('SELECT count(*) AS receipts FROM receipts');
      t.equal(Number(kept?.receipts), scores.length + meanwhile.length, 'nothing is lost of before and of meanwhile');
      t.equal(await workOff(database), scores.length, 'what was ordered before is worked off after');

      const told: string[] = [];
      t.same(await migrate(database, { onLater: (all) => void told.push(...all) }), []);
      t.same(told, [laterName], 'the earlier version starts, and says what it runs beside');
    },
  );
}

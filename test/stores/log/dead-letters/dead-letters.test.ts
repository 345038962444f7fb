import t, { type Test } from 'tap';
import { storeUnavailable } from '../../../../src/errors.js';
import { openTestDatabase } from '../../../helpers/embedded.js';
import {
  requestRedelivery,
  findAskedLetters,
  insertLetter,
  readLetterFigures,
} from '../../../../src/stores/log/dead-letters/table.js';
import { withDeadLetters } from '../../../../src/stores/log/dead-letters/dead-letters.js';
import type { Log, LogEntry } from '../../../../src/stores/log/port.js';
import { openTableLog } from '../../../../src/stores/log/embedded/log.js';
import { createLogger } from '../../../../src/telemetry/logger.js';
import { createMetrics } from '../../../../src/telemetry/metrics.js';
import { waitUntil } from '../../../helpers/wait-until.js';
import { entry, textOf } from '../contract.js';

const database = await openTestDatabase(t);

/** A log with a consumer of the group `g` that takes what `objection` has none to. */
async function openBench(t: Test, objection: (text: string) => Error | null, lettersMax = 100) {
  await database.query('TRUNCATE log_batches, log_groups, log_topics, dead_letters');
  const metrics = createMetrics();
  const log: Log = withDeadLetters({
    log: openTableLog({ database, now: () => performance.now(), pollMs: 20, trimEveryMs: 3_600_000 }),
    database,
    logger: createLogger('fatal', { write: () => undefined }),
    metrics,
    everyMs: 20,
    lettersMax,
  });
  t.teardown(() => log.close());
  const taken: string[] = [];
  const handle = async (entries: readonly LogEntry[]): Promise<void> => {
    for (const text of entries.map(textOf)) {
      const error = objection(text);
      if (error !== null) throw error;
    }
    taken.push(...entries.map(textOf));
  };
  // In one write, so that good and bad are in one batch.
  await log.append(
    'scores',
    Array.from({ length: 20 }, (_, n) => entry(`key-${n}`, n === 7 || n === 13 ? `bad ${n}` : `good ${n}`)),
  );
  const consumer = await log.subscribe({ topic: 'scores', group: 'g', batchMax: 100, handle });
  return { log, metrics, taken, consumer };
}

t.test(
  'a record that cannot be taken is set aside with its reason, those around it are taken, and it can be played again',
  async (t) => {
    let isRepaired = false;
    const { log, metrics, taken } = await openBench(t, (text) =>
      text.startsWith('bad') && !isRepaired ? new TypeError(`cannot read ${text}`) : null,
    );
    await log.append('scores', [entry('later', 'good last')]);
    await waitUntil(() => taken.includes('good last'), 'what came behind is taken');
    t.equal(new Set(taken).size, 19);
    t.match(await readLetterFigures(database), [
      { group: 'g', letters: 2, asked: 0, latestReason: /^TypeError: cannot read bad/ },
    ]);
    await waitUntil(
      async () => /vh_dead_letters\{group="g"\} 2/.test(await metrics.registry.metrics()),
      'the gauge tells of both',
    );

    t.equal(await requestRedelivery(database, 'another'), 0);
    t.equal(await requestRedelivery(database, null), 2);
    await waitUntil(async () => (await readLetterFigures(database))[0]?.asked === 0, 'played in vain');
    t.match(await readLetterFigures(database), [{ letters: 2 }], 'they stay where they are');
    isRepaired = true;
    await requestRedelivery(database, 'g');
    await waitUntil(async () => (await readLetterFigures(database)).length === 0, 'played again');
    t.same(taken.slice(-2).sort(), ['bad 13', 'bad 7']);
    t.match(await metrics.registry.metrics(), /vh_dead_letters_total\{group="g"\} 4/);
  },
);

t.test('a batch waits for a store that is away and for a missing table, however often it came', async (t) => {
  for (const error of [storeUnavailable('away'), Object.assign(new Error('no such table'), { code: '42P01' })]) {
    let refusals = 0;
    const { taken, consumer } = await openBench(t, () => (refusals < 5 && ++refusals ? error : null));
    await waitUntil(() => refusals >= 4, 'it came several times');
    t.ok(consumer.tickAgeMs() > 300, 'the age grows meanwhile');
    await waitUntil(() => taken.length >= 20, 'the store is back');
    t.same(await readLetterFigures(database), []);
    t.ok(consumer.tickAgeMs() < 300);
    await consumer.stop();
  }
});

t.test(
  'one tenant’s poison uses up neither the room of others nor all of its own; what is nobody’s counts in full',
  async (t) => {
    await database.query('TRUNCATE dead_letters');
    let next = 0;
    const keep = (tenant: string | null) =>
      insertLetter(database, { topic: 'scores', group: 'g' }, entry(`key-${next++}`, 'bad'), {
        ...{ tenant, reason: 'bad', lettersMax: 20 },
      });
    for (let n = 0; n < 200; n++) t.ok(await keep('org_loud'), `${n}`);
    t.notOk(await keep('org_loud'), 'one tenant has ten times the room of a group');
    t.ok(await keep('org_quiet'), 'and others have theirs');
    for (let n = 0; n < 17; n++) t.ok(await keep(null));
    t.notOk(await keep(null), 'many of nobody stop the group');
    t.notOk(await keep('org_third'));
    t.ok((await keep('org_quiet')) === false, 'but for whom has its share already, all wait');
    t.match(await readLetterFigures(database), [{ letters: 218, unreadable: 17, tenants: 2, mostOf: 'org_loud' }]);
  },
);

t.test('a group that has kept as many as it may stands still, and its age shows that', async (t) => {
  const { taken, consumer } = await openBench(t, (text) => (text.startsWith('bad') ? new Error(text) : null), 1);
  await waitUntil(() => consumer.tickAgeMs() > 2_500, 'it stands still');
  t.match(await readLetterFigures(database), [{ letters: 1 }]);
  t.notOk(taken.includes('good 19'));
});

t.test('of what is played again, tenants take turns', async (t) => {
  await database.query('TRUNCATE dead_letters');
  const owner = { topic: 'scores', group: 'turns' } as const;
  const keep = (tenant: string, key: string): Promise<boolean> =>
    insertLetter(database, owner, entry(key, key), { tenant, reason: 'refused', lettersMax: 100 });
  for (let n = 0; n < 8; n += 1) await keep('storm', `storm ${n}`);
  await keep('neighbour', 'neighbour 0');
  await requestRedelivery(database, 'turns');
  const next = (await findAskedLetters(database, owner, 3)).map(({ key }) => key);
  t.same(next, ['storm 0', 'neighbour 0', 'storm 1']);
});

import { randomUUID } from 'node:crypto';
import kafkajs, { Kafka, logLevel } from 'kafkajs';
import t from 'tap';
import type { Fault } from '../../../../src/errors.js';
import { openKafkaLog } from '../../../../src/stores/log/kafka/log.js';
import type { DataLoss, Log, LogEntry } from '../../../../src/stores/log/port.js';
import { createLogger } from '../../../../src/telemetry/logger.js';
import { freePort } from '../../../helpers/ports.js';
import { findStack, startOwnStack } from '../../../helpers/stores.js';
import { waitUntil } from '../../../helpers/wait-until.js';
import { entry, freshGroup, gather, testLogContract, textOf } from '../contract.js';

const stack = findStack(t, 'Kafka behind the log port');
const logger = createLogger('silent');

/** A broker takes its time to start, and the machine may be busy. */
const backWithinMs = 90_000;
const connection = { clientId: 'verifyhuman-test', logger, sessionTimeoutMs: 3_000, openWaitMs: backWithinMs };
const open = (kafkaBrokers: string, changes: { readonly prefix?: string; readonly openWaitMs?: number } = {}) =>
  openKafkaLog({ ...connection, brokers: [kafkaBrokers], prefix: `test-${randomUUID()}.`, ...changes });
t.setTimeout(300_000);

t.test('with brokers away the log opens, refuses appends with the reason, and closes', async (t) => {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) });
  const brokers = [`127.0.0.1:${await freePort()}`];
  const log = await openKafkaLog({ brokers, clientId: 'test', logger, openWaitMs: 500 });
  const refused = { code: 'STORE_UNAVAILABLE', details: { internal: /ECONNREFUSED/ } };
  const reason = (): Promise<string> =>
    log.ping().then(
      () => '',
      (error: unknown) => String((error as Fault).details.internal),
    );
  await waitUntil(async () => (await reason()).includes('ECONNREFUSED'), 'it has tried to connect');
  await t.rejects(log.append('scores', [entry('k', 'v')]), refused);
  await t.rejects(log.ping(), refused);
  await t.rejects(log.progress('scores', 'g'), { code: 'STORE_UNAVAILABLE' });
  const { consumer, entries } = await gather(log, 'scores', 'g');
  await log.close();
  t.ok(consumer.tickAgeMs() > 0);
  t.same(entries, []);
  const warnings = lines.filter(({ msg }) => msg === 'Kafka is unavailable');
  t.match(warnings, [{ level: 40, reason: /ECONNREFUSED/ }], 'a warning, of which a summary follows once a minute');
  t.equal(warnings.length, 1, 'however often it tried');
  t.ok(lines.length < 4, `and hardly anything else: ${lines.map(({ msg }) => msg).join(', ')}`);
});

if (stack !== null) {
  testLogContract(t, () => open(stack.kafkaBrokers));

  t.test('unordered entries come in few batches, whatever their keys', async (t) => {
    const log = await open(stack.kafkaBrokers);
    t.teardown(() => log.close());
    const seen = new Set<string>();
    let batches = 0;
    await log.subscribe({
      topic: 'scores',
      group: freshGroup(),
      batchMax: 1_000,
      lingerMs: 2_000,
      handle: async (batch) => {
        batches += 1;
        for (const each of batch) seen.add(textOf(each));
      },
    });
    await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        log.append('scores', [{ ...entry(`key-${n}`, `${n}`), isUnordered: true }]),
      ),
    );
    await waitUntil(() => seen.size === 200, 'all arrive');
    // All went out in a few sends, of which those of one moment share a partition; by key they would lie on all six.
    t.ok(batches <= 3, `${batches} batches`);
  });

  t.test(
    'topics keep their entries as long as they are told, and what is gone unread is told with its number',
    async (t) => {
      const prefix = `test-${randomUUID()}.`;
      const losses: DataLoss[] = [];
      const log = await openKafkaLog({
        ...{ ...connection, brokers: [stack.kafkaBrokers], prefix },
        retentionMs: 5 * 86_400_000,
        onDataLoss: (loss) => losses.push(loss),
      });
      t.teardown(() => log.close());
      const admin = new Kafka({ brokers: [stack.kafkaBrokers], logLevel: logLevel.NOTHING }).admin();
      t.teardown(() => admin.disconnect());
      await admin.connect();
      const topic = `${prefix}scores`;
      const { resources } = await admin.describeConfigs({
        resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: ['retention.ms'] }],
        includeSynonyms: false,
      });
      t.equal(resources[0]?.configEntries[0]?.configValue, String(5 * 86_400_000));

      const group = freshGroup();
      const reader = await gather(log, 'scores', group);
      const send = async (count: number): Promise<unknown> =>
        Promise.all(Array.from({ length: count }, (_, n) => log.append('scores', [entry(`${n}`, `${n}`)])));
      await send(60);
      await waitUntil(() => reader.entries.length === 60, 'all are read', backWithinMs);
      await reader.consumer.stop();
      t.same(losses, [], 'nothing is lost yet');
      await send(90);
      const ends = await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({
        topic,
        partitions: ends.map(({ partition, high }) => ({ partition, offset: high })),
      });
      await send(60);
      const later = await gather(log, 'scores', group);
      await waitUntil(() => later.entries.length === 60, 'what is left is read', backWithinMs);
      t.equal(
        losses.reduce((sum, { entries }) => sum + entries, 0),
        90,
      );
      t.match(losses[0], { topic: 'scores', group });
    },
  );

  t.test('members of two instances share a group, also while one comes and goes; nothing is lost', async (t) => {
    const prefix = `test-${randomUUID()}.`;
    const [one, two] = [await open(stack.kafkaBrokers, { prefix }), await open(stack.kafkaBrokers, { prefix })];
    t.teardown(() => Promise.all([one.close(), two.close()]));
    const seen = new Map<string, number>();
    const handle = async (batch: readonly LogEntry[]): Promise<void> => {
      for (const each of batch) seen.set(textOf(each), (seen.get(textOf(each)) ?? 0) + 1);
    };
    await one.subscribe({ topic: 'scores', group: 'g', batchMax: 20, handle });
    let sent = 0;
    const send = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) await one.append('scores', [entry(`${sent % 11}`, `${sent++}`)]);
    };
    await send(100);
    const second = await two.subscribe({ topic: 'scores', group: 'g', batchMax: 20, handle });
    await send(100);
    await second.stop();
    await send(100);
    await waitUntil(() => seen.size === 300, 'all arrive');
    t.equal(seen.size, 300);
  });

  t.test('a broker that is killed, is not there at the start, or hangs', async (t) => {
    const own = await startOwnStack(t, ['kafka']);
    const prefix = `test-${randomUUID()}.`;
    const early = await open(own.kafkaBrokers, { prefix });
    t.teardown(() => early.close());
    const reader = await gather(early, 'scores', freshGroup());
    const append = (log: Log, text: string): Promise<boolean> =>
      log.append('scores', [entry('k', text)]).then(
        () => true,
        () => false,
      );
    const acknowledged: string[] = [];
    let n = 0;
    const send = async (): Promise<boolean> => {
      const text = `${n++}`;
      const isTaken = await append(early, text);
      if (isTaken) acknowledged.push(text);
      return isTaken;
    };
    const allArrives = (): Promise<void> =>
      waitUntil(
        () => {
          const texts = new Set(reader.texts());
          return acknowledged.every((text) => texts.has(text));
        },
        'all that was acknowledged arrives',
        backWithinMs,
      );

    await t.test('gone, at the start or later, appends reject; when it is back, logs and readers go on', async (t) => {
      await waitUntil(send, 'it takes appends', backWithinMs);
      await allArrives();
      await own.command('kill');
      await t.rejects(early.append('scores', [entry('k', 'lost')]), { code: 'STORE_UNAVAILABLE' });
      await t.rejects(early.append('scores', [entry('k', 'lost')]), { code: 'STORE_UNAVAILABLE' });
      await t.rejects(early.ping(), { code: 'STORE_UNAVAILABLE' });
      const late = await open(own.kafkaBrokers, { prefix: `test-${randomUUID()}.`, openWaitMs: 100 });
      t.teardown(() => late.close());
      const { texts } = await gather(late, 'scores', freshGroup());
      await t.rejects(late.append('scores', [entry('k', 'lost')]), { code: 'STORE_UNAVAILABLE' });
      await own.command('start');
      await waitUntil(send, 'appends are taken again', backWithinMs);
      await allArrives();
      await early.ping();
      await waitUntil(() => append(late, 'before'), 'a log that opened without its broker takes appends', backWithinMs);
      await waitUntil(() => texts().includes('before'), 'and its reader has them', backWithinMs);
      t.same(
        [...new Set(texts())].filter((text) => text !== 'lost'),
        ['before'],
      );
    });

    await t.test('hanging, it acknowledges nothing, and no acknowledged entry is lost when it goes on', async (t) => {
      for (let count = 0; count < 50; count++) await send();
      await own.command('pause');
      const paused = await Promise.all(Array.from({ length: 20 }, send));
      t.notOk(paused.some(Boolean), 'nothing is acknowledged by a broker that hangs');
      await own.command('resume');
      await waitUntil(send, 'appends are taken again', backWithinMs);
      for (let count = 0; count < 50; count++) await send();
      await allArrives();
      t.ok(acknowledged.length > 100);
    });
  });
}

import t from 'tap';
import { storeUnavailable } from '../../../src/errors.js';
import { createKafkaClient, type KafkaClient } from '../../../src/stores/log/kafka/client.js';
import { createTopics } from '../../../src/stores/log/kafka/topics.js';
import { openLateLog } from '../../../src/stores/log/late-log.js';
import type { Log, LogEntry, Subscription } from '../../../src/stores/log/port.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { waitUntil } from '../../helpers/wait-until.js';
import { freePort } from '../counters/redis-server.js';

const now = (): number => performance.now();
const logger = createLogger('silent');
const entry: LogEntry = { key: 'k', value: new Uint8Array(1) };

/** Opens once it may; hands an append to every reader. */
function createTestLog() {
  const state = { mayOpen: false, isClosed: false };
  const readers = new Set<Subscription>();
  const log: Log = {
    append: async (_topic, entries) =>
      void (await Promise.all([...readers].map(({ handle }) => handle(entries, new AbortController().signal)))),
    subscribe: async (subscription) => {
      readers.add(subscription);
      return { tickAgeMs: () => 0, stop: async () => void readers.delete(subscription) };
    },
    progress: async () => [],
    ping: async () => undefined,
    close: async () => void (state.isClosed = true),
  };
  return {
    state,
    readers,
    open: () => (state.mayOpen ? Promise.resolve(log) : Promise.reject(storeUnavailable('test log: away'))),
  };
}

t.test('a log that opens at once is used as it is', async (t) => {
  const { state, open } = createTestLog();
  state.mayOpen = true;
  const log = await openLateLog({ open, logger, now, patienceMs: 5_000 });
  await t.resolves(log.ping());
  await log.close();
  t.ok(state.isClosed);
});

t.test('until it opens, appends are refused and readers wait; then both work', async (t) => {
  const { state, readers, open } = createTestLog();
  const log = await openLateLog({ open, logger, now, patienceMs: 1 });
  t.teardown(() => log.close());
  await t.rejects(log.append('scores', [entry]), { code: 'STORE_UNAVAILABLE' });
  await t.rejects(log.ping(), { code: 'STORE_UNAVAILABLE' });
  const seen: string[] = [];
  const consumer = await log.subscribe({
    topic: 'scores',
    group: 'g',
    batchMax: 1,
    handle: async (entries) => void seen.push(...entries.map(({ key }) => key)),
  });
  state.mayOpen = true;
  await waitUntil(() => readers.size === 1, 'the reader subscribes');
  await log.append('scores', [entry]);
  t.same(seen, ['k']);
  await consumer.stop();
  t.equal(readers.size, 0);
});

t.test('what opens only after it was closed is closed again, and no reader subscribes there', async (t) => {
  const { state, readers, open } = createTestLog();
  let arrive = (): void => undefined;
  const arrival = new Promise<void>((resolve) => (arrive = resolve));
  let attempts = 0;
  const openLate = async (): Promise<Log> => {
    attempts += 1;
    if (attempts > 1) await arrival;
    return open();
  };
  const log = await openLateLog({ open: openLate, logger, now, patienceMs: 1 });
  await log.subscribe({ topic: 'scores', group: 'g', batchMax: 1, handle: async () => undefined });
  await waitUntil(() => attempts > 1, 'it is being opened');
  const closing = log.close();
  state.mayOpen = true;
  arrive();
  await closing;
  await waitUntil(() => state.isClosed, 'what opened too late is closed');
  t.equal(readers.size, 0);
});

t.test('brokers that are away are one line in the log, however often they are tried', async (t) => {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) });
  const triesMax = 4;
  let tries = 0;
  const noBroker = `127.0.0.1:${await freePort()}`;
  const createClient = (): KafkaClient => {
    if ((tries += 1) > triesMax) throw new Error('tried often enough');
    return createKafkaClient({ brokers: [noBroker], clientId: 'test', logger });
  };
  await t.rejects(createTopics(createClient, { names: ['scores'], partitions: 1, retentionMs: 1_000, logger }), {
    message: 'tried often enough',
  });
  const told = lines.filter(({ msg }) => msg === 'Kafka is not ready yet');
  t.match(told, [{ level: 40 }], 'a warning, of which a summary follows once a minute');
  t.equal(told.length, 1);
  t.ok(lines.length < triesMax, `and hardly anything else: ${lines.map(({ msg }) => msg).join(', ')}`);
});

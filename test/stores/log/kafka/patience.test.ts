import { createRequire } from 'node:module';
import t from 'tap';
import {
  fetchPatiently,
  waitPatiently,
  type FetchedBatch,
  type FetchingGroup,
} from '../../../../src/stores/log/kafka/patience.js';

const empty: FetchedBatch = { rawMessages: [] };
const full: FetchedBatch = { rawMessages: ['record'] };
const quietWait = [1_000, 1] as const;

/** A group as kafkajs keeps it, that notes the wait and size of each of its fetches. */
function openGroup(maxWaitTime: number, minBytes: number) {
  const paused: object[] = [];
  const asked: (readonly [number, number])[] = [];
  const group: FetchingGroup = { maxWaitTime, minBytes, paused: () => paused, fetch: () => Promise.resolve([]) };
  const fetch = (...answers: readonly FetchedBatch[]): Promise<readonly FetchedBatch[]> =>
    fetchPatiently(group, 1, () => {
      asked.push([group.maxWaitTime, group.minBytes]);
      return Promise.resolve(answers);
    });
  return { group, paused, fetch, asked: () => asked.splice(0) };
}

t.test('a reader waits long for a first record, and briefly for more', async (t) => {
  const filling = [200, 5_000] as const;
  const { fetch, asked } = openGroup(...filling);
  t.same(await fetch(empty), []);
  t.same(asked(), [filling], 'it begins as the consumer is set');
  t.same(await fetch(empty, empty), []);
  t.same(asked(), [quietWait], 'nothing came: it waits long');
  t.same(await fetch(empty, full), [full], 'partitions without records are left out');
  t.same(asked(), [quietWait, filling], 'the first record waits for others');
  await fetch(full);
  t.same(asked(), [filling], 'while records come, batches fill up');
});

t.test('a reader whose batches need not fill up has the first record at once', async (t) => {
  const { fetch, asked } = openGroup(100, 1);
  await fetch(empty);
  t.same(await fetch(full), [full]);
  t.same(asked(), [[100, 1], quietWait]);
});

t.test('no wait is long while a partition is in hand', async (t) => {
  const { fetch, asked, paused } = openGroup(100, 1);
  await fetch(empty);
  paused.push({});
  await fetch(empty);
  t.same(asked(), [
    [100, 1],
    [100, 1],
  ]);
});

t.test('a failure is passed on, and a reader that stops waits no longer', async (t) => {
  waitPatiently();
  const { group } = openGroup(100, 1);
  await t.rejects(
    fetchPatiently(group, 1, () => Promise.reject(new Error('no broker'))),
    { message: 'no broker' },
  );
  const waiting = fetchPatiently(group, 1, () => new Promise(() => undefined));
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/consumer/runner.js') as {
    readonly prototype: { stop(): Promise<void> };
  };
  await Object.assign(Object.create(prototype) as typeof prototype, { consumerGroup: group }).stop();
  t.same(await waiting, []);
});

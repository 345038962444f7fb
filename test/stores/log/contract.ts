/** Promises of every adapter of the log port; table-log.test.ts and kafka-log.test.ts run it against theirs. */
import type { Test } from 'tap';
import type { Log, LogEntry, Subscription, Topic } from '../../../src/stores/log/port.js';
import { waitUntil } from '../../helpers/wait-until.js';

export const entry = (key: string, text: string): LogEntry => ({ key, value: new TextEncoder().encode(text) });
export const textOf = ({ value }: LogEntry): string => new TextDecoder().decode(value);

/** Groups are named anew each time, since stores outlive tests. */
let groups = 0;
export const freshGroup = (): string => `group-${process.pid}-${Date.now()}-${++groups}`;

/** Subscribes, and gathers what comes. */
export async function gather(log: Log, topic: Topic, group: string, options: Partial<Subscription> = {}) {
  const entries: LogEntry[] = [];
  const handle = async (batch: readonly LogEntry[]): Promise<void> => void entries.push(...batch);
  const consumer = await log.subscribe({ topic, group, batchMax: 100, handle, ...options });
  return { entries, consumer, texts: () => entries.map(textOf) };
}

/** `open` answers with a log whose topics are empty at first. */
export function testLogContract(t: Test | typeof import('tap').default, open: (t: Test) => Promise<Log>): void {
  t.test('the log contract', async (t) => {
    const log = await open(t);
    t.teardown(() => log.close());
    testDelivery(t, log);
    testGroups(t, log);
    testFailure(t, log);
    testTurns(t, log);
    testStop(t, log);
    testLinger(t, log);
    testProgress(t, log);
  });
}

function testProgress(t: Test, log: Log): void {
  t.test('it tells how far a group has read', async (t) => {
    const group = freshGroup();
    const unread = async (): Promise<number> =>
      (await log.progress('verifications', group)).reduce((sum, { next, end }) => sum + end - next, 0);
    const read = await gather(log, 'verifications', group);
    await log.append('verifications', [entry('a', '1'), entry('b', '2'), entry('c', '3')]);
    await waitUntil(async () => (await unread()) === 0, 'all of it is read');
    await read.consumer.stop();
    const before = await log.progress('verifications', group);
    await log.append('verifications', [entry('a', '4'), entry('b', '5')]);
    t.equal(await unread(), 2);
    const sum = (name: 'end' | 'next' | 'start', all: typeof before): number =>
      all.reduce((total, each) => total + each[name], 0);
    const after = await log.progress('verifications', group);
    t.same([sum('end', after) - sum('end', before), sum('next', after) - sum('next', before)], [2, 0]);
    t.ok(sum('start', after) <= sum('next', after));
  });
}

function testDelivery(t: Test, log: Log): void {
  t.test('entries come back byte for byte, and in order for each key', async (t) => {
    const value = new Uint8Array([0, 255, 128, 10]);
    const { entries, consumer } = await gather(log, 'scores', freshGroup());
    await log.append('scores', [
      { key: 'ключ', value },
      { key: '', value: new Uint8Array() },
    ]);
    value.fill(7);
    await Promise.all(Array.from({ length: 500 }, (_, n) => log.append('scores', [entry(`key-${n % 7}`, `${n}`)])));
    await waitUntil(() => entries.length >= 502, 'all entries arrive');
    await consumer.stop();
    t.same([...(entries.find(({ key }) => key === 'ключ')?.value ?? [])], [0, 255, 128, 10]);
    t.ok(entries.some(({ key, value }) => key === '' && value.length === 0));
    for (let key = 0; key < 7; key++) {
      const numbers = entries.filter((entry) => entry.key === `key-${key}`).map((entry) => Number(textOf(entry)));
      t.same(
        numbers,
        [...numbers].sort((a, b) => a - b),
        `key ${key} is in order`,
      );
    }
  });

  t.test('a large append arrives whole, and no batch is larger than asked for', async (t) => {
    const sizes: number[] = [];
    const group = freshGroup();
    const consumer = await log.subscribe({
      topic: 'deliveries',
      group,
      batchMax: 16,
      handle: async (batch) => void sizes.push(batch.length),
    });
    await log.append(
      'deliveries',
      Array.from({ length: 200 }, (_, n) => ({ key: `${n}`, value: new Uint8Array(20_000).fill(n) })),
    );
    await waitUntil(() => sizes.reduce((sum, size) => sum + size, 0) >= 200, 'all entries arrive');
    await consumer.stop();
    t.ok(Math.max(...sizes) <= 16);
  });

  t.test('appending nothing is done at once, and the log answers a ping', async (t) => {
    await log.append('scores', []);
    await log.ping();
    t.pass('both resolved');
  });
}

function testGroups(t: Test, log: Log): void {
  t.test('every group gets every entry; within a group each entry goes to one member', async (t) => {
    const shared = freshGroup();
    const members = [await gather(log, 'outcomes', shared), await gather(log, 'outcomes', shared)];
    const other = await gather(log, 'outcomes', freshGroup());
    const texts = Array.from({ length: 100 }, (_, n) => `outcome-${n}`);
    await log.append(
      'outcomes',
      texts.map((text, n) => entry(`${n}`, text)),
    );
    const got = (): string[] => members.flatMap((member) => member.texts());
    await waitUntil(() => got().length >= 100 && other.entries.length >= 100, 'both groups have all');
    t.same(got().sort(), [...texts].sort());
    t.same(other.texts().sort(), [...texts].sort());
    await Promise.all([...members, other].map(({ consumer }) => consumer.stop()));
  });

  t.test('a group that comes back goes on where it stopped', async (t) => {
    const group = freshGroup();
    const first = await gather(log, 'verifications', group);
    await log.append('verifications', [entry('k', 'one'), entry('k', 'two')]);
    await waitUntil(() => first.entries.length >= 2, 'the first two arrive');
    await first.consumer.stop();
    await log.append('verifications', [entry('k', 'three')]);
    const second = await gather(log, 'verifications', group);
    await waitUntil(() => second.entries.length >= 1, 'the third arrives');
    await second.consumer.stop();
    t.same(second.texts(), ['three']);
  });
}

function testFailure(t: Test, log: Log): void {
  t.test('a batch whose handler rejects comes again, and nothing behind it is handed out before', async (t) => {
    const seen: string[][] = [];
    let failuresLeft = 2;
    const handle = async (batch: readonly LogEntry[]): Promise<void> => {
      const ours = batch.filter(({ key }) => key === 'poison').map(textOf);
      if (ours.length === 0) return;
      seen.push(ours);
      if (failuresLeft-- > 0) throw new Error('not this time');
    };
    const consumer = await log.subscribe({ topic: 'outcomes', group: freshGroup(), batchMax: 1, handle });
    await log.append('outcomes', [entry('poison', 'a'), entry('poison', 'b')]);
    await waitUntil(() => seen.flat().includes('b'), 'the second entry arrives');
    t.same(seen, [['a'], ['a'], ['a'], ['b']]);
    await consumer.stop();
  });

  t.test('at most one batch of a partition is in the handler at a time', async (t) => {
    let inside = 0;
    let insideMax = 0;
    let handled = 0;
    const handle = async (batch: readonly LogEntry[]): Promise<void> => {
      const ours = batch.filter(({ key }) => key === 'turnstile').length;
      if (ours > 0) insideMax = Math.max(insideMax, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      if (ours > 0) inside--;
      handled += ours;
    };
    const consumer = await log.subscribe({ topic: 'outcomes', group: freshGroup(), batchMax: 5, handle });
    for (let n = 0; n < 10; n++)
      await log.append(
        'outcomes',
        Array.from({ length: 10 }, () => entry('turnstile', `${n}`)),
      );
    await waitUntil(() => handled >= 100, 'all are handled');
    await consumer.stop();
    t.equal(insideMax, 1);
  });
}

/** Entries of other tests count as those of the loud tenant. */
const tenantOf = ({ key }: LogEntry): string => (key.startsWith('quiet') ? 'quiet' : 'loud');
const flood = (tenant: 'loud' | 'quiet', count: number): LogEntry[] =>
  Array.from({ length: count }, (_, n) => entry(`${tenant}-${n}`, `${tenant}${n}`));

function testTurns(t: Test, log: Log): void {
  t.test('what one tenant has waiting delays no other: each is in the next batch of its partition', async (t) => {
    const group = freshGroup();
    const texts = new Set<string>();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const handle = async (batch: readonly LogEntry[]): Promise<void> => {
      batch.forEach((each) => texts.add(textOf(each)));
      if (texts.has('quiet0')) open();
      await gate;
    };
    const sent = [...flood('loud', 600), ...flood('quiet', 1)];
    await log.append('outcomes', sent);
    const consumer = await log.subscribe({ topic: 'outcomes', group, batchMax: 10, tenantOf, handle });
    await waitUntil(
      () => sent.every((each) => texts.has(textOf(each))),
      'all is handed out, once the quiet tenant was',
    );
    await consumer.stop();
    t.ok(texts.has('quiet0'));
  });

  t.test('what was passed over is handed out after a failure, a stop and a new start', async (t) => {
    const group = freshGroup();
    const done = new Set<string>();
    let failures = 0;
    const handle = async (batch: readonly LogEntry[]): Promise<void> => {
      if (failures > 0 || done.has('quiet0')) {
        failures += 1;
        throw new Error('the store is away');
      }
      batch.forEach((each) => done.add(textOf(each)));
    };
    const sent = [...flood('loud', 300), ...flood('quiet', 1)];
    await log.append('deliveries', sent);
    const first = await log.subscribe({ topic: 'deliveries', group, batchMax: 10, tenantOf, handle });
    await waitUntil(() => failures > 0, 'the quiet tenant was handed out, and then it fails');
    await first.stop();
    t.ok(done.size < 300, 'much is left');
    const second = await gather(log, 'deliveries', group, { batchMax: 10, tenantOf });
    // Read once a round: a set for each of 301 entries, large ones of other tests among them, would keep the process from its heartbeats.
    await waitUntil(() => {
      const all = new Set([...done, ...second.texts()]);
      return sent.every((each) => all.has(textOf(each)));
    }, 'all of it was handed out');
    await second.consumer.stop();
  });
}

function testStop(t: Test, log: Log): void {
  t.test('stopping finishes the batch in hand and stores how far it got', async (t) => {
    const group = freshGroup();
    const gate: { open?: () => void } = {};
    let handled = 0;
    const handle = async (batch: readonly LogEntry[]): Promise<void> => {
      if (!batch.some(({ key }) => key === 'last')) return;
      await new Promise<void>((resolve) => (gate.open = resolve));
      handled++;
    };
    const consumer = await log.subscribe({ topic: 'scores', group, batchMax: 1_000, handle });
    await log.append('scores', [entry('last', 'x')]);
    await waitUntil(() => gate.open !== undefined, 'the batch is in hand');
    const stopped = consumer.stop();
    gate.open?.();
    await stopped;
    t.equal(handled, 1);

    const again = await gather(log, 'scores', group);
    await log.append('scores', [entry('after', 'y')]);
    await waitUntil(() => again.entries.some(({ key }) => key === 'after'), 'the next entry arrives');
    await again.consumer.stop();
    t.notOk(again.entries.some(({ key }) => key === 'last'));
  });

  t.test('a consumer with nothing to do is healthy all the same', async (t) => {
    const { consumer } = await gather(log, 'verifications', freshGroup());
    let rounds = 0;
    let last = consumer.tickAgeMs();
    await waitUntil(() => {
      const age = consumer.tickAgeMs();
      if (age < last) rounds++;
      last = age;
      return rounds >= 2;
    }, 'the loop makes rounds');
    await consumer.stop();
    t.pass('the age went down twice');
  });
}

/** The most partitions of a topic, in any adapter. */
const partitionsMax = 6;

function testLinger(t: Test, log: Log): void {
  const [lingerMs, appended] = [300, 200];
  t.test('a reader that lingers takes what came meanwhile in few batches', async (t) => {
    const sizes: number[] = [];
    const handle = async (batch: readonly LogEntry[]): Promise<void> => {
      const ours = batch.filter(({ key }) => key.startsWith('linger-')).length;
      if (ours > 0) sizes.push(ours);
    };
    const options = { topic: 'verifications', group: freshGroup(), batchMax: 1_000, lingerMs } as const;
    const consumer = await log.subscribe({ ...options, handle });
    const arrived = (): number => sizes.reduce((sum, size) => sum + size, 0);
    await log.append('verifications', [entry('linger-0', 'first')]);
    await waitUntil(() => arrived() >= 1, 'it reads');
    const startedMs = performance.now();
    for (let n = 1; n < appended; n++) await log.append('verifications', [entry(`linger-${n}`, `${n}`)]);
    await waitUntil(() => arrived() >= appended, 'all entries arrive');
    // However slow the machine was: a batch of each partition for each time that it lingered.
    const lingered = Math.ceil((performance.now() - startedMs) / lingerMs) + 1;
    await consumer.stop();
    t.ok(sizes.length <= lingered * partitionsMax, `${appended} entries in ${sizes.length} batches`);
  });
}

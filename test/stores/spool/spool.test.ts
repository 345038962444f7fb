import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Fault, storeUnavailable } from '../../../src/errors.js';
import type { LogEntry } from '../../../src/stores/log/port.js';
import { openSpool, type Spool } from '../../../src/stores/spool/spool.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { temporaryDirectory } from '../../helpers/directories.js';

const logger = createLogger('silent');
const entry = (key: string, bytes = 10): LogEntry => ({ key, value: new Uint8Array(bytes) });
const open = async (
  t: Test,
  directory: string,
  options: { bytesMax?: number; fileBytesMax?: number } = {},
): Promise<Spool> => {
  const spool = await openSpool({ directory, bytesMax: 1_000_000, logger, ...options });
  t.teardown(() => spool.close());
  return spool;
};

async function drained(spool: Spool): Promise<string[]> {
  const keys: string[] = [];
  await spool.drain(async (entries) => void keys.push(...entries.map(({ key }) => key)));
  return keys;
}

t.test('entries leave in the order in which they came, across files, and leave nothing behind', async (t) => {
  const directory = temporaryDirectory(t);
  const spool = await open(t, directory, { fileBytesMax: 200 });
  const keys = Array.from({ length: 50 }, (_, n) => `k${n}`);
  for (const key of keys) await spool.append([entry(key)]);
  t.ok(readdirSync(directory).length > 5);
  t.ok(spool.bytes() > 0);
  t.same(await drained(spool), keys);
  t.equal(spool.bytes(), 0);
  t.same(readdirSync(directory), []);
});

t.test('what an earlier process left is handed out before what is new', async (t) => {
  const directory = temporaryDirectory(t);
  const first = await open(t, directory);
  await first.append([entry('a'), entry('b')]);
  await first.close();
  const second = await open(t, directory);
  t.ok(second.bytes() > 0);
  await second.append([entry('c')]);
  t.same(await drained(second), ['a', 'b', 'c']);
});

t.test('many appends at once are all taken, and none is mixed up with another', async (t) => {
  const spool = await open(t, temporaryDirectory(t));
  const keys = Array.from({ length: 500 }, (_, n) => `k${n}`);
  await Promise.all(keys.map((key) => spool.append([entry(key)])));
  t.same(await drained(spool), keys);
});

t.test(
  'a receiver that fails is asked again from where it failed, and what comes meanwhile waits behind',
  async (t) => {
    const directory = temporaryDirectory(t);
    const spool = await open(t, directory);
    for (const key of ['a', 'b', 'c']) await spool.append([entry(key, 200_000)]);
    const seen: string[] = [];
    let failing = true;
    const send = async (entries: readonly LogEntry[]): Promise<void> => {
      if (entries[0]?.key === 'b' && failing) throw storeUnavailable('away');
      seen.push(...entries.map(({ key }) => key));
    };
    await t.rejects(spool.drain(send), { code: 'STORE_UNAVAILABLE' });
    await spool.append([entry('d')]);
    failing = false;
    await spool.drain(send);
    t.same(seen, ['a', 'b', 'c', 'd']);
    t.same(readdirSync(directory), []);
  },
);

t.test('a torn tail is passed over; whatever was acknowledged before it comes back', async (t) => {
  const directory = temporaryDirectory(t);
  const first = await open(t, directory);
  await first.append([entry('a')]);
  await first.append([entry('b')]);
  await first.close();
  const file = join(directory, readdirSync(directory)[0] ?? '');
  truncateSync(file, readFileSync(file).length - 3);
  const second = await open(t, directory);
  t.same(await drained(second), ['a']);
  t.same(readdirSync(directory), []);
});

t.test('a damaged length costs the one frame that has it, and its file is kept and counted', async (t) => {
  const directory = temporaryDirectory(t);
  const first = await open(t, directory);
  const keys = Array.from({ length: 10 }, (_, n) => `k${n}`);
  for (const key of keys) await first.append([entry(key)]);
  await first.close();
  const file = join(directory, readdirSync(directory)[0] ?? '');
  const content = readFileSync(file);
  // The length of the third frame; all are of one size.
  content.writeUInt32LE(0x7fffffff, (content.length / 10) * 2 + 4);
  writeFileSync(file, content);
  const second = await open(t, directory);
  t.same(
    await drained(second),
    keys.filter((key) => key !== 'k2'),
  );
  t.match(readdirSync(directory), [/\.spool\.kept$/]);
  t.equal((await second.kept()).files, 1);
  t.equal((await (await open(t, directory)).kept()).files, 1, 'the next process counts it too');
});

t.test('garbage behind the last frame takes nothing with it', async (t) => {
  const directory = temporaryDirectory(t);
  const first = await open(t, directory);
  await first.append([entry('a')]);
  await first.close();
  appendFileSync(join(directory, readdirSync(directory)[0] ?? ''), 'garbage that is no frame');
  t.same(await drained(await open(t, directory)), ['a']);
});

t.test('a file that is gone, or that the disk cannot read, holds up none behind it', async (t) => {
  const directory = temporaryDirectory(t);
  const spool = await open(t, directory, { fileBytesMax: 1 });
  for (const key of ['gone', 'unreadable', 'c']) await spool.append([entry(key)]);
  const [gone = '', unreadable = ''] = readdirSync(directory).map((name) => join(directory, name));
  unlinkSync(gone);
  unlinkSync(unreadable);
  mkdirSync(unreadable);
  t.same(await drained(spool), ['c']);
  t.equal(spool.bytes(), 0);
  t.match(readdirSync(directory), [/\.spool\.kept$/]);
  t.equal((await spool.kept()).files, 1);
});

t.test('a file that is kept takes the place of none that was kept before', async (t) => {
  const directory = temporaryDirectory(t);
  for (const start of [1, 2]) {
    const spool = await open(t, directory);
    await spool.append([entry(`bad ${start}`)]);
    await spool.drain(() => Promise.reject(new Error('too large')));
    await spool.close();
    t.equal(readdirSync(directory).length, start);
  }
});

t.test('a damaged file is kept beside the queue, and what can be read of it is handed out', async (t) => {
  const directory = temporaryDirectory(t);
  const first = await open(t, directory);
  for (const key of ['first', 'second', 'third']) await first.append([entry(key)]);
  await first.close();
  const file = join(directory, readdirSync(directory)[0] ?? '');
  const content = readFileSync(file);
  content.writeUInt8(0, content.indexOf('second') + 1);
  writeFileSync(file, content);
  const second = await open(t, directory);
  t.same(await drained(second), ['first', 'third']);
  t.match(readdirSync(directory), [/\.spool\.kept$/]);
  t.equal(second.bytes(), 0);
});

t.test('an entry that the receiver will never take holds up no other, and its file is kept', async (t) => {
  const directory = temporaryDirectory(t);
  const spool = await open(t, directory);
  for (const key of ['a', 'bad', 'c']) await spool.append([entry(key)]);
  const seen: string[] = [];
  await spool.drain(async (entries) => {
    if (entries.some(({ key }) => key === 'bad')) throw new Error('too large');
    seen.push(...entries.map(({ key }) => key));
  });
  t.same(seen, ['a', 'c']);
  t.match(readdirSync(directory), [/\.kept$/]);
});

t.test(
  'beyond its bound it refuses as unavailable, keeps what it has, and takes again once it was drained',
  async (t) => {
    const spool = await open(t, temporaryDirectory(t), { bytesMax: 1_000 });
    const taken: string[] = [];
    let refusal: unknown = null;
    for (let n = 0; refusal === null; n++)
      await spool.append([entry(`k${n}`, 100)]).then(
        () => taken.push(`k${n}`),
        (error: unknown) => (refusal = error),
      );
    t.ok(refusal instanceof Fault && refusal.code === 'STORE_UNAVAILABLE');
    t.ok(spool.bytes() <= 1_000);
    t.same(await drained(spool), taken);
    await t.resolves(spool.append([entry('again', 100)]));
  },
);

t.test('a replay that is to stop ends behind the lot in hand, and the next process goes on', async (t) => {
  const directory = temporaryDirectory(t);
  const spool = await open(t, directory);
  for (const key of ['a', 'b', 'c']) await spool.append([entry(key, 200_000)]);
  let sent = 0;
  await spool.drain(
    async () => void (sent += 1),
    () => sent === 1,
  );
  t.equal(sent, 1);
  await spool.close();
  t.same(await drained(await open(t, directory)), ['a', 'b', 'c']);
});

/** Lets flushes of files, or of directories, fail while the result is true; answers with the flushes that succeeded. */
async function failFlushes(t: Test, kind: 'datasync' | 'sync', isFailing: () => boolean): Promise<{ done: number }> {
  const handle = await openFile(temporaryDirectory(t), 'r');
  const methods = Object.getPrototypeOf(handle) as Record<string, () => Promise<void>>;
  await handle.close();
  const flushes = { done: 0 };
  const real = methods[kind];
  methods[kind] = async function flush(this: unknown) {
    if (isFailing()) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    flushes.done += 1;
    await real?.call(this);
  };
  t.teardown(() => Object.assign(methods, { [kind]: real }));
  return flushes;
}

t.test('a file whose flush failed gets no further frames, and keeps those from before', async (t) => {
  const directory = temporaryDirectory(t);
  const spool = await open(t, directory);
  await spool.append([entry('before')]);
  let failing = true;
  await failFlushes(t, 'datasync', () => failing);
  await t.rejects(spool.append([entry('lost')]), { code: 'STORE_UNAVAILABLE' });
  failing = false;
  await spool.append([entry('after')]);
  t.equal(readdirSync(directory).length, 2);
  t.same(await drained(spool), ['before', 'after']);
});

t.test('after a failed flush of the directory the next receipt waits for a flush of it', async (t) => {
  const directory = temporaryDirectory(t);
  const spool = await open(t, directory);
  let failing = true;
  const flushes = await failFlushes(t, 'sync', () => failing);
  await t.rejects(spool.append([entry('lost')]), { code: 'STORE_UNAVAILABLE' });
  t.same(readdirSync(directory), [], 'refusals leave no files');
  failing = false;
  await spool.append([entry('after')]);
  t.equal(flushes.done, 1);
  t.same(await drained(spool), ['after']);
});

t.test('a file whose first write fails while it is to be drained holds up none', async (t) => {
  const spool = await open(t, temporaryDirectory(t));
  let isFailing = true;
  let drain = Promise.resolve();
  await failFlushes(t, 'datasync', () => {
    if (isFailing) drain = spool.drain(() => Promise.reject(new Error('nothing is there')));
    return isFailing;
  });
  await t.rejects(spool.append([entry('lost')]), { code: 'STORE_UNAVAILABLE' });
  await drain;
  isFailing = false;
  await spool.append([entry('after')]);
  t.same(await drained(spool), ['after']);
});

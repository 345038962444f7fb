/**
 * The steps of counting on Redis. What a step asks for is read by plain commands, and what it ends with is written by one script, if nothing that it was given
 * has changed; else the step runs again. Calls of one process on the same keys wait for each other, so that only other processes change values. After some
 * tries a step writes although others wrote too: what they counted in that moment is lost then, but never the guard of a session.
 */
import { storeUnavailable } from '../../../errors.js';
import type { Bytes } from '../counting/bytes.js';
import type { Ended, Given, Step, Wanted, Writes } from '../counting/step.js';
import { BytesCall, type BytesCommand } from './bytes-call.js';
import type { RedisConnection } from './connection.js';
import { createLocks } from './locks.js';
import type { Script, Scripts } from './scripts.js';

const carefulTries = 24;
const triesMax = 32;

export interface RedisStore {
  /** Runs what `begin` returns, again where others wrote meanwhile, as soon as no other call holds one of the names. */
  run<T>(names: readonly string[], begin: () => Step<Ended<T>>): Promise<T>;
  /** The same; null, and nothing is written, if that turns out not to be allowed. */
  runIf<T>(isAllowed: Promise<boolean>, names: readonly string[], begin: () => Step<Ended<T>>): Promise<T | null>;
}

export function createStore(
  connection: RedisConnection,
  { commit, countCells }: Scripts,
  deadlineMs: number,
): RedisStore {
  const locks = createLocks();
  const checkTime = (sinceMs: number): void => {
    if (performance.now() - sinceMs > deadlineMs)
      throw storeUnavailable(`counters in Redis: no end within ${deadlineMs} ms`);
  };
  const give = createReader(connection, countCells);
  const write = createWriter(connection, commit);
  /** null if it is not allowed; `again` if others wrote meanwhile. */
  const attempt = async <T>({ begin, isAllowed }: Run<T>, tries: number): Promise<Ended<T> | null | 'again'> => {
    const step = begin();
    let release = (): void => undefined;
    try {
      let next = step.next();
      while (next.done !== true) {
        const { fields } = next.value;
        // Devices that are alike take turns, so that each sees the others. Whoever waits here is waited for by nobody who is waited for.
        if (fields !== undefined) release = await locks.take([`${fields.key} ${fields.names.join(' ')}`]);
        const given = await give(next.value, tries > 1);
        if (isAllowed !== null && !(await isAllowed)) return null;
        next = step.next(given);
      }
      const { writes } = next.value;
      return writes === null || (await write(writes, tries <= carefulTries)) ? next.value : 'again';
    } finally {
      release();
    }
  };
  const run = async <T>(of: Run<T>): Promise<Ended<T> | null> => {
    const sinceMs = performance.now();
    const release = await locks.take(of.names);
    try {
      for (let tries = 1; tries <= triesMax; tries += 1) {
        // An answer that came while this process stood still is taken, however long that was.
        if (tries > 1) checkTime(sinceMs);
        const ended = await attempt(of, tries);
        if (ended !== 'again') return ended;
      }
      throw storeUnavailable(`counters in Redis: others wrote in each of ${triesMax} tries`);
    } finally {
      release();
    }
  };
  return {
    run: async (names, begin) => {
      const ended = await run({ names, begin, isAllowed: null });
      if (ended === null) throw new Error('a step that needs no leave is run');
      return ended.result;
    },
    runIf: async (isAllowed, names, begin) => (await run({ names, begin, isAllowed }))?.result ?? null,
  };
}

interface Run<T> {
  readonly names: readonly string[];
  readonly begin: () => Step<Ended<T>>;
  readonly isAllowed: Promise<boolean> | null;
}

const createReader =
  (connection: RedisConnection, countCells: Script) =>
  async ({ keys, tail, fields, cells }: Wanted, isAgain: boolean): Promise<Given> => {
    const commands: BytesCommand[] = [];
    if (keys.length > 0) commands.push(new BytesCall('mget', keys));
    if (tail !== undefined) commands.push(new BytesCall('getrange', [tail.key, String(tail.from), '-1']));
    if (fields !== undefined) {
      commands.push(new BytesCall('hmget', [fields.key, ...fields.names]));
      if (fields.before !== null) commands.push(new BytesCall('hmget', [fields.before, ...fields.names]));
    }
    if (cells !== undefined)
      commands.push({ script: countCells, keys: cells.keys, args: [cells.cells, String(isAgain ? 0 : cells.addMs)] });
    const replies = await connection.sendAll(commands);
    let place = 0;
    const values = keys.length > 0 ? listOf(replies[place++]).map(bytesOrNull) : [];
    const given: { -readonly [Name in keyof Given]: Given[Name] } = { values };
    if (tail !== undefined) given.tail = bytesOrNull(replies[place++]) ?? '';
    if (fields !== undefined) {
      const current = listOf(replies[place++]);
      const before = fields.before === null ? [] : listOf(replies[place++]);
      given.fields = current.map((list, i) => bytesOrNull(list ?? before[i]));
    }
    if (cells !== undefined) given.cells = listOf(replies[place]) as readonly number[];
    return given;
  };

/** Whether it was written. */
const createWriter =
  (connection: RedisConnection, commit: Script) =>
  async (writes: Writes, isCareful: boolean): Promise<boolean> => {
    const { keys, args } = commitOf(writes, isCareful);
    const puts = putsOf(writes);
    // Before the script, so that what it names is there.
    const replies = await connection.sendAll(keys.length === 0 ? puts : [...puts, { script: commit, keys, args }]);
    if (keys.length === 0 || Number(replies.at(-1)) === 1) return true;
    if (writes.puts.length > 0) await connection.remove(writes.puts.map(({ key }) => key));
    return false;
  };

const listOf = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : []);

const bytesOrNull = (reply: unknown): Bytes | null => (Buffer.isBuffer(reply) ? reply.toString('latin1') : null);

function putsOf({ puts, fields }: Writes): BytesCommand[] {
  const set = ({ key, value, keepMs }: Writes['puts'][number]) =>
    new BytesCall('set', [key, value, 'PX', String(keepMs)]);
  const commands = puts.map(set);
  if (fields === null) return commands;
  const { key, names, values, keepMs, generation } = fields;
  commands.push(
    new BytesCall('hset', [key, ...names.flatMap((name, i) => [name, values[i] ?? ''])]),
    new BytesCall('pexpire', [key, String(keepMs)]),
    set(generation),
  );
  return commands;
}

/** The keys and arguments of the script. */
function commitOf(writes: Writes, isCareful: boolean): { readonly keys: string[]; readonly args: Bytes[] } {
  const { claims, sets, appends, increments, removes } = writes;
  const checked = claims.length + (isCareful ? sets.length : 0);
  const counts = [claims.length + sets.length, checked, appends.length, increments.length];
  const args: Bytes[] = [...counts, removes.length].map(String);
  const keys: string[] = [];
  for (const { key, expected, value, keepMs } of [...claims, ...sets]) {
    keys.push(key);
    args.push(expected, value, String(keepMs));
  }
  for (const { key, bytes, keepMs, renews } of appends) {
    keys.push(key);
    args.push(bytes, String(keepMs), renews ? '1' : '');
  }
  for (const { key, keepMs } of increments) {
    keys.push(key);
    args.push(String(keepMs));
  }
  keys.push(...removes);
  return { keys, args };
}

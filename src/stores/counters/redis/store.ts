/**
 * The steps of counting on Redis. What a step asks for is read by plain commands, and what it ends with is written by one script, if nothing that it was given
 * has changed; else the step runs again. Calls of one process on the same keys wait for each other, so that only other processes change values. After some
 * tries a step writes although others wrote too: what they counted in that moment is lost then, but never the guard of a session.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { storeUnavailable } from '../../../errors.js';
import type { Bytes } from '../counting/bytes.js';
import type { Ended, FieldsWrite, Given, Step, Wanted, Writes } from '../counting/step.js';
import { BytesCall, type BytesCommand, type ScriptRun } from './bytes-call.js';
import type { RedisConnection, Waited } from './connection.js';
import { createLocks } from './locks.js';
import type { Script, Scripts } from './scripts.js';

const carefulTries = 24;
const triesMax = 32;
/** After so many tries at once each waits for a while first: of two processes in step the same one would lose every time. */
const triesAtOnce = 3;
const pauseMsMax = 12;

export interface RedisStore {
  /** Runs what `begin` returns, again where others wrote meanwhile, as soon as no other call holds one of the names. */
  run<T>(names: readonly string[], begin: () => Step<Ended<T>>): Promise<T>;
  /** The same with a condition that is asked for next to the first values; null, and nothing is written, if that turns out not to be allowed. */
  runIf<T>(takeLeave: () => Promise<boolean>, names: readonly string[], begin: () => Step<Ended<T>>): Promise<T | null>;
  /** Deletes keys of one slot as soon as no other call holds one of the names. */
  remove(names: readonly string[], keys: readonly string[]): Promise<void>;
}

export function createStore(connection: RedisConnection, { commit, readCells }: Scripts): RedisStore {
  const locks = createLocks();
  const give = createReader(connection, readCells);
  const write = createWriter(connection, commit);
  /** null if it is not allowed; `again` if others wrote meanwhile. */
  const attempt = async <T>(
    { begin }: Run<T>,
    { isAllowed, tries, waited }: Attempt,
  ): Promise<Ended<T> | null | 'again'> => {
    const step = begin();
    let release: (() => void) | null = null;
    try {
      let next = step.next();
      while (next.done !== true) {
        const { fields } = next.value;
        // Devices that are alike take turns, so that each sees the others. Whoever waits here is waited for by nobody who is waited for.
        if (fields !== undefined) release = await locks.take([`${fields.key} ${fields.names[0]}`]);
        const given = await give(next.value);
        if (isAllowed !== null && !(await isAllowed)) return null;
        // An answer that came while this process stood still is taken, however long that was.
        if (tries === 1) waited.renew();
        next = step.next(given);
      }
      const { writes } = next.value;
      return writes === null || (await write(writes, tries <= carefulTries)) ? next.value : 'again';
    } finally {
      release?.();
    }
  };
  const runOn = async <T>(of: Run<T>, waited: Waited): Promise<Ended<T> | null> => {
    const release = await locks.take(of.names);
    try {
      const isAllowed = of.takeLeave?.() ?? null;
      // If the reads fail first, nobody asks for it any more.
      isAllowed?.catch(() => undefined);
      for (let tries = 1; tries <= triesMax && !waited.isOver(); tries += 1) {
        const ended = await attempt(of, { isAllowed, tries, waited });
        if (ended !== 'again') return ended;
        if (tries >= triesAtOnce) await pause(Math.random() * Math.min(tries, pauseMsMax));
      }
      throw storeUnavailable('counters in Redis: others wrote at each try, or for too long');
    } finally {
      release();
    }
  };
  const run = <T>(of: Run<T>): Promise<Ended<T> | null> => connection.within((waited) => runOn(of, waited));
  return {
    run: async (names, begin) => {
      const ended = await run({ names, begin, takeLeave: null });
      if (ended === null) throw new Error('a step that needs no leave is run');
      return ended.result;
    },
    runIf: async (takeLeave, names, begin) => (await run({ names, begin, takeLeave }))?.result ?? null,
    remove: (names, keys) =>
      connection.within(() =>
        locks.hold(names, async () => void (await connection.sendAll([new BytesCall('del', [...keys])]))),
      ),
  };
}

interface Attempt {
  readonly isAllowed: Promise<boolean> | null;
  readonly tries: number;
  readonly waited: Waited;
}

interface Run<T> {
  readonly names: readonly string[];
  readonly begin: () => Step<Ended<T>>;
  readonly takeLeave: (() => Promise<boolean>) | null;
}

const createReader =
  (connection: RedisConnection, readCells: Script) =>
  async ({ keys, tail, fields, cells }: Wanted): Promise<Given> => {
    const commands: BytesCommand[] = [];
    if (keys.length > 0) commands.push(new BytesCall('mget', [...keys]));
    if (tail !== undefined) commands.push(new BytesCall('getrange', [tail.key, String(tail.from), '-1']));
    if (fields !== undefined) {
      commands.push(new BytesCall('hmget', [fields.key, ...fields.names]));
      if (fields.before !== null) commands.push(new BytesCall('hmget', [fields.before, ...fields.names]));
    }
    if (cells !== undefined) commands.push({ script: readCells, args: ['', '2', ...cells.keys, cells.cells] });
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
    const args = commitOf(writes, isCareful);
    if (args === null) return true;
    const run: ScriptRun = { script: commit, args };
    const replies = await connection.sendAll(writes.fields === null ? [run] : [bandsOf(writes.fields), run]);
    return Number(replies.at(-1)) === 1;
  };

const listOf = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : []);

const bytesOrNull = (reply: unknown): Bytes | null => (Buffer.isBuffer(reply) ? reply.toString('latin1') : null);

/** Bands as a plain command: a script would be given each of their many texts. */
function bandsOf({ key, names, values }: FieldsWrite): BytesCall {
  const args = [key];
  names.forEach((name, i) => args.push(name, values[i] ?? ''));
  return new BytesCall('hset', args);
}

/** The arguments of the script, after its keys; null if there is nothing to be written. */
function commitOf(writes: Writes, isCareful: boolean): Bytes[] | null {
  const { fields, claims, sets, puts, appends, increments, cells, removes } = writes;
  const tables = fields === null ? 0 : 1;
  const counted = cells === null ? 0 : 1;
  const written = claims.length + sets.length + puts.length;
  const count = 2 * tables + written + appends.length + increments.length + counted + removes.length;
  if (count === 0) return null;
  const args: Bytes[] = ['', String(count)];
  if (fields !== null) args.push(fields.key, fields.generation.key);
  for (const { key } of claims) args.push(key);
  for (const { key } of sets) args.push(key);
  for (const { key } of puts) args.push(key);
  for (const { key } of appends) args.push(key);
  for (const { key } of increments) args.push(key);
  if (cells !== null) args.push(cells.key);
  args.push(...removes);
  const checked = claims.length + (isCareful ? sets.length : 0);
  args.push(String.fromCharCode(tables, written, checked, appends.length, increments.length, counted, removes.length));
  if (fields !== null) args.push(fields.generation.value, String(fields.keepMs));
  for (const { expected, value, keepMs } of claims) args.push(expected, value, String(keepMs));
  for (const { expected, value, keepMs } of sets) args.push(expected, value, String(keepMs));
  for (const { value, keepMs } of puts) args.push('', value, String(keepMs));
  for (const { bytes, keepMs, renews, expected } of appends)
    args.push(bytes, String(keepMs), renews ? '1' : '', expected);
  for (const { keepMs } of increments) args.push(String(keepMs));
  if (cells !== null) args.push(cells.cells, String(cells.keepMs));
  return args;
}

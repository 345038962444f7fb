/**
 * Runs the steps of counting (`counting/step.ts`) on Redis. A step is read by plain commands and written by one script, all or nothing.
 *
 *   locked ──▶ values read ──▶ step goes on ──▶ written ──▶ ended
 *     ▲             │     ◀─asks for more─┘        │
 *     │             └─limits used up──▶ refused    └─a value changed meanwhile──▶ conflict
 *     └──────────────────────── from the beginning, with new values ─────────────────┘
 *
 * Calls of one process on the same keys wait for each other, so that only other processes cause conflicts. From try `carefulTries` on, a step checks
 * only its claims, such as the guard of a session, and overwrites other values: what others counted there in that moment is lost. If that fails as
 * well, or the deadline passes, the call is StoreUnavailable.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { storeUnavailable } from '../../../errors.js';
import type { Bytes } from '../counting/bytes.js';
import type { Ended, FieldsWrite, Given, Step, Wanted, Writes } from '../counting/step.js';
import { BytesCall, type BytesCommand, type ScriptRun } from './bytes-call.js';
import type { RedisConnection, Waited } from './connection.js';
import { createLocks } from './locks.js';
import type { Script, Scripts } from './scripts.js';

/** Up to this try all values that were read must be unchanged; later tries check the claims alone. */
const carefulTries = 24;
const triesMax = 32;
/** Later tries wait first, for a random time: of two processes in step the same one would lose every time. */
const triesAtOnce = 3;
const pauseMsMax = 12;

type Begin<T> = () => Step<Ended<T>>;

/** `names` are what the step must not share with another call of this process. */
export interface RedisStore {
  /** Runs a step to its end. `begin` is called once for each try. */
  run<T>(names: readonly string[], begin: Begin<T>): Promise<T>;
  /** The same, unless `isAllowed` resolves to false: then null, and nothing is written. It is called once, together with the first read. */
  runIf<T>(isAllowed: () => Promise<boolean>, names: readonly string[], begin: Begin<T>): Promise<T | null>;
  /** Deletes keys of one slot as soon as no other call holds one of the names. */
  remove(names: readonly string[], keys: readonly string[]): Promise<void>;
}

export function createStore(connection: RedisConnection, { commit, readCells }: Scripts): RedisStore {
  const locks = createLocks();
  const attempt = createAttempt({
    read: createReader(connection, readCells),
    write: createWriter(connection, commit),
    lock: locks.take,
  });
  const retry = async <T>(begin: Begin<T>, isAllowed: Allowed, waited: Waited): Promise<Ended<T> | 'refused'> => {
    for (let tries = 1; tries <= triesMax && !waited.isOver(); tries += 1) {
      const result = await attempt(begin, { isAllowed, tries, waited });
      if (result !== 'conflict') return result;
      if (tries >= triesAtOnce) await pause(Math.random() * Math.min(tries, pauseMsMax));
    }
    throw storeUnavailable('counters in Redis: others wrote at each try, or for too long');
  };
  return {
    run: (names, begin) =>
      connection.within((waited) =>
        locks.hold(names, async () => {
          const ended = await retry(begin, null, waited);
          if (ended === 'refused') throw new Error('a step without limits is refused');
          return ended.result;
        }),
      ),
    runIf: (isAllowed, names, begin) =>
      connection.within((waited) =>
        locks.hold(names, async () => {
          const allowed = isAllowed();
          // Awaited after the first read, which may fail before: its own failure is then of no use.
          allowed.catch(() => undefined);
          const ended = await retry(begin, allowed, waited);
          return ended === 'refused' ? null : ended.result;
        }),
      ),
    remove: (names, keys) =>
      connection.within(() =>
        locks.hold(names, async () => void (await connection.sendAll([new BytesCall('del', [...keys])]))),
      ),
  };
}

/** The one answer of all tries; null if nothing limits the step. */
type Allowed = Promise<boolean> | null;

interface AttemptDeps {
  readonly read: (wanted: Wanted) => Promise<Given>;
  /** False if a value is no longer the one that was read. */
  readonly write: (writes: Writes, isCareful: boolean) => Promise<boolean>;
  readonly lock: ReturnType<typeof createLocks>['take'];
}

interface Attempt {
  readonly isAllowed: Allowed;
  /** 1 at the first. */
  readonly tries: number;
  readonly waited: Waited;
}

/** Returns a function that runs a step once, from its first question to its write. */
const createAttempt =
  ({ read, write, lock }: AttemptDeps) =>
  async <T>(begin: Begin<T>, { isAllowed, tries, waited }: Attempt): Promise<Ended<T> | 'refused' | 'conflict'> => {
    const step = begin();
    let release: (() => void) | null = null;
    try {
      let next = step.next();
      while (next.done !== true) {
        const { fields } = next.value;
        // Similar devices take turns, so that each sees the others. No deadlock: a call takes this lock last, and only once.
        if (fields !== undefined) release = await lock([`${fields.key} ${fields.names[0]}`]);
        const given = await read(next.value);
        if (isAllowed !== null && !(await isAllowed)) return 'refused';
        // An answer that came while this process stalled is used, however long the stall.
        if (tries === 1) waited.renew();
        next = step.next(given);
      }
      const { writes } = next.value;
      return writes === null || (await write(writes, tries <= carefulTries)) ? next.value : 'conflict';
    } finally {
      release?.();
    }
  };

/** One round trip: each kind of value by its own command, and the replies in the order of the commands. */
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
    let next = 0;
    const values = keys.length > 0 ? listOf(replies[next++]).map(bytesOrNull) : [];
    const given: { -readonly [Name in keyof Given]: Given[Name] } = { values };
    if (tail !== undefined) given.tail = bytesOrNull(replies[next++]) ?? '';
    if (fields !== undefined) {
      const current = listOf(replies[next++]);
      const before = fields.before === null ? [] : listOf(replies[next++]);
      given.fields = current.map((list, i) => bytesOrNull(list ?? before[i]));
    }
    if (cells !== undefined) given.cells = listOf(replies[next]) as readonly number[];
    return given;
  };

/** The returned function resolves to false, without a write, if a value is no longer the one that was read. */
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

/**
 * The call of commit.lua, which reads it in this order; null if there is nothing to write.
 *
 *   '' · number of keys · keys · counts, one byte each · values
 *
 * Keys and values both stand by kind: bands, claims, sets, puts, appends, increments, cells, removes. Claims, and sets if `isCareful`, are checked.
 */
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

/**
 * Tables of keys that expire, under one common bound on their number.
 * Expired keys are swept a few at a time by the calls themselves, so that no call pauses long; a read never
 * returns an expired one, swept or not. When the bound is reached, `reserve` sweeps on for a while and then
 * refuses (StoreUnavailable), before anything was written: the caller’s step happens whole or not at all.
 */
import { storeUnavailable } from '../../../errors.js';
import { createHash } from 'node:crypto';

const characters = 11;
const knownMax = 20_000;
const known = new Map<string, string>();

/**
 * A short name of a namespace or scope for keys, 66 bits of a hash: The same for the same name, in every process.
 */
export function shortName(name: string): string {
  const before = known.get(name);
  if (before !== undefined) return before;
  const short = createHash('sha256').update(name).digest('base64url').slice(0, characters);
  if (known.size >= knownMax) known.clear();
  known.set(name, short);
  return short;
}

/** Expired entries looked for by each call, and by a call that finds no room. */
const sweepSteps = 20;
const sweepStepsWhenFull = 4_096;

interface Entry<V> {
  readonly key: string;
  value: V;
  /** Milliseconds since `eraMs`. */
  expiresAt: number;
}

/**
 * V8 keeps a number of 32 bits in its place and any other as an object of its own. Counted from here, what expires within 48 days of the start
 * is in its place.
 */
const eraMs = Date.now() + 2 ** 31 - 86_400_000;
const placedMsMax = 2 ** 31;

/** An entry that expires later has another hidden class: one such number would move those of all entries of its class out of their places. */
function createEntry<V>(key: string, value: V, expiresAtMs: number): Entry<V> {
  const expiresAt = expiresAtMs - eraMs;
  return expiresAt < placedMsMax ? { key, value, expiresAt } : { expiresAt, key, value };
}

export interface Table<V> {
  get(key: string, nowMs: number): V | undefined;
  /** The value under the key, made when missing; its expiry is moved on, never back. */
  take(key: string, nowMs: number, keepMs: number, make: () => V): V;
  set(key: string, value: V, nowMs: number, keepMs: number): void;
  /** Another value under a key that is there; its expiry stays. */
  replace(key: string, value: V): void;
  /** Brings the expiry forward, never on. */
  shorten(key: string, nowMs: number, keepMs: number): void;
  delete(key: string): void;
}

export type TableDump = [name: string, entries: [key: string, value: unknown, expiresAtMs: number][]];

export interface Keyspace {
  table<V>(name: string): Table<V>;
  /** Makes sure that `keys` more keys fit. */
  reserve(keys: number, nowMs: number): void;
  readonly size: number;
  dump(nowMs: number): TableDump[];
  load(dumps: readonly TableDump[], nowMs: number): void;
}

/** A keyspace of at most `keysMax` keys. */
export function createKeyspace(keysMax: number): Keyspace {
  const tables = new Map<string, Map<string, Entry<unknown>>>();
  let size = 0;
  let unswept: Map<string, Entry<unknown>>[] = [];
  let cursor: Iterator<Entry<unknown>> | null = null;

  /** Looks at every entry once, table after table; a Map’s iterator bears changes while it walks. Ends early after the last. */
  const sweep = (steps: number, nowMs: number): void => {
    for (let i = 0; i < steps; i += 1) {
      const next = cursor?.next();
      const entry = next?.done === false ? next.value : null;
      if (entry !== null) {
        if (entry.expiresAt <= nowMs - eraMs && unswept[0]?.delete(entry.key) === true) size -= 1;
        continue;
      }
      const isLast = unswept.length === 1;
      unswept = unswept.length > 1 ? unswept.slice(1) : [...tables.values()];
      cursor = unswept[0]?.values() ?? null;
      if (isLast) return;
    }
  };

  return {
    table: <V>(name: string) => {
      const entries = tables.get(name) ?? new Map<string, Entry<unknown>>();
      tables.set(name, entries);
      return createTable(entries as Map<string, Entry<V>>, (change) => (size += change));
    },
    reserve: (keys, nowMs) => {
      sweep(sweepSteps, nowMs);
      if (size + keys <= keysMax) return;
      sweep(sweepStepsWhenFull, nowMs);
      if (size + keys > keysMax)
        throw storeUnavailable(`counters in memory: ${size} of at most ${keysMax} keys are in use`);
    },
    get size() {
      return size;
    },
    dump: (nowMs) =>
      [...tables].map(([name, entries]) => [
        name,
        [...entries]
          .filter(([, entry]) => entry.expiresAt > nowMs - eraMs)
          .map(([key, entry]) => [key, entry.value, entry.expiresAt + eraMs]),
      ]),
    load: (dumps, nowMs) => {
      for (const [name, saved] of dumps) {
        const entries = tables.get(name);
        if (entries === undefined) continue;
        for (const [key, value, expiresAtMs] of saved) {
          if (expiresAtMs <= nowMs || size >= keysMax) continue;
          entries.set(key, createEntry(key, value, expiresAtMs));
          size += 1;
        }
      }
    },
  };
}

function createTable<V>(entries: Map<string, Entry<V>>, resize: (change: number) => void): Table<V> {
  const find = (key: string, nowMs: number): Entry<V> | undefined => {
    const entry = entries.get(key);
    return entry !== undefined && entry.expiresAt > nowMs - eraMs ? entry : undefined;
  };
  const add = (key: string, value: V, expiresAtMs: number): void => {
    entries.set(key, createEntry(key, value, expiresAtMs));
    resize(1);
  };
  const set = (key: string, value: V, nowMs: number, keepMs: number): void => {
    const entry = entries.get(key);
    if (entry === undefined) return add(key, value, nowMs + keepMs);
    entry.value = value;
    entry.expiresAt = nowMs + keepMs - eraMs;
  };
  return {
    get: (key, nowMs) => find(key, nowMs)?.value,
    take: (key, nowMs, keepMs, make) => {
      const entry = entries.get(key);
      if (entry === undefined) {
        const value = make();
        add(key, value, nowMs + keepMs);
        return value;
      }
      const expiresAt = nowMs + keepMs - eraMs;
      const isGone = entry.expiresAt <= nowMs - eraMs;
      if (isGone) entry.value = make();
      entry.expiresAt = isGone ? expiresAt : Math.max(entry.expiresAt, expiresAt);
      return entry.value;
    },
    set,
    replace: (key, value) => {
      const entry = entries.get(key);
      if (entry !== undefined) entry.value = value;
    },
    shorten: (key, nowMs, keepMs) => {
      const entry = entries.get(key);
      if (entry !== undefined) entry.expiresAt = Math.min(entry.expiresAt, nowMs + keepMs - eraMs);
    },
    delete: (key) => {
      if (entries.delete(key)) resize(-1);
    },
  };
}

/**
 * The steps of counting on tables in this process’s memory. A step runs in one turn of the event loop from its first read to its last write: that makes it
 * atomic, and what it was given is still so when it writes.
 */
import { bounds } from '../bounds.js';
import { bufferOf, u16At, type Bytes } from '../counting/bytes.js';
import type { CellsWrite, Ended, FieldsWrite, Given, Step, Wanted, Writes } from '../counting/step.js';
import type { Keyspace } from './keyspace.js';

export interface MemoryStore {
  /** Runs a step that comes at `clockMs`. */
  run<T>(step: Step<Ended<T>>, clockMs: number): T;
  set(key: string, value: Bytes, nowMs: number, keepMs: number): void;
  get(key: string, nowMs: number): Bytes | undefined;
  shorten(key: string, nowMs: number, keepMs: number): void;
  remove(key: string): void;
}

export function createStore(keyspace: Keyspace): MemoryStore {
  const values = keyspace.table<Bytes>('values');
  const fields = keyspace.table<Map<string, Bytes>>('fields');
  const cells = keyspace.table<Uint32Array>('cells');

  const give = (wanted: Wanted, nowMs: number): Given => {
    const given: { -readonly [Name in keyof Given]: Given[Name] } = {
      values: wanted.keys.map((key) => values.get(key, nowMs) ?? null),
    };
    if (wanted.tail !== undefined) given.tail = values.get(wanted.tail.key, nowMs)?.slice(wanted.tail.from) ?? '';
    if (wanted.fields !== undefined) {
      const [current, before] = [wanted.fields.key, wanted.fields.before].map((key) => fields.get(key ?? '', nowMs));
      given.fields = wanted.fields.names.map((name) => current?.get(name) ?? before?.get(name) ?? null);
    }
    if (wanted.cells !== undefined) {
      const tables = wanted.cells.keys.map((key) => cells.get(key, nowMs));
      given.cells = cellsOf(wanted.cells.cells).map((cell) =>
        tables.reduce((sum, table) => sum + (table?.[cell] ?? 0), 0),
      );
    }
    return given;
  };

  const append = ({ key, bytes, keepMs, renews }: Writes['appends'][number], nowMs: number): void => {
    const before = values.get(key, nowMs);
    if (before === undefined || renews) values.set(key, (before ?? '') + bytes, nowMs, keepMs);
    else values.replace(key, before + bytes);
  };
  const putFields = ({ key, names, values: lists, keepMs, generation }: FieldsWrite, nowMs: number): void => {
    const table = fields.get(key, nowMs) ?? new Map<string, Bytes>();
    names.forEach((name, i) => table.set(name, flat(lists[i] ?? '')));
    fields.set(key, table, nowMs, keepMs);
    values.set(generation.key, flat(generation.value), nowMs, keepMs);
  };
  const addToCells = ({ key, cells: counted, keepMs }: CellsWrite, nowMs: number): void => {
    const table = cells.take(key, nowMs, keepMs, createCells);
    for (const cell of cellsOf(counted)) table[cell] = Math.min(bounds.termCountMax, (table[cell] ?? 0) + 1);
  };
  const write = (writes: Writes, nowMs: number): void => {
    for (const list of [writes.claims, writes.sets, writes.puts])
      for (const { key, value, keepMs } of list) values.set(key, flat(value), nowMs, keepMs);
    for (const one of writes.appends) append(one, nowMs);
    for (const { key, keepMs } of writes.increments)
      values.set(key, String(Number(values.get(key, nowMs) ?? 0) + 1), nowMs, keepMs);
    if (writes.fields !== null) putFields(writes.fields, nowMs);
    if (writes.cells !== null) addToCells(writes.cells, nowMs);
    for (const key of writes.removes) for (const table of [values, fields]) table.delete(key);
  };

  return {
    run: (step, clockMs) => {
      let next = step.next();
      while (next.done !== true) next = step.next(give(next.value, clockMs));
      const { result, writes } = next.value;
      if (writes === null) return result;
      keyspace.reserve(keysAdded(writes), clockMs);
      write(writes, clockMs);
      return result;
    },
    set: (key, value, nowMs, keepMs) => {
      keyspace.reserve(1, nowMs);
      values.set(key, value, nowMs, keepMs);
    },
    get: values.get,
    shorten: values.shorten,
    remove: values.delete,
  };
}

const createCells = (): Uint32Array => new Uint32Array(bounds.termCells + 1);

function cellsOf(cells: Bytes): number[] {
  const list: number[] = [];
  for (let at = 0; at < cells.length; at += 2) list.push(u16At(cells, at));
  return list;
}

/** At most so many. */
function keysAdded({ claims, sets, puts, increments, fields, cells }: Writes): number {
  let added = puts.length + increments.length + (fields === null ? 0 : 1) + (cells === null ? 0 : 1);
  for (const list of [claims, sets]) for (const { expected } of list) if (expected === '') added += 1;
  return added;
}

/** A text that was joined of others keeps all of them in memory. */
const flat = (value: Bytes): Bytes => bufferOf(value).toString('latin1');

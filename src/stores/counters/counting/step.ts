/**
 * How counting talks to a store: a step of counting is a generator. It asks for values, is given them, and ends with its result and with what is to be
 * written. A store answers and writes, and decides nothing. Written is all or nothing: if a value is no longer what the step was given, the store runs
 * the step from its beginning.
 */
import { u16, u16At, type Bytes } from './bytes.js';

/** Asked for together, answered in one round trip. */
export interface Wanted {
  readonly keys: readonly string[];
  /** The end of a log, from this byte on. */
  readonly tail?: { readonly key: string; readonly from: number } | undefined;
  /** Fields of a table; those that it has not are looked for in the one before. */
  readonly fields?: FieldsWanted | undefined;
  /** Cells of two tables of counts, each of two bytes; the sums of both. */
  readonly cells?: CellsWanted | undefined;
}

export interface FieldsWanted {
  readonly key: string;
  readonly before: string | null;
  readonly names: readonly string[];
}

export interface CellsWanted {
  readonly keys: readonly [string, string];
  readonly cells: Bytes;
}

export interface Given {
  /** In the order of the keys; null where there is none. */
  readonly values: readonly (Bytes | null)[];
  /** Empty if there is no log. */
  readonly tail?: Bytes;
  readonly fields?: readonly (Bytes | null)[];
  readonly cells?: readonly number[];
}

export interface SetWrite {
  readonly key: string;
  /** The value it takes the place of: '' for none, else its version, and its length if others add to it. */
  readonly expected: Bytes;
  readonly value: Bytes;
  readonly keepMs: number;
}

export interface Writes {
  /** These are never written over: a session’s guard, a key, a signature, a probe. */
  readonly claims: readonly SetWrite[];
  readonly sets: readonly SetWrite[];
  /** Commute with whatever others add. The key is kept so long from its beginning, or if `renews`, from now. */
  readonly appends: readonly Append[];
  readonly increments: readonly { readonly key: string; readonly keepMs: number }[];
  readonly removes: readonly string[];
  /** One more in each cell of a table of counts. */
  readonly cells: CellsWrite | null;
  /** New values of keys that nobody else knows. */
  readonly puts: readonly Put[];
  /** Written whatever was there, even if the rest is not: the same again does no harm, and of two at once the later stands. */
  readonly fields: FieldsWrite | null;
}

interface Append {
  readonly key: string;
  /** The version that the value must still have; '' if it may be any, or none. */
  readonly expected: Bytes;
  readonly bytes: Bytes;
  readonly keepMs: number;
  readonly renews: boolean;
}

export interface CellsWrite {
  readonly key: string;
  readonly cells: Bytes;
  readonly keepMs: number;
}

interface Put {
  readonly key: string;
  readonly value: Bytes;
  readonly keepMs: number;
}

export interface FieldsWrite {
  readonly key: string;
  readonly names: readonly string[];
  readonly values: readonly Bytes[];
  readonly keepMs: number;
  /** Kept as long. */
  readonly generation: { readonly key: string; readonly value: Bytes };
}

export type Step<T> = Generator<Wanted, T, Given>;

/** The end of a step. */
export interface Ended<T> {
  readonly result: T;
  /** null: nothing. */
  readonly writes: Writes | null;
}

export const versionBytes = 2;

/** The value behind its version. */
export const payloadOf = (value: Bytes | null | undefined): Bytes => (value == null ? '' : value.slice(versionBytes));

const versionAfter = (before: Bytes | null | undefined): Bytes => u16(before == null ? 1 : u16At(before, 0) + 1);

/** A value in place of the one that was given; null if it is the same. */
function replacement(key: string, before: Bytes | null | undefined, payload: Bytes, keepMs: number): SetWrite | null {
  if (before == null) return { key, expected: '', value: versionAfter(before) + payload, keepMs };
  if (before.length === payload.length + versionBytes && before.endsWith(payload)) return null;
  return { key, expected: before.slice(0, versionBytes), value: versionAfter(before) + payload, keepMs };
}

/** Collects the writes of a step. */
export class Collected implements Writes {
  readonly claims: SetWrite[] = [];
  readonly sets: SetWrite[] = [];
  readonly appends: Append[] = [];
  readonly increments: { key: string; keepMs: number }[] = [];
  fields: FieldsWrite | null = null;
  cells: CellsWrite | null = null;
  readonly removes: string[] = [];
  readonly puts: Put[] = [];

  replace(key: string, before: Bytes | null | undefined, payload: Bytes, keepMs: number): void {
    const write = replacement(key, before, payload, keepMs);
    if (write !== null) this.sets.push(write);
  }

  claim(key: string, before: Bytes | null | undefined, payload: Bytes, keepMs: number): void {
    const write = replacement(key, before, payload, keepMs);
    if (write !== null) this.claims.push(write);
  }

  /** The same for a value that others add to. */
  claimWhole(key: string, before: Bytes | null | undefined, payload: Bytes, keepMs: number): void {
    const expected = before == null ? '' : before.slice(0, versionBytes) + String(before.length);
    this.claims.push({ key, expected, value: versionAfter(before) + payload, keepMs });
  }
}

/**
 * Calls of functions in the database (docs/internals/adr/0003): statements that a connection plans once, also behind a pooler that keeps no prepared ones. Rows
 * travel as columns, in PostgreSQL's binary form of an array: what the driver would write as text is garbage of 10 KB a score.
 *
 *   dimensions · has nulls · type · length · lower bound · (size · bytes) ...        32 bits each, big endian
 */
import { Buffer } from 'node:buffer';
import type { Queryable, SqlValue } from './port.js';

/** The name is a constant of ours. Values are as its parameters, whose types the database knows. */
export interface FunctionCall {
  readonly name: string;
  readonly values: readonly SqlValue[];
}

/** Calls them one after the other in one statement: all of it is committed, or nothing. Returns the results by name. */
export async function callFunctions(
  tx: Queryable,
  calls: readonly FunctionCall[],
): Promise<Readonly<Record<string, unknown>>> {
  let place = 0;
  const written = calls.map(({ name, values }) => `${name}(${values.map(() => `$${++place}`).join(', ')})`);
  const [results = {}] = await tx.query(
    `SELECT ${written.join(', ')}`,
    calls.flatMap(({ values }) => values),
    { recurring: true },
  );
  return results;
}

/** Reads one value of each row. */
type Column<Row> = (rows: readonly Row[]) => Buffer;

/** A function that takes a batch of rows as columns. To be made once, like the columns: what is made for each batch is compiled for each. */
export const batchFunction =
  <Row>(name: string, columns: readonly Column<Row>[]) =>
  (rows: readonly Row[]): FunctionCall => ({ name, values: columns.map((column) => column(rows)) });

const headBytes = 20;
const sizeBytes = 4;
const nullSize = -1;

function beginArray(type: number, count: number, itemBytes: number): Buffer {
  const array = Buffer.allocUnsafe(headBytes + count * sizeBytes + itemBytes);
  [1, 1, type, count, 1].forEach((value, index) => array.writeInt32BE(value, 4 * index));
  return array;
}

const strings =
  <Value extends string | Uint8Array>(type: number, write: (array: Buffer, value: Value, at: number) => number) =>
  <Row>(read: (row: Row) => Value | null): Column<Row> =>
  (rows) => {
    const values = rows.map(read);
    let itemBytes = 0;
    for (const value of values) itemBytes += Buffer.byteLength(value ?? '');
    const array = beginArray(type, values.length, itemBytes);
    let at = headBytes;
    for (const value of values) {
      const size = value === null ? nullSize : write(array, value, at + sizeBytes);
      array.writeInt32BE(size, at);
      at += sizeBytes + Math.max(size, 0);
    }
    return array;
  };

const numbers =
  <Value>(type: number, size: number, write: (array: Buffer, value: Value, at: number) => void) =>
  <Row>(read: (row: Row) => Value): Column<Row> =>
  (rows) => {
    const array = beginArray(type, rows.length, rows.length * size);
    let at = headBytes;
    for (const row of rows) {
      array.writeInt32BE(size, at);
      write(array, read(row), at + sizeBytes);
      at += sizeBytes + size;
    }
    return array;
  };

export const texts = strings<string>(25, (array, value, at) => array.write(value, at));
/** bytea[] */
export const bytes = strings<Uint8Array>(17, (array, value, at) => {
  array.set(value, at);
  return value.length;
});
export const booleans = numbers<boolean>(16, 1, (array, value, at) => void array.writeUInt8(Number(value), at));
export const integers = numbers<number>(23, 4, (array, value, at) => void array.writeInt32BE(value, at));
/** double precision[] */
export const doubles = numbers<number>(701, 8, (array, value, at) => void array.writeDoubleBE(value, at));

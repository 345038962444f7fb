/**
 * Calls of functions in the database (docs/adr/0019): statements that a connection plans once, also behind a pooler that keeps no prepared ones.
 */
import type { Queryable, SqlValue } from './port.js';

/** The name is a constant of ours. Values are as its parameters, whose types the database knows. */
export interface FunctionCall {
  readonly name: string;
  readonly values: readonly SqlValue[];
}

/** Calls them one after the other in one statement: all of it is committed, or nothing. */
export async function callFunctions(tx: Queryable, calls: readonly FunctionCall[]): Promise<void> {
  let place = 0;
  const written = calls.map(({ name, values }) => `${name}(${values.map(() => `$${++place}`).join(', ')})`);
  await tx.query(
    `SELECT ${written.join(', ')}`,
    calls.flatMap(({ values }) => values),
    { recurring: true },
  );
}

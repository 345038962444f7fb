/**
 * The error of a write that broke a constraint. Adapters throw it; callers decide by `constraint` what it means to them.
 */
export type ConflictKind = 'unique' | 'foreign_key' | 'check' | 'not_null' | 'exclusion';

/** SQLSTATE class 23, by the kind of constraint that was broken. */
export const conflictStates: Readonly<Record<string, ConflictKind>> = {
  '23505': 'unique',
  '23503': 'foreign_key',
  '23514': 'check',
  '23502': 'not_null',
  '23P01': 'exclusion',
};

/** A write that the database refused because of a constraint. */
export class DatabaseConflict extends Error {
  readonly kind: ConflictKind;
  /** Name of the constraint; for a missing value, the name of the column. */
  readonly constraint: string;
  readonly table: string;

  constructor(kind: ConflictKind, constraint: string, table: string, cause?: unknown) {
    super(`The write breaks the ${kind} constraint ${constraint} of ${table}.`, { cause });
    this.name = 'DatabaseConflict';
    this.kind = kind;
    this.constraint = constraint;
    this.table = table;
  }
}

/**
 * Types, errors and deadlines of both adapters. A broken constraint becomes a DatabaseConflict; a server that is unavailable, shutting
 * down, full, read-only or refusing us, and a missed deadline become StoreUnavailable; rolled-back work and errors of the SQL stay as they
 * are.
 */
import pg from 'pg';
import { Fault, storeUnavailable } from '../../errors.js';
import { settleWithin } from '../notifier.js';
import { conflictStates, DatabaseConflict } from './port.js';

const int8 = 20;
const int8Array = 1016;

/** 64-bit integers as numbers: none of ours exceeds 2^53, and one that does is a bug worth a loud failure. */
function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The integer ${text} from the database is too large for a number.`);
  return value;
}

// The declared type names the well-known types only; array types have numbers of their own.
type TypeParser = ReturnType<typeof pg.types.getTypeParser>;
const parserOf = (oid: number, format?: 'text' | 'binary'): TypeParser => pg.types.getTypeParser(oid, format);
const integers = parserOf(1009) as (text: string) => (string | null)[];
const parseIntegers = (text: string): (number | null)[] =>
  integers(text).map((item) => (item === null ? null : parseInteger(item)));

/** Type parsers for pg: as its own, with bigint as number. */
export const wireTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === int8) return parseInteger;
    if (format !== 'binary' && oid === int8Array) return parseIntegers;
    return parserOf(oid, format) as unknown;
  },
};

/** SQLSTATE classes under which the server cannot serve right now: connection, authorization, resources, operator intervention, system. */
const awayClasses = ['08', '28', '53', '57', '58'];
/** A lock that others held for too long; a server that was demoted or is a standby; a transaction that stood idle too long; a database that is not there (yet, or no more); a cut connection. */
const awayStates = ['55P03', '25006', '25P03', '25P04', '3D000', '40003'];

interface ErrorFields {
  readonly code?: string;
  readonly constraint?: string;
  readonly column?: string;
  readonly table?: string;
  readonly message: string;
}

const isAwayState = (state: string): boolean => awayClasses.includes(state.slice(0, 2)) || awayStates.includes(state);

/** Whether the server behind a connection takes no writes any more: neither will what comes next over it, or over one made before. */
export function isReadOnly(error: unknown): boolean {
  const cause = error instanceof Fault ? error.cause : error;
  return cause instanceof pg.DatabaseError && cause.code === '25006';
}

/** Turns whatever pg threw into one of the three kinds above. */
export function mapError(error: unknown, store: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error instanceof Fault || error instanceof DatabaseConflict) return error;
  const { code, constraint, column, table, message } = error as ErrorFields;
  const kind = code === undefined ? undefined : conflictStates[code];
  if (kind !== undefined)
    return new DatabaseConflict(kind, constraint ?? column ?? 'unnamed', table ?? 'unknown', error);
  const isState = code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E');
  if (isState) return isAwayState(code) ? storeUnavailable(`${store}: ${code} ${message}`, error) : error;
  const isAway = code !== undefined || /connection|not queryable|timeout|timed out|closed/i.test(message);
  return isAway ? storeUnavailable(`${store}: ${message}`, error) : error;
}

/** Settles as a statement does, its error mapped, or rejects with StoreUnavailable after `deadlineMs`; what it comes to then is dropped. */
export function withinDeadline<T>(statement: Promise<T>, deadlineMs: number, store: string): Promise<T> {
  const mapped = statement.catch((error: unknown) => {
    throw mapError(error, store);
  });
  return settleWithin(mapped, deadlineMs, store);
}

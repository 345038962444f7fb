/** Pages of lists whose ids contain their time, newest first. A cursor is the last id of the page before, in base64url. */
import { invalid } from './faults.js';
import type { PageQuery } from '../contract/paging.js';
import { pageDefault } from '../limits.js';

export interface Page {
  readonly limit: number;
  /** Items have an id below this; null: start at the newest. */
  readonly below: string | null;
}

const idForm = /^[a-z]+_[0-9a-f]{32}$/;

export function readPage({ limit = pageDefault, cursor }: PageQuery): Page {
  return { limit, below: readCursor(cursor, idForm) };
}

/** The last key of the page before, in the form that a list has; null for the first page. */
export function readCursor(cursor: string | undefined, form: Pick<RegExp, 'test'>): string | null {
  if (cursor === undefined) return null;
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (form.test(key)) return key;
  throw invalid([
    { path: '/querystring/cursor', message: 'is not a cursor of this list. Send `nextCursor` of the previous page.' },
  ]);
}

export interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Splits `limit + 1` rows into a page and the cursor of the next. */
export function cutPage<T>(rows: readonly T[], limit: number, idOf: (row: T) => string): PageOf<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(idOf(last)) : null };
}

/** The cursor of a page that ends with this id, or other key. */
export const cursorOf = (id: string): string => Buffer.from(id).toString('base64url');

/**
 * Pages of lists whose ids carry their time: newest first, each page starting below the last id of the one before. A cursor is
 * that id, wrapped so that nobody builds one by hand; anything else is refused.
 */
import { invalid } from './faults.js';
import type { PageQuery } from '../contract/paging.js';
import { pageDefault } from '../limits.js';

export interface Page {
  readonly limit: number;
  /** Items come below this id; null: from the top. */
  readonly below: string | null;
}

const idForm = /^[a-z]+_[0-9a-f]{32}$/;

export function readPage({ limit = pageDefault, cursor }: PageQuery): Page {
  if (cursor === undefined) return { limit, below: null };
  const below = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!idForm.test(below))
    throw invalid([{ path: '/querystring/cursor', message: 'is not the nextCursor of a page of this list.' }]);
  return { limit, below };
}

/** Splits `limit + 1` rows into a page and the cursor of the next. */
export function cutPage<T>(
  rows: readonly T[],
  limit: number,
  idOf: (row: T) => string,
): { readonly items: readonly T[]; readonly nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    nextCursor: rows.length > limit && last !== undefined ? Buffer.from(idOf(last)).toString('base64url') : null,
  };
}

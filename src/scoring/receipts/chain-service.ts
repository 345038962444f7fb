/** Pages of a project’s chain of receipts, oldest first, and of its signed heads, newest first. A cursor is the last sequence number or day, in base64url. */
import type { ReceiptChainPage, ReceiptHeadPage } from '../../contract/receipt-chain.js';
import type { PageQuery } from '../../contract/paging.js';
import type { VerifyingKey } from '../../crypto/master-key.js';
import { timeOfDate } from '../../kernel/calendar-day.js';
import { cursorOf, cutPage, readCursor } from '../../kernel/paging.js';
import { pageDefault } from '../../limits.js';
import type { Database } from '../../stores/database/port.js';
import type { ProjectScope } from '../project-scope.js';
import { keySetOf, readHeads } from './chain-heads.js';
import { hexOf, readChain } from './chain-reader.js';

export interface ChainServiceDeps {
  readonly database: Database;
  /** Those that may have signed a receipt. */
  readonly receiptKeys: readonly VerifyingKey[];
}

export type ChainService = ReturnType<typeof createChainService>;

const seqForm = /^\d{1,15}$/;
const dayForm = { test: (day: string): boolean => timeOfDate(day) !== null };

export function createChainService({ database, receiptKeys }: ChainServiceDeps) {
  return {
    async receipts({ namespace }: ProjectScope, { limit = pageDefault, cursor }: PageQuery): Promise<ReceiptChainPage> {
      const after = Number(readCursor(cursor, seqForm) ?? 0);
      const { keptSince, previous, receipts, isLast } = await readChain(database, namespace, after, limit);
      const last = receipts.at(-1);
      return {
        chain: namespace,
        keptSince: keptSince?.toISOString() ?? null,
        previous: { seq: previous.seq, hash: hexOf(previous.hash) },
        receipts: [...receipts],
        nextCursor: isLast || last === undefined ? null : cursorOf(String(last.seq)),
      };
    },
    async heads({ namespace }: ProjectScope, { limit = pageDefault, cursor }: PageQuery): Promise<ReceiptHeadPage> {
      const rows = await readHeads(database, namespace, readCursor(cursor, dayForm), limit);
      const { items, nextCursor } = cutPage(rows, limit, ({ day }) => day);
      return { chain: namespace, heads: [...items], keys: keySetOf(receiptKeys), nextCursor };
    },
  };
}

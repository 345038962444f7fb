/**
 * Reads a chain of receipts for whoever verifies it. What it reports is not verified here: a removed receipt is `missing`, an altered one is
 * reported as it lies there.
 */
import { idPrefixes } from '../../crypto/ids.js';
import { chainStart, digestBytes, idBytes, nextHash } from '../../record/chain.js';
import { type Namespace, splitNamespace } from '../../stores/counters/namespace.js';
import type { Database, Queryable, Row } from '../../stores/database/port.js';
import type { ChainedReceipt } from '../../contract/receipt-chain.js';
import { timeOfReceipt } from './receipts.js';

export interface ChainPart {
  /** Receipts scored before this were deleted by age; null: none were. */
  readonly keptSince: Date | null;
  readonly previous: ChainEnd;
  readonly receipts: readonly ChainedReceipt[];
  readonly isLast: boolean;
}

export interface ChainEnd {
  readonly seq: number;
  readonly hash: Uint8Array;
}

interface BatchRow extends Row {
  readonly seq: number;
  readonly previous: Uint8Array;
  readonly ids: Uint8Array;
  readonly digests: Uint8Array;
}

interface Link extends ChainEnd {
  readonly digest: Uint8Array;
  /** null: erased. */
  readonly receiptId: string | null;
}

const dayMs = 86_400_000;
const erasedId = `${idPrefixes.receipt}${'0'.repeat(2 * idBytes)}`;
const oneMoment = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/** Up to `limit` receipts after a sequence number, or after what was deleted by age. All of it is of one moment. */
export function readChain(database: Database, namespace: Namespace, after: number, limit: number): Promise<ChainPart> {
  return database.transaction(
    async (tx) => {
      const batches = await readBatches(tx, namespace, after, limit);
      const all = batches.flatMap(linksOf);
      const rest = all.filter(({ seq }) => seq > after);
      const links = rest.slice(0, limit);
      const first = rest[0] ?? null;
      const previous =
        first === null
          ? await readEnd(tx, namespace)
          : (all.find(({ seq }) => seq === first.seq - 1) ?? startOf(batches));
      const keptSince = await readKeptSince(tx);
      const contents = await readContents(tx, namespace, links);
      const receipts = links.map((link) => describe(link, contents, keptSince));
      return { keptSince, previous, receipts, isLast: rest.length <= limit };
    },
    { opening: oneMoment },
  );
}

/** Batches from the one with the next receipt, enough of them for the page and one receipt more. */
function readBatches(tx: Queryable, namespace: Namespace, after: number, limit: number): Promise<readonly BatchRow[]> {
  return tx.query<BatchRow>(
    `SELECT b.seq, previous, ids, digests FROM receipt_batches b, (
       SELECT coalesce((SELECT max(seq) FROM receipt_batches WHERE namespace = $1 AND seq <= $2::bigint + 1),
                       (SELECT min(seq) FROM receipt_batches WHERE namespace = $1)) AS seq) AS begin
      WHERE namespace = $1 AND b.seq BETWEEN begin.seq AND greatest(begin.seq, $2 + 1) + $3::bigint ORDER BY b.seq`,
    [namespace, after, limit],
  );
}

function linksOf({ seq, previous, ids, digests }: BatchRow): readonly Link[] {
  let hash = previous;
  return Array.from({ length: digests.length / digestBytes }, (_, place) => {
    const digest = digests.subarray(place * digestBytes, (place + 1) * digestBytes);
    hash = nextHash(hash, digest);
    const id = idPrefixes.receipt + hexOf(ids.subarray(place * idBytes, (place + 1) * idBytes));
    return { seq: seq + place, hash, digest, receiptId: id === erasedId ? null : id };
  });
}

const startOf = ([first]: readonly BatchRow[]): ChainEnd => {
  if (first === undefined) throw new Error('a chain with receipts has a batch');
  return { seq: first.seq - 1, hash: first.previous };
};

/** The end of a chain of which nothing follows; of one that has not begun, nothing. */
async function readEnd(tx: Queryable, namespace: Namespace): Promise<ChainEnd> {
  const [end] = await tx.query<{ seq: number; hash: Uint8Array }>(
    'SELECT seq, hash FROM receipt_chains WHERE namespace = $1',
    [namespace],
  );
  return end ?? { seq: 0, hash: chainStart(namespace) };
}

/** Days of receipts are deleted whole. */
async function readKeptSince(tx: Queryable): Promise<Date | null> {
  const [mark] = await tx.query<{ at: Date | null }>(
    "SELECT deleted_before AS at FROM retention_marks WHERE what = 'receipts'",
  );
  return mark?.at == null ? null : new Date(Math.floor(mark.at.getTime() / dayMs) * dayMs);
}

interface ContentRow extends Row {
  readonly receipt_id: string;
  readonly record: Uint8Array;
  readonly seal: Uint8Array;
  readonly salt: Uint8Array;
  readonly erased: boolean;
}

/** By id. `erased`: the respondent was, and the recorder or the erasure has yet to come to the receipt. */
async function readContents(
  tx: Queryable,
  namespace: Namespace,
  links: readonly Link[],
): Promise<ReadonlyMap<string, ContentRow>> {
  const ids = links.flatMap(({ receiptId }) => receiptId ?? []);
  if (ids.length === 0) return new Map();
  const times = ids.map((id) => timeOfReceipt(id).getTime());
  const rows = await tx.query<ContentRow>(
    `SELECT receipt_id, record, seal, salt, EXISTS (
       SELECT FROM erased_respondents e WHERE e.project_id = $4 AND e.subject_ref = ANY (r.subjects) AND e.erased_at >= r.scored_at) AS erased
       FROM receipts r WHERE receipt_id = ANY ($1::text[]) AND scored_at BETWEEN $2 AND $3`,
    [ids, new Date(Math.min(...times)), new Date(Math.max(...times)), splitNamespace(namespace).holder],
  );
  return new Map(rows.map((row) => [row.receipt_id, row]));
}

function describe(
  { seq, hash, digest, receiptId }: Link,
  contents: ReadonlyMap<string, ContentRow>,
  keptSince: Date | null,
): ChainedReceipt {
  const place = { seq, hash: hexOf(hash), digest: hexOf(digest), receiptId };
  const none = { record: null, seal: null, salt: null };
  const content = contents.get(receiptId ?? '');
  if (receiptId === null || content?.erased === true) return { ...place, ...none, receiptId: null, state: 'erased' };
  if (content === undefined)
    return {
      ...place,
      ...none,
      state: keptSince !== null && timeOfReceipt(receiptId) < keptSince ? 'expired' : 'missing',
    };
  const { record, seal, salt } = content;
  return { ...place, state: 'recorded', record: base64Of(record), seal: base64Of(seal), salt: base64Of(salt) };
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

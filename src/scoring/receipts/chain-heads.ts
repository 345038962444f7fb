/**
 * Signed heads: what a chain of receipts was at the end of each day (UTC) on which it grew. Whoever keeps one can prove later that a receipt before it
 * was altered, removed or moved. A day is signed once nobody can add to it any more: writers of a chain hold its row, and so does the signer.
 */
import { CompactSign } from 'jose';
import type { ReceiptHead, ReceiptHeadPage } from '../../contract/receipt-chain.js';
import type { SigningKey, VerifyingKey } from '../../crypto/master-key.js';
import { headType } from '../../record/chain.js';
import type { Namespace } from '../../stores/counters/namespace.js';
import type { Database, Queryable, Row } from '../../stores/database/port.js';
import { type Rounds, startRounds } from '../../stores/rounds.js';
import type { Logger } from '../../telemetry/logger.js';
import { type ChainEnd, hexOf } from './chain-reader.js';

export interface HeadRoundsDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly key: SigningKey;
}

const everyMs = 600_000;
const pageMax = 200;

export function startHeadRounds(deps: HeadRoundsDeps): Rounds {
  return startRounds({
    ...{ everyMs, firstMs: 60_000 },
    work: (isStopping) => signHeads(deps, isStopping),
    onError: (error) => deps.logger.warn({ err: error }, 'finding chains to sign failed; the next round retries'),
  });
}

/** A chain is due that grew since its last head, on a day that is over. */
const today = "(now() AT TIME ZONE 'UTC')::date";

/** Signs all that are due. A chain that cannot be signed is logged and left to the next round; it does not hold up the others. */
export async function signHeads(
  { database, logger, key }: HeadRoundsDeps,
  isStopping: () => boolean = () => false,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const due: readonly { readonly namespace: string }[] = await database.query<{ namespace: string }>(
      `SELECT namespace FROM receipt_chains WHERE namespace > $1 AND signed_seq < seq AND signed_day < ${today} - 1 ORDER BY namespace LIMIT ${pageMax}`,
      [after],
    );
    for (const { namespace } of due) {
      if (isStopping()) return;
      try {
        await database.transaction((tx) => signHead(tx, key, namespace));
      } catch (error) {
        logger.warn({ err: error, namespace }, 'signing the head of a chain failed; the next round retries');
      }
    }
    after = due[pageMax - 1]?.namespace;
  }
}

async function signHead(tx: Queryable, key: SigningKey, namespace: Namespace): Promise<void> {
  const [chain] = await tx.query<DueChain>(
    `SELECT seq, hash, signed_seq, to_char(${today} - 1, 'YYYY-MM-DD') AS day FROM receipt_chains WHERE namespace = $1 AND signed_day < ${today} - 1 FOR UPDATE`,
    [namespace],
  );
  if (chain === undefined) return;
  const { day, signed_seq: signedSeq } = chain;
  const [later] = await tx.query<{ seq: number; hash: Uint8Array }>(
    `SELECT seq - 1 AS seq, previous AS hash FROM receipt_batches
      WHERE namespace = $1 AND seq > $2 AND recorded_at >= ($3::date + 1)::timestamp AT TIME ZONE 'UTC' ORDER BY seq LIMIT 1`,
    [namespace, signedSeq, day],
  );
  const end: ChainEnd = later ?? chain;
  if (end.seq > signedSeq)
    await tx.query('INSERT INTO receipt_heads (namespace, day, seq, hash, jws) VALUES ($1, $2::date, $3, $4, $5)', [
      ...[namespace, day, end.seq, end.hash],
      await writeHead(key, { chain: namespace, day, seq: end.seq, hash: hexOf(end.hash) }),
    ]);
  await tx.query('UPDATE receipt_chains SET signed_day = $2::date, signed_seq = $3 WHERE namespace = $1', [
    ...[namespace, day],
    Math.max(end.seq, signedSeq),
  ]);
}

interface DueChain extends Row, ChainEnd {
  readonly signed_seq: number;
  readonly day: string;
}

const writeHead = (key: SigningKey, head: object): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(head)))
    .setProtectedHeader({ alg: 'EdDSA', typ: headType, kid: key.keyId })
    .sign(key.privateKey);

/** Newest first, of days before `before`; one more than `limit`, if there is one. */
export async function readHeads(
  database: Queryable,
  namespace: Namespace,
  before: string | null,
  limit: number,
): Promise<readonly ReceiptHead[]> {
  const rows = await database.query<{ day: string; seq: number; hash: Uint8Array; signed_at: Date; jws: string }>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, seq, hash, signed_at, jws FROM receipt_heads
      WHERE namespace = $1 AND ($2::date IS NULL OR day < $2::date) ORDER BY day DESC LIMIT $3`,
    [namespace, before, limit + 1],
  );
  return rows.map(({ hash, signed_at, ...head }) => ({
    ...head,
    hash: hexOf(hash),
    signedAt: signed_at.toISOString(),
  }));
}

/** The public keys that may have signed receipts and heads. */
export const keySetOf = (keys: readonly VerifyingKey[]): ReceiptHeadPage['keys'] =>
  keys.map(({ keyId, publicKey }) => {
    const { x = '' } = publicKey.export({ format: 'jwk' });
    return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid: keyId, x };
  });

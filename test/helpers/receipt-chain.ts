/** Scores as they lie in the log, and a chain of receipts as somebody reads it who verifies it. */
import { createBatchSigner } from '../../src/crypto/batch-signer.js';
import { makeId } from '../../src/crypto/ids.js';
import { deriveSigningKey } from '../../src/crypto/master-key.js';
import type { ScoreFacts } from '../../src/contract/facts.js';
import type { ChainedReceipt } from '../../src/contract/receipt-chain.js';
import { joinParts } from '../../src/record/codec.js';
import { appendCounted, openFacts, packBase, packOutcome, packSealed } from '../../src/record/record.js';
import type { ChainExport } from '../../src/cli/receipts/check-chain.js';
import { keySetOf, readHeads, signHeads } from '../../src/scoring/receipts/chain-heads.js';
import { readChain } from '../../src/scoring/receipts/chain-reader.js';
import type { LogEntry } from '../../src/stores/log/port.js';
import type { Database } from '../../src/stores/database/port.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { modelVersion } from '../../workers/scoring/rule-set.js';
import { recordVerdict, scoreFacts } from '../../workers/scoring/score.js';
import { cleanFacts } from './facts.js';
import { splitFacts } from './records.js';

export const receiptKey = deriveSigningKey(new Uint8Array(32).fill(9), 'receipts');
export const signer = createBatchSigner(receiptKey);

/** The rules in force, as whoever verifies runs them. */
export const presentRules = { judge: (facts: ScoreFacts) => recordVerdict(scoreFacts(facts)), modelVersion };

export interface ScoredInput {
  readonly projectId: string;
  readonly session: string;
  readonly respondent?: string | null;
  readonly receiptId?: string;
}

/** A score under the rules in force. */
export async function scoredEntry({
  projectId,
  session,
  respondent = null,
  receiptId = makeId('receipt'),
}: ScoredInput): Promise<LogEntry> {
  const { base, counted } = splitFacts(cleanFacts({ receiptId, sessionId: session }));
  const owner = { ...base.owner, projectId };
  const trace = { ...base.trace, session: `ref_${session}` };
  const subjects = { respondent, source: null, subSource: null };
  const packed = appendCounted(packBase({ ...base, owner, trace, subjects }), counted);
  const facts = openFacts(packed);
  const record = joinParts(packed, packOutcome(recordVerdict(scoreFacts(facts)), facts));
  const value = packSealed(record, await signer.seal(record));
  return { key: receiptId, value };
}

/** All of a chain, page by page. */
export async function readWhole(database: Database, namespace: string, limit = 7): Promise<readonly ChainedReceipt[]> {
  const receipts: ChainedReceipt[] = [];
  for (;;) {
    const part = await readChain(database, namespace, receipts.at(-1)?.seq ?? 0, limit);
    receipts.push(...part.receipts);
    if (part.isLast) return receipts;
  }
}

/** A chain with its heads, as the service exports it. */
export async function wholeExport(database: Database, chain: string): Promise<ChainExport> {
  const { previous, keptSince } = await readChain(database, chain, 0, 1);
  return {
    ...{ chain, keys: keySetOf([receiptKey]), heads: await readHeads(database, chain, null, 100) },
    keptSince: keptSince?.toISOString() ?? null,
    previous: { seq: previous.seq, hash: Buffer.from(previous.hash).toString('hex') },
    receipts: await readWhole(database, chain),
  };
}

/** Has what is recorded end yesterday, and signs it. */
export async function signDay(database: Database): Promise<void> {
  const recent = "recorded_at > now() - interval '1 day'";
  await database.query(`UPDATE receipt_batches SET recorded_at = recorded_at - interval '1 day' WHERE ${recent}`);
  await database.query(
    "UPDATE receipt_chains SET recorded_at = recorded_at - interval '1 day', signed_day = '-infinity'",
  );
  await signHeads({ database, logger: createLogger('silent'), key: receiptKey });
}

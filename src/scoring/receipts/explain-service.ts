/**
 * Explains any receipt to an operator: what was recorded, and what the present model makes of it. A receipt that only the counters store
 * has yet is searched for under every project and organization.
 */
import type { Explanation, ScoreBreakdown } from '../../contract/explanation.js';
import type { ScoreFacts } from '../../contract/facts.js';
import { timeOfId } from '../../crypto/ids.js';
import type { SigningKey } from '../../crypto/master-key.js';
import { Fault } from '../../errors.js';
import { recentReceiptKeepSeconds } from '../../limits.js';
import { openFacts } from '../../record/record.js';
import { namespacesOf } from '../../stores/counters/namespace.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Database } from '../../stores/database/port.js';
import { findInCounters, findInDatabase, type RecordedReceipt } from './find-receipt.js';
import { isErased } from './respondent-erasure.js';

export interface ExplainServiceDeps {
  readonly database: Database;
  /** null where none is open: only recorded receipts are found then. */
  readonly counters: Counters | null;
  /** Those that may have signed a receipt. */
  readonly receiptKeys: readonly SigningKey[];
  readonly now: () => number;
  /** The pure core. */
  readonly explainFacts: (facts: ScoreFacts) => ScoreBreakdown;
}

/** Projects and organizations that are asked for at once. */
const pageSize = 100;
const searchDeadlineMs = 10_000;

/** Returns the explanation of a receipt with its facts; null where no store has it. */
export type Explain = (receiptId: string) => Promise<(Explanation & { readonly facts: ScoreFacts }) | null>;

export function createExplain(deps: ExplainServiceDeps): Explain {
  return async (receiptId) => {
    const { database, receiptKeys, explainFacts } = deps;
    const found = (await findInDatabase(database, receiptKeys, receiptId)) ?? (await searchCounters(deps, receiptId));
    if (found === null || (await isErased(database, receiptId, found))) return null;
    const facts = openFacts(found.facts);
    return {
      receiptId,
      organizationId: found.owner.organizationId,
      projectId: found.owner.projectId,
      sessionId: facts.sessionId,
      scoredAt: new Date(facts.scoredAtMs).toISOString(),
      authentic: found.authentic,
      recorded: found.verdict,
      present: explainFacts(facts),
      facts,
    };
  };
}

async function searchCounters(
  { database, counters, now }: ExplainServiceDeps,
  receiptId: string,
): Promise<RecordedReceipt | null> {
  const scoredAtMs = timeOfId('receipt', receiptId);
  if (counters === null || scoredAtMs === null || now() - scoredAtMs > recentReceiptKeepSeconds * 1_000) return null;
  const endsAtMs = now() + searchDeadlineMs;
  let after = '';
  for (;;) {
    const holders = await database.query<{ readonly holder: string }>(
      `SELECT holder FROM (SELECT project_id AS holder FROM projects UNION ALL SELECT organization_id FROM organizations) AS holders
        WHERE holder > $1 ORDER BY holder LIMIT $2`,
      [after, pageSize],
    );
    const namespaces = holders.flatMap(({ holder }) => namespacesOf(holder));
    const found = await Promise.all(namespaces.map((namespace) => findInCounters(counters, namespace, receiptId)));
    const receipt = found.find((each) => each !== null);
    if (receipt !== undefined) return receipt;
    const last = holders.at(-1);
    if (last === undefined || holders.length < pageSize) return null;
    if (now() > endsAtMs)
      throw new Fault('STORE_UNAVAILABLE', 'The receipt is not in the database yet. Try again in a minute.');
    after = last.holder;
  }
}

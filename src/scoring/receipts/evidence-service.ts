/**
 * The evidence of a receipt, rendered again from its recorded facts, in the database or before that in the counters store. A receipt of
 * another key looks like one that does not exist.
 */
import { notFound } from '../../kernel/faults.js';
import type { DataOwner } from '../../kernel/caller.js';
import type { Classification, ScoreFacts } from '../../contract/facts.js';
import type { Language } from '../../contract/languages.js';
import type { EvidenceReply } from '../../contract/score.js';
import type { SigningKey } from '../../crypto/master-key.js';
import type { Pool } from '../../pool/pool.js';
import { openFacts } from '../../record/record.js';
import type { Counters } from '../../stores/counters/port.js';
import { namespaceOf, type NamespaceOwner } from '../../stores/counters/namespace.js';
import type { Database } from '../../stores/database/port.js';
import { fixedReceiptOf } from '../fixed-sessions/fixed-sessions.js';
import { findInCounters, findInDatabase, type RecordedReceipt } from './find-receipt.js';
import { isErased } from './respondent-erasure.js';

export interface EvidenceServiceDeps {
  readonly database: Database;
  readonly counters: Counters;
  readonly pool: Pool;
  /** Those that may have signed a receipt. */
  readonly receiptKeys: readonly SigningKey[];
  /** Whether a session is that of a respondent of a study of the organization. */
  readonly isPlace: (organizationId: string, sessionId: string) => Promise<boolean>;
}

const notes = {
  faithful: 'Rendered from the recorded facts; every finding is sorted as when the session was scored.',
  faithfulLater:
    'Rendered from the recorded facts by another version of the rules than the one that scored the session; every finding is sorted as it was then.',
  altered: 'The stored record does not match its signature. The reply given at scoring time is authoritative.',
  changed:
    'Another version of the rules scored the session; some findings are sorted differently than they were then. The reply given then is authoritative.',
  uncompared:
    'Another version of the rules scored the session; how findings were sorted then is not compared. The reply given then is authoritative.',
} as const;

export function createEvidenceService(deps: EvidenceServiceDeps) {
  return {
    async evidence(caller: EvidenceReader, receiptId: string, language: Language): Promise<EvidenceReply> {
      const fixed = fixedReceiptOf(caller, receiptId);
      if (fixed !== null) return renderFixed(deps.pool, fixed, language);
      const recorded = await findRecorded(deps, caller, receiptId);
      if (recorded === null) throw notFound('receipt');
      if (!mayRead(caller, recorded.owner) && !(await mayReadPlace(deps, caller, recorded))) throw notFound('receipt');
      const rendered = await deps.pool.run({ kind: 'evidence', facts: recorded.facts, language });
      const { sessionId, scoredAtMs } = openFacts(recorded.facts);
      // While only the counters store has the receipt, no classification is recorded yet. It follows from the facts and the rules alone, so that
      // the same rules sort the same facts alike; whether they are the same is compared.
      const sameRules = recorded.modelVersion === rendered.modelVersion;
      const same =
        recorded.verdict === null
          ? sameRules
          : sameClassification(recorded.verdict.classification, rendered.classification);
      const scoredAt = new Date(scoredAtMs).toISOString();
      return {
        receiptId,
        sessionId,
        scoredAt,
        evidence: rendered.evidence,
        verdict: rendered.verdict,
        provenance: {
          faithful: recorded.authentic && same,
          note: noteOf(recorded, same, sameRules),
          modelVersion: rendered.modelVersion,
          scoredAt,
        },
      };
    },
  };
}

/**
 * Whoever asks. `wholeProject`: whatever was scored in the project and mode, not only with this key. `listsStudies`: what the gate of a study that
 * the key lists scored.
 */
export type EvidenceReader = DataOwner & { readonly wholeProject?: boolean; readonly listsStudies?: boolean };

const mayRead = (caller: EvidenceReader, owner: RecordedReceipt['owner']): boolean =>
  owner.lineage === caller.lineage ||
  (caller.wholeProject === true &&
    owner.organizationId === caller.organizationId &&
    namespaceOf(owner) === namespaceOf(caller));

/** A study is listed by every key of its project and mode, or of its organization, with the scope; so are the scores of its gate. */
async function mayReadPlace(
  { isPlace }: Pick<EvidenceServiceDeps, 'isPlace'>,
  caller: EvidenceReader,
  { owner, facts }: RecordedReceipt,
): Promise<boolean> {
  const sees =
    caller.listsStudies === true &&
    owner.organizationId === caller.organizationId &&
    owner.isTest === caller.isTest &&
    (caller.projectId === null || namespaceOf(owner) === namespaceOf(caller));
  return sees && isPlace(owner.organizationId, openFacts(facts).sessionId);
}

/** Renders facts that no store has, by the rules that scored them. */
async function renderFixed(pool: Pool, facts: ScoreFacts, language: Language): Promise<EvidenceReply> {
  const { evidence, verdict, modelVersion } = await pool.run({ kind: 'evidence', facts, language });
  const { receiptId, sessionId } = facts;
  const scoredAt = new Date(facts.scoredAtMs).toISOString();
  const provenance = { faithful: true, note: notes.faithful, modelVersion, scoredAt };
  return { receiptId, sessionId, scoredAt, evidence, verdict, provenance };
}

function noteOf({ authentic, verdict }: RecordedReceipt, same: boolean, sameRules: boolean): string {
  if (!authentic) return notes.altered;
  if (same) return sameRules ? notes.faithful : notes.faithfulLater;
  return verdict === null ? notes.uncompared : notes.changed;
}

/** From either store, also while the other is away: an absence is a fault only where the other store has nothing. */
export async function findRecorded(
  { database, counters, receiptKeys }: Pick<EvidenceServiceDeps, 'database' | 'counters' | 'receiptKeys'>,
  caller: NamespaceOwner,
  receiptId: string,
): Promise<RecordedReceipt | null> {
  const recorded = findInDatabase(database, receiptKeys, receiptId);
  const inDatabase = await recorded.catch(() => null);
  const found = inDatabase ?? (await findInCounters(counters, namespaceOf(caller), receiptId));
  // Nothing anywhere: the database has nothing, or rejected.
  if (found === null) return recorded;
  // While the database is away, its mark cannot be read: the copy is that of the last day.
  return (await isErased(database, receiptId, found).catch(() => false)) ? null : found;
}

function sameClassification(recorded: Classification, rendered: Classification): boolean {
  const key = (classification: Classification): string =>
    classification
      .map(({ code, list, strength }) => `${code}/${list}/${strength}`)
      .sort()
      .join();
  return key(recorded) === key(rendered);
}

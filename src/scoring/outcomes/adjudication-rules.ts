/**
 * What the events of one session say of it, whatever the order they came in: fraud, honest, or nothing that counts. An event that
 * was taken back is as if it had never come. Own verdicts and retries are no events, so that a score never feeds on itself.
 */
import type { OutcomeType, ReasonClass } from '../../contract/outcome.js';

export interface StoredOutcome {
  readonly type: OutcomeType;
  readonly occurredAtMs: number;
  readonly reasonClass: ReasonClass | null;
  /** For a retraction, the event it takes back. */
  readonly retracts: { readonly type: OutcomeType; readonly occurredAtMs: number } | null;
}

export interface Adjudication {
  readonly fraud: boolean;
  /** A fraud-class reversal: money was taken back. */
  readonly clawback: boolean;
  /** When the deciding event happened. */
  readonly atMs: number;
}

/** Types that reject a session; their class says whether for fraud. A ban without a class is one for fraud. */
const rejections: readonly OutcomeType[] = [
  'buyer_reject',
  'reconciliation',
  'ban',
  'quality_term',
  'dq',
  'speeder',
  'herring_result',
];
/** Types that undo a completion, whatever the reason: the session is then evidence of nothing. */
const reversals: readonly OutcomeType[] = ['buyer_reject', 'reconciliation', 'ban'];

/** null: nothing that counts for or against the respondent. */
export function adjudicate(outcomes: readonly StoredOutcome[]): Adjudication | null {
  const standing = withoutRetracted(outcomes);
  const fraud = standing.filter(isFraud);
  if (fraud.length > 0) {
    return {
      fraud: true,
      clawback: fraud.some(({ type }) => type === 'reconciliation' || type === 'buyer_reject'),
      atMs: earliest(fraud),
    };
  }
  if (standing.some(({ type }) => reversals.includes(type))) return null;
  const completes = standing.filter(({ type }) => type === 'complete');
  return completes.length === 0 ? null : { fraud: false, clawback: false, atMs: earliest(completes) };
}

const earliest = (outcomes: readonly StoredOutcome[]): number =>
  Math.min(...outcomes.map(({ occurredAtMs }) => occurredAtMs));

function isFraud({ type, reasonClass }: StoredOutcome): boolean {
  return rejections.includes(type) && (reasonClass ?? (type === 'ban' ? 'fraud' : 'unknown')) === 'fraud';
}

function withoutRetracted(outcomes: readonly StoredOutcome[]): readonly StoredOutcome[] {
  const keyOf = (type: string, atMs: number): string => `${type}@${atMs}`;
  const retracted = new Set(
    outcomes.flatMap(({ retracts }) => (retracts === null ? [] : [keyOf(retracts.type, retracts.occurredAtMs)])),
  );
  return outcomes.filter(
    ({ type, occurredAtMs, retracts }) => retracts === null && !retracted.has(keyOf(type, occurredAtMs)),
  );
}

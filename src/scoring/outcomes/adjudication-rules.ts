/**
 * The meaning of a session’s events: fraud, honest, or nothing (docs/reference/outcomes.md). A retracted event never counts; of several
 * statements, the latest with a class stands. Own verdicts and retries are no events, so that a score never feeds on itself.
 */
import { rejectingTypes, type OutcomeType, type ReasonClass } from '../../contract/outcome.js';

export interface StoredOutcome {
  readonly type: OutcomeType;
  readonly occurredAtMs: number;
  /** Absent means unknown, which is neutral, except of a ban. */
  readonly reasonClass: ReasonClass | null;
  /** For a retraction, the event it takes back. */
  readonly retracts: { readonly type: OutcomeType; readonly occurredAtMs: number } | null;
  /** Grows with every statement that was stored. */
  readonly statement: number;
}

export interface Adjudication {
  readonly fraud: boolean;
  /** A fraud-class reversal: money was taken back. */
  readonly clawback: boolean;
  /** When the deciding event happened. */
  readonly atMs: number;
}

/** Types that reject a session, or find its quality wanting: their class says whether for fraud, and without it they leave no credit either. */
const rejections: readonly OutcomeType[] = [
  'buyer_reject',
  'reconciliation',
  'ban',
  'quality_term',
  'dq',
  'speeder',
  'herring_result',
];

/** null: nothing that counts for or against the respondent. */
export function adjudicate(outcomes: readonly StoredOutcome[]): Adjudication | null {
  const standing = standingEvents(outcomes);
  const rejected = standing.filter(({ type }) => rejections.includes(type));
  const fraud = rejected.filter(({ reasonClass }) => reasonClass === 'fraud');
  if (fraud.length > 0) {
    return {
      fraud: true,
      clawback: fraud.some(({ type }) => type === 'reconciliation' || type === 'buyer_reject'),
      atMs: earliest(fraud),
    };
  }
  const completes = standing.filter(({ type }) => type === 'complete');
  if (rejected.length > 0 || completes.length === 0) return null;
  return { fraud: false, clawback: false, atMs: earliest(completes) };
}

const isRejecting = (type: OutcomeType): boolean => (rejectingTypes as readonly OutcomeType[]).includes(type);

/** The one of the standing events that takes a complete back, fraud first, else the last; null: none does. */
export function findRejection(standing: readonly StoredOutcome[]): StoredOutcome | null {
  const rejecting = standing.filter(({ type }) => isRejecting(type));
  return rejecting.find(({ reasonClass }) => reasonClass === 'fraud') ?? rejecting.at(-1) ?? null;
}

/** Why events that stand take a complete back; null: none does. */
export function findReversal(outcomes: readonly StoredOutcome[]): ReasonClass | null {
  const rejection = findRejection(standingEvents(outcomes));
  return rejection === null ? null : (rejection.reasonClass ?? 'unknown');
}

/**
 * Merges with an adjudication whose events have expired: a fraud stands unless its deciding event is taken back; of several events, the
 * earliest time counts.
 */
export function mergeStanding(
  stood: Adjudication,
  now: Adjudication | null,
  outcomes: readonly StoredOutcome[],
): Adjudication | null {
  const isTakenBack = outcomes.some(({ retracts }) => retracts?.occurredAtMs === stood.atMs);
  if (isTakenBack) return now;
  if (now === null || (stood.fraud && !now.fraud)) return stood;
  return {
    fraud: now.fraud,
    clawback: now.clawback || stood.clawback,
    atMs: stood.fraud === now.fraud ? Math.min(stood.atMs, now.atMs) : now.atMs,
  };
}

const earliest = (outcomes: readonly StoredOutcome[]): number =>
  Math.min(...outcomes.map(({ occurredAtMs }) => occurredAtMs));

/** Names an event of a session. */
export const keyOf = (type: OutcomeType, atMs: number): string => `${type}@${atMs}`;

/** Each event once, as it was stated last, without those that a retraction took back. */
export function standingEvents(outcomes: readonly StoredOutcome[]): readonly StoredOutcome[] {
  const retractions = standingRetractions(outcomes);
  const stated = new Map<string, StoredOutcome[]>();
  for (const outcome of outcomes) {
    if (outcome.retracts !== null) continue;
    const key = keyOf(outcome.type, outcome.occurredAtMs);
    stated.set(key, [...(stated.get(key) ?? []), outcome]);
  }
  return [...stated].flatMap(([key, statements]) => {
    statements.sort((a, b) => a.statement - b.statement);
    const last = statements.at(-1);
    if (last === undefined || isRetracted(retractions.get(key), statements.length, last)) return [];
    const classes = statements.flatMap(({ reasonClass }) => (reasonClass === null ? [] : [reasonClass]));
    // A ban is a decision: it needs no reason to weigh as fraud.
    return [{ ...last, reasonClass: classes.at(-1) ?? (last.type === 'ban' ? 'fraud' : null) }];
  });
}

/** The first statement of an event may come after its retraction; one that corrects it afterwards stands. */
function isRetracted(retractedBy: number | undefined, statements: number, last: StoredOutcome): boolean {
  return retractedBy !== undefined && (statements === 1 || retractedBy > last.statement);
}

/** By the event they take back, the latest statement of a retraction. A retraction is taken back by one that happened later. */
function standingRetractions(outcomes: readonly StoredOutcome[]): ReadonlyMap<string, number> {
  const standing = new Map<string, number>();
  const undone = new Set<number>();
  const retractions = outcomes.filter(({ retracts }) => retracts !== null);
  for (const { retracts, occurredAtMs, statement } of retractions.sort((a, b) => b.occurredAtMs - a.occurredAtMs)) {
    if (retracts === null || undone.has(occurredAtMs)) continue;
    if (retracts.type === 'custom' && retracts.occurredAtMs < occurredAtMs) undone.add(retracts.occurredAtMs);
    const key = keyOf(retracts.type, retracts.occurredAtMs);
    standing.set(key, Math.max(statement, standing.get(key) ?? 0));
  }
  return standing;
}

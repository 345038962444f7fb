/**
 * The score distribution: each session by its last receipt, and counts by source, day, cell and label, written by database functions
 * (docs/internals/adr/0003). Writers of one project take turns, so that a session is counted once.
 */
import {
  batchFunction,
  callFunctions,
  doubles,
  type FunctionCall,
  texts,
} from '../../stores/database/call-functions.js';
import type { Queryable } from '../../stores/database/port.js';
import { columnsOf, type SessionName } from '../outcomes/session-subjects.js';
import { namespaceOf } from '../../stores/counters/namespace.js';
import type { Receipt } from '../../record/types.js';
import { openReceipt } from '../../record/record.js';
import type { Logger } from '../../telemetry/logger.js';
import type { DecisionInputs } from '../../contract/thresholds.js';

/** A session by its last receipt. */
export interface ScoredSession extends SessionName {
  readonly receiptId: string;
  readonly scoredAt: Date;
  readonly sourceId: string;
  readonly cell: string;
  readonly recommendation: string;
  /** Independence of the sample at the time of the score. */
  readonly independence: number;
}

const names = [
  texts<SessionName>(({ namespace }) => namespace),
  texts<SessionName>(({ sessionRef }) => sessionRef),
] as const;

/** Counts sessions by their newest receipt, under the label that their outcomes say; older receipts of a session change nothing. */
export const counting = batchFunction<ScoredSession>('count_scored_sessions', [
  ...names,
  texts(({ receiptId }) => receiptId),
  doubles(({ scoredAt }) => scoredAt.getTime()),
  texts(({ sourceId }) => sourceId),
  texts(({ cell }) => cell),
  texts(({ recommendation }) => recommendation),
  doubles(({ independence }) => independence),
]);

const relabeling = batchFunction<SessionName>('relabel_scored_sessions', names);
const recounting = batchFunction<SessionName>('order_recount', names);

/** Gives sessions the label that their outcomes say by now. Sessions without a receipt are passed over: counting one looks here. */
export async function relabelSessions(tx: Queryable, sessions: readonly SessionName[]): Promise<void> {
  await callFunctions(tx, [relabeling(sessions)]);
}

/** Nothing for a score without a project, which has no thresholds. */
export function scoredSessionOf(receipt: Receipt, scoredAt: Date): readonly ScoredSession[] {
  const { receiptId, trace, verdict, sourceId } = receipt;
  if (receipt.projectId === null) return [];
  return [
    {
      // A mode of test or demo keys is apart from that of live keys.
      namespace: namespaceOf(receipt),
      sessionRef: trace.session,
      receiptId,
      scoredAt,
      sourceId: sourceId ?? '',
      cell: writeCell(verdict),
      recommendation: verdict.recommendation,
      independence: verdict.independence,
    },
  ];
}

export interface RecountDeps {
  readonly logger: Pick<Logger, 'warn'>;
}

/** Orders a recount of these sessions, in the statement that records their receipts. */
export const orderingRecount = (sessions: readonly SessionName[]): readonly FunctionCall[] =>
  sessions.length === 0 ? [] : [recounting(sessions)];

/** Counts the latest receipts of these sessions that are not counted yet. A record that cannot be counted is left out. */
export async function recountSessions(
  tx: Queryable,
  sessions: readonly SessionName[],
  { logger }: RecountDeps,
): Promise<void> {
  const missed = await tx.query<{ receipt_id: string; scored_at: Date; record: Uint8Array }>(
    `SELECT r.receipt_id, r.scored_at, r.record FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[])) AS named (project, session)
       JOIN session_index known ON known.namespace = named.project AND known.session_ref = named.session
       LEFT JOIN scored_sessions counted ON counted.namespace = named.project AND counted.session_ref = named.session
       JOIN receipts r ON r.receipt_id = known.receipt_id AND r.scored_at = known.scored_at
      WHERE counted.receipt_id IS NULL OR counted.receipt_id COLLATE "C" < known.receipt_id`,
    columnsOf(sessions),
  );
  const scored = missed.flatMap(({ receipt_id, scored_at, record }): readonly ScoredSession[] => {
    try {
      return scoredSessionOf(openReceipt(record), scored_at);
    } catch (error) {
      logger.warn({ err: error, receiptId: receipt_id }, 'the score distribution skipped an unreadable receipt');
      return [];
    }
  });
  if (scored.length > 0) await callFunctions(tx, [counting(scored)]);
}

const agentLetters = { allow: 'a', review: 'r' } as const;

/** The facts that decide a recommendation, as text: `uncapped|ceilings|agent|step-up`, such as `62|uncorroborated||40`. */
export function writeCell({ uncapped, caps, agentPolicy, stepUpThreshold }: DecisionInputs): string {
  return [
    uncapped,
    [...caps].sort().join(','),
    agentPolicy === null ? '' : agentLetters[agentPolicy],
    stepUpThreshold ?? '',
  ].join('|');
}

/** Reads what `writeCell` wrote; throws on anything else. */
export function readCell(cell: string): DecisionInputs {
  const [uncapped, caps, agent, stepUp, ...rest] = cell.split('|');
  if (stepUp === undefined || rest.length > 0) throw new Error(`not a cell of the score distribution: ${cell}`);
  return {
    uncapped: Number(uncapped),
    caps: caps === undefined || caps === '' ? [] : caps.split(','),
    agentPolicy: agentOf(agent),
    stepUpThreshold: stepUp === '' ? null : Number(stepUp),
  };
}

function agentOf(letter: string | undefined): DecisionInputs['agentPolicy'] {
  if (letter === agentLetters.allow) return 'allow';
  return letter === agentLetters.review ? 'review' : null;
}

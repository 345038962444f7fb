/**
 * Read the probes, receipts and outcomes of a session: its pages, its receipts and its outcomes. If the counters store is away, the answer is a 503, because “no
 * probe came” would be made up.
 */
import { notFound, invalid } from '../../kernel/faults.js';
import { findUnstorable } from '../../kernel/body.js';
import {
  trailOutcomesMax,
  trailReceiptsMax,
  type ScoredSessionPage,
  type SessionListQuery,
  type SessionOutcome,
  type SessionProbe,
  type SessionRejection,
  type SessionTrailReply,
  type TrailReceipt,
} from '../../contract/session-trail.js';
import type { MakeRef } from '../../crypto/master-key.js';
import { readPage } from '../../kernel/paging.js';
import type { Namespace } from '../../stores/counters/namespace.js';
import { openMessage } from '../../record/message.js';
import { openFacts, openReceipt } from '../../record/record.js';
import type { Receipt } from '../../record/types.js';
import type { Counters, StoredProbe } from '../../stores/counters/port.js';
import type { Database } from '../../stores/database/port.js';
import type { ProjectScope } from '../project-scope.js';
import { respondentSubject } from '../gather.js';
import { findRejection, keyOf, standingEvents, type StoredOutcome } from '../outcomes/adjudication-rules.js';
import { readLatestOutcomes } from '../outcomes/adjudication-work.js';
import { describeDecision } from './decision.js';
import { findScoredTimes, listSessions, topReasonOf, type SessionFilter } from './session-index.js';

export interface SessionServiceDeps {
  readonly database: Database;
  readonly counters: Counters;
  readonly makeRef: MakeRef;
  readonly now: () => number;
}

export type SessionService = ReturnType<typeof createSessionService>;

export function createSessionService({ database, counters, makeRef, now }: SessionServiceDeps) {
  /** Callers’ ids as the references that sessions are kept by. */
  async function resolveSought(owner: ProjectScope, { text, sharing, ...filter }: ListFilter): Promise<SessionFilter> {
    const { projectId } = owner;
    const refOf = (sessionId: string) => makeRef(projectId, 'session', sessionId);
    const respondent = respondentSubject(makeRef, projectId, text ?? '');
    return {
      ...filter,
      ...(text === undefined ? {} : { text: { plain: text, session: refOf(text), respondent } }),
      ...(sharing === undefined ? {} : { sharing: await findSharing(database, owner, refOf(sharing)) }),
    };
  }

  return {
    async trail(owner: ProjectScope, sessionId: string): Promise<SessionTrailReply> {
      const session = makeRef(owner.projectId, 'session', sessionId);
      const [receipts, { outcomes, rejection }, probe, [scored = false]] = await Promise.all([
        findReceipts(database, owner, session),
        findOutcomes(database, owner.namespace, session),
        counters.findProbe(owner.projectId, session, now()),
        counters.wereScored(owner.namespace, [session]),
      ]);
      const matched = scored || receipts.length > 0;
      if (!matched && outcomes.length === 0 && probe === null) throw notFound('session');
      return {
        sessionId,
        probes: describeProbe(probe),
        receipts: [...receipts],
        outcomes: outcomes.map((outcome) => ({ ...outcome, matched })),
        rejection,
      };
    },

    async list(owner: ProjectScope, { limit, cursor, ...filter }: SessionListQuery): Promise<ScoredSessionPage> {
      const unstorable = findUnstorable(filter, '/querystring');
      if (unstorable !== null) throw invalid([unstorable]);
      const page = readPage({ ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) });
      const { items, nextCursor } = await listSessions(database, owner, await resolveSought(owner, filter), page);
      return { sessions: [...items], nextCursor };
    },
  };
}

type ListFilter = Omit<SessionListQuery, 'limit' | 'cursor'>;

/** Respondent and device of a session’s latest receipt; nothing of a session that is not known. */
async function findSharing(database: Database, owner: ProjectScope, session: string) {
  const [latest] = await openReceipts(database, owner, session, 1);
  const subjects = [latest?.receipt.subjects.respondent, latest?.receipt.device].filter((each) => each != null);
  return { session, subjects };
}

async function findReceipts(
  database: Database,
  owner: ProjectScope,
  session: string,
): Promise<readonly TrailReceipt[]> {
  const receipts = await openReceipts(database, owner, session, trailReceiptsMax);
  return receipts.map(({ receipt, scoredAt }) => describeReceipt(receipt, scoredAt));
}

/** Newest first. Reads only the days between which the session was scored. */
async function openReceipts(
  database: Database,
  owner: ProjectScope,
  session: string,
  limit: number,
): Promise<readonly { readonly receipt: Receipt; readonly scoredAt: Date }[]> {
  const times = await findScoredTimes(database, owner, session);
  if (times === null) return [];
  const rows = await database.query<{ record: Uint8Array; scored_at: Date }>(
    `SELECT record, scored_at FROM receipts WHERE namespace = $1 AND session_ref = $2 AND scored_at BETWEEN $3 AND $4
      ORDER BY receipt_id DESC LIMIT ${limit}`,
    [owner.namespace, session, times.first, times.last],
  );
  return rows.map(({ record, scored_at }) => ({ receipt: openReceipt(record), scoredAt: scored_at }));
}

function describeReceipt(receipt: Receipt, scoredAt: Date): TrailReceipt {
  const { score, recommendation, verdictClass, duplicateBand } = receipt.verdict;
  return {
    receiptId: receipt.receiptId,
    scoredAt: scoredAt.toISOString(),
    ...{ score, recommendation, verdictClass, duplicateBand },
    studyId: receipt.studyId,
    sourceId: receipt.sourceId,
    supersedes: receipt.supersedes,
    topReason: topReasonOf(receipt.verdict),
    decision: describeDecision(receipt.verdict, openFacts(receipt.facts)),
  };
}

interface FoundOutcomes {
  readonly outcomes: readonly Omit<SessionOutcome, 'matched'>[];
  readonly rejection: SessionTrailReply['rejection'];
}

async function findOutcomes(database: Database, namespace: Namespace, sessionRef: string): Promise<FoundOutcomes> {
  const found = await readLatestOutcomes(database, { namespace, sessionRef }, trailOutcomesMax);
  const stated = [...found].sort((a, b) => a.statement - b.statement);
  const standing = standingEvents(stated);
  const standingKeys = new Set(standing.map(({ type, occurredAtMs }) => keyOf(type, occurredAtMs)));
  const rejection = findRejection(standing);
  return {
    outcomes: found.map(({ type, occurredAtMs, reasonClass, eventId, retracts }) => ({
      ...{ type, reasonClass, eventId },
      occurredAt: new Date(occurredAtMs).toISOString(),
      retracted: retracts === null && !standingKeys.has(keyOf(type, occurredAtMs)),
    })),
    rejection: rejection === null ? null : describeRejection(rejection),
  };
}

const describeRejection = ({ type, occurredAtMs, reasonClass }: StoredOutcome): SessionRejection => ({
  type: type as SessionRejection['type'],
  occurredAt: new Date(occurredAtMs).toISOString(),
  reasonClass: reasonClass ?? 'unknown',
});

/** Browsers send `null` for a page in a sandboxed frame or from a local file. */
const originOf = (sent: string | null | undefined): string | null => (sent === 'null' ? null : (sent ?? null));

/** One entry for each origin that pages of the session came from. */
function describeProbe(probe: StoredProbe | null): SessionProbe[] {
  const byOrigin = new Map<string | null, { latestMs: number | null; loads: number; messages: number }>();
  for (const { load, update } of probe?.pages ?? []) {
    const messages = [load, update].flatMap((content) => (content === null ? [] : [openMessage(content)]));
    const origin = messages.map(({ transport }) => originOf(transport.origin)).find((each) => each !== null) ?? null;
    const known = byOrigin.get(origin) ?? { latestMs: null, loads: 0, messages: 0 };
    const times = messages.flatMap(({ transport }) => transport.receivedAtMs ?? []);
    byOrigin.set(origin, {
      latestMs: times.length === 0 ? known.latestMs : Math.max(known.latestMs ?? 0, ...times),
      loads: known.loads + Number(load !== null),
      messages: known.messages + messages.length,
    });
  }
  return [...byOrigin].map(([origin, { latestMs, loads, messages }]) => ({
    receivedAt: latestMs === null ? null : new Date(latestMs).toISOString(),
    ...{ origin, loads, messages },
  }));
}

/**
 * Erases a respondent of a project: sessions with what they hold, faces and devices, webhook payloads, the names in results of others who were
 * found to match them, and what server-side scoring keeps of them. Each part is one transaction; repeated after a failure, it continues. The audit trail names a keyed hash, never the respondent.
 * The answer counts what is left. Counters that name nobody and the log expire, and what the log still brings is erased as it is recorded.
 * Unreadable records are listed with the time by which their age deletes them, plus a day for the round that does it.
 */
import { dayMs } from '../../kernel/calendar-day.js';
import { recordAudit, type Actor } from '../../administration/audit.js';
import type { ErasureReply } from '../../contract/respondent-erasure.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import { ofRespondent, unnameMatches } from '../sessions/session-store.js';
import { eraseFingerprints } from '../uniqueness/fingerprint-store.js';

/** Erases data of sessions that is kept elsewhere; returns the number of erased records. */
export type EraseSessions = (tx: Queryable, projectId: string, sessionIds: readonly string[]) => Promise<number>;

export interface ErasureDeps {
  readonly database: Database;
  readonly makeRef: MakeRef;
  /** Webhook payloads, delivered or not. */
  readonly erasePayloads: EraseSessions;
  /** Flags that the sessions with these references raised. */
  readonly eraseFlags: (tx: Queryable, projectId: string, sessionRefs: readonly string[]) => Promise<void>;
  /** Has nothing more written for webhooks that comes of these sessions. */
  readonly markSessions: (tx: Queryable, respondent: ErasedRespondent, sessionIds: readonly string[]) => Promise<void>;
  /** Records that a consumer set aside; those of these sessions go. */
  readonly eraseLetters: (projectId: string, sessionIds: ReadonlySet<string>) => Promise<unknown>;
  /** How many records nobody can read, and how long such are kept. */
  readonly countUnreadable: () => Promise<number>;
  readonly unreadableDays: number;
  /** Has nothing more answered from memory of these sessions. */
  readonly forget: (sessionIds: Iterable<string>) => void;
  readonly now: () => number;
  /** Links to the hosted page that were made for the respondent. */
  readonly eraseLinks: (tx: Queryable, projectId: string, respondentId: string) => Promise<number>;
  /** Receipts and outcomes of server-side scoring that are about the respondent. */
  readonly eraseScores: (
    projectId: string,
    respondentId: string,
  ) => Promise<{
    readonly receipts: number;
    readonly events: number;
    readonly sessionIds: readonly string[];
    readonly left: { readonly receipts: number; readonly events: number; readonly history: number };
  }>;
}

export interface ErasedRespondent {
  readonly organizationId: string;
  readonly projectId: string;
  readonly respondentId: string;
}

export type ErasureService = ReturnType<typeof createErasureService>;

const batchMax = 500;

export function createErasureService(deps: ErasureDeps) {
  const { database, makeRef } = deps;
  return {
    /** `givenId` is the id that the caller sent, if the respondent is erased under another name of it. The audit trail names its hash. */
    async erase(actor: Actor, respondent: ErasedRespondent, givenId = respondent.respondentId): Promise<ErasureReply> {
      const { organizationId, projectId, respondentId } = respondent;
      const { receipts, events, sessionIds: scored, left } = await deps.eraseScores(projectId, respondentId);
      const erased = { sessions: 0, fingerprints: 0, receipts, events };
      const ids = new Set(scored);
      for (let taken = batchMax; taken === batchMax;) {
        for (const id of await markBatch(deps, respondent)) ids.add(id);
        const batch = await inOrganization(database, organizationId, (tx) => eraseBatch(deps, tx, respondent));
        erased.sessions += batch.sessions;
        erased.fingerprints += batch.fingerprints;
        erased.events += batch.events;
        deps.forget(batch.unnamed);
        taken = batch.sessions;
      }
      deps.forget(ids);
      erased.events += await erasePayloadsOf(deps, respondent, [...ids]);
      await deps.eraseLetters(projectId, ids);
      await inOrganization(database, organizationId, async (tx) => {
        await deps.eraseLinks(tx, projectId, respondentId);
        await recordAudit(tx, actor, {
          organizationId,
          action: 'respondent.erased',
          subject: { kind: 'project', id: projectId },
          detail: { respondent: makeRef(projectId, 'erased', givenId), ...erased },
        });
      });
      const sessions = await inOrganization(database, organizationId, (tx) => countSessions(tx, respondent));
      const goneBy = new Date(deps.now() + (deps.unreadableDays + 1) * dayMs).toISOString();
      return { erased, left: { sessions, ...left }, unreadable: { records: await deps.countUnreadable(), goneBy } };
    },
  };
}

/** Marks the sessions that the next batch erases, in a transaction of its own: whoever writes for webhooks after it sees the mark. */
async function markBatch(deps: ErasureDeps, respondent: ErasedRespondent): Promise<readonly string[]> {
  return inOrganization(deps.database, respondent.organizationId, async (tx) => {
    const rows = await tx.query<{ session_id: string }>(
      `SELECT session_id FROM verification_sessions WHERE ${ofRespondent} LIMIT ${batchMax}`,
      [respondent.projectId, [respondent.respondentId]],
    );
    const ids = rows.map((row) => row.session_id);
    await deps.markSessions(tx, respondent, ids);
    return ids;
  });
}

/** Flags, and payloads of scored sessions, which have no rows here; and once more those of the others: what was being written as they were marked. */
async function erasePayloadsOf(
  { database, makeRef, eraseFlags, erasePayloads, markSessions }: ErasureDeps,
  respondent: ErasedRespondent,
  ids: readonly string[],
): Promise<number> {
  const { organizationId, projectId } = respondent;
  let events = 0;
  for (let from = 0; from < ids.length; from += batchMax) {
    const some = ids.slice(from, from + batchMax);
    await inOrganization(database, organizationId, (tx) => markSessions(tx, respondent, some));
    events += await inOrganization(database, organizationId, async (tx) => {
      await eraseFlags(
        tx,
        projectId,
        some.map((id) => makeRef(projectId, 'session', id)),
      );
      return erasePayloads(tx, projectId, some);
    });
  }
  return events;
}

async function countSessions(tx: Queryable, { projectId, respondentId }: ErasedRespondent): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM verification_sessions WHERE ${ofRespondent}`,
    [projectId, [respondentId]],
  );
  return row?.count ?? 0;
}

async function eraseBatch(
  { erasePayloads }: ErasureDeps,
  tx: Queryable,
  { organizationId, projectId, respondentId }: ErasedRespondent,
): Promise<Omit<ErasureReply['erased'], 'receipts'> & { readonly unnamed: readonly string[] }> {
  const rows = await tx.query<{ session_id: string }>(
    `SELECT session_id FROM verification_sessions WHERE ${ofRespondent} LIMIT ${batchMax} FOR UPDATE`,
    [projectId, [respondentId]],
  );
  const ids = rows.map((row) => row.session_id);
  if (ids.length === 0) return { sessions: 0, fingerprints: 0, events: 0, unnamed: [] };
  const fingerprints = await eraseFingerprints(tx, organizationId, ids);
  const events = await erasePayloads(tx, projectId, ids);
  const unnamed = await unnameMatches(tx, organizationId, ids);
  await tx.query('DELETE FROM verification_sessions WHERE session_id = ANY($1::text[])', [ids]);
  return { sessions: ids.length, fingerprints, events, unnamed };
}

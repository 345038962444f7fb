/**
 * Erases a respondent of a project: sessions with what they hold, faces and devices, webhook payloads, and what server-side scoring keeps
 * of them. Each part is one transaction; asked again after a failure it goes on where it stopped. The trail of it names a keyed hash,
 * never the respondent. What is left is counted anew and told. Counters that name nobody run out by themselves; so does the log, by its
 * retention, and what it still brings is erased as it is recorded.
 */
import { recordAudit, type Actor } from '../../administration/audit.js';
import type { ErasureReply } from '../../contract/respondent-erasure.js';
import type { MakeRef } from '../../crypto/master-key.js';
import type { Database, Queryable } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import { eraseFingerprints } from '../uniqueness/fingerprint-store.js';

/** What is kept elsewhere of sessions; answers how many records were erased. */
export type EraseSessions = (tx: Queryable, projectId: string, sessionIds: readonly string[]) => Promise<number>;

export interface ErasureDeps {
  readonly database: Database;
  readonly makeRef: MakeRef;
  /** Webhook payloads, delivered or not. */
  readonly erasePayloads: EraseSessions;
  /** Links to the hosted page that were made for the respondent. */
  readonly eraseLinks: (tx: Queryable, projectId: string, respondentId: string) => Promise<number>;
  /** Receipts and outcomes of server-side scoring that are about the respondent. */
  readonly eraseScores: (
    projectId: string,
    respondentId: string,
  ) => Promise<{
    readonly receipts: number;
    readonly events: number;
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
    async erase(actor: Actor, respondent: ErasedRespondent): Promise<ErasureReply> {
      const { organizationId, projectId, respondentId } = respondent;
      const { receipts, events, left } = await deps.eraseScores(projectId, respondentId);
      const erased = { sessions: 0, fingerprints: 0, receipts, events };
      for (let taken = batchMax; taken === batchMax;) {
        const batch = await inOrganization(database, organizationId, (tx) => eraseBatch(deps, tx, respondent));
        erased.sessions += batch.sessions;
        erased.fingerprints += batch.fingerprints;
        erased.events += batch.events;
        taken = batch.sessions;
      }
      await inOrganization(database, organizationId, async (tx) => {
        await deps.eraseLinks(tx, projectId, respondentId);
        await recordAudit(tx, actor, {
          organizationId,
          action: 'respondent.erased',
          subject: { kind: 'project', id: projectId },
          detail: { respondent: makeRef(projectId, 'erased', respondentId), ...erased },
        });
      });
      const sessions = await inOrganization(database, organizationId, (tx) => countSessions(tx, respondent));
      return { erased, left: { sessions, ...left } };
    },
  };
}

async function countSessions(tx: Queryable, { projectId, respondentId }: ErasedRespondent): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM verification_sessions WHERE project_id = $1 AND respondent_id = $2',
    [projectId, respondentId],
  );
  return row?.count ?? 0;
}

async function eraseBatch(
  { erasePayloads }: ErasureDeps,
  tx: Queryable,
  { organizationId, projectId, respondentId }: ErasedRespondent,
): Promise<{ readonly sessions: number; readonly fingerprints: number; readonly events: number }> {
  const rows = await tx.query<{ session_id: string }>(
    `SELECT session_id FROM verification_sessions WHERE project_id = $1 AND respondent_id = $2 LIMIT ${batchMax} FOR UPDATE`,
    [projectId, respondentId],
  );
  const ids = rows.map((row) => row.session_id);
  if (ids.length === 0) return { sessions: 0, fingerprints: 0, events: 0 };
  const fingerprints = await eraseFingerprints(tx, organizationId, ids);
  const events = await erasePayloads(tx, projectId, ids);
  await tx.query('DELETE FROM verification_sessions WHERE session_id = ANY($1::text[])', [ids]);
  return { sessions: ids.length, fingerprints, events };
}

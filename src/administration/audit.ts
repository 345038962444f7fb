/** The audit trail. An entry is written in the transaction of its write, and holds names and numbers, never a secret. */
import type { Caller } from '../kernel/caller.js';
import type { AuditAction, AuditEntry } from '../contract/audit.js';
import { makeId } from '../crypto/ids.js';
import type { Database, Queryable, Row } from '../stores/database/port.js';
import { cutPage, type Page } from '../kernel/paging.js';
import {
  deleteInBatches,
  guardByColumn,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../stores/database/retention.js';

export interface Actor {
  readonly kind: AuditEntry['actor']['kind'];
  readonly id: string;
  readonly role: string | null;
  readonly requestId: string | null;
}

export const operator: Actor = { kind: 'operator', id: 'operator', role: null, requestId: null };

export function actorOf({ caller, id }: { readonly caller: Caller | null; readonly id: string }): Actor {
  if (caller === null) throw new Error('a write without a caller cannot be audited');
  if (caller.kind === 'dashboard') return { kind: 'dashboard', id: caller.subject, role: caller.role, requestId: id };
  return { kind: caller.client === true ? 'client' : 'key', id: caller.keyId, role: null, requestId: id };
}

export interface AuditNote {
  readonly organizationId: string;
  readonly action: AuditAction;
  readonly subject: AuditEntry['subject'];
  readonly detail?: Readonly<Record<string, unknown>>;
}

export async function recordAudit(
  tx: Queryable,
  actor: Actor,
  { organizationId, action, subject, detail = {} }: AuditNote,
): Promise<void> {
  await tx.query(
    `INSERT INTO audit_entries (entry_id, organization_id, actor_kind, actor_id, actor_role, action, subject_kind, subject_id, detail, request_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10)`,
    [
      makeId('audit'),
      organizationId,
      actor.kind,
      actor.id,
      actor.role,
      action,
      subject.kind,
      subject.id,
      JSON.stringify(detail),
      actor.requestId,
    ],
  );
}

type AuditRow = Row & Omit<AuditEntry, 'at'> & { readonly at: Date };

export async function listAudit(
  tx: Queryable,
  organizationId: string,
  page: Page,
): Promise<{ readonly entries: AuditEntry[]; readonly nextCursor: string | null }> {
  const rows = await tx.query<AuditRow>(
    `SELECT entry_id AS "entryId", at, json_build_object('kind', actor_kind, 'id', actor_id, 'role', actor_role) AS actor, action,
            json_build_object('kind', subject_kind, 'id', subject_id) AS subject, detail, request_id AS "requestId"
       FROM audit_entries WHERE organization_id = $1 AND ($2::text IS NULL OR entry_id < $2) ORDER BY entry_id DESC LIMIT $3`,
    [organizationId, page.below, page.limit + 1],
  );
  const { items, nextCursor } = cutPage(rows, page.limit, ({ entryId }) => entryId);
  return { entries: items.map((entry) => ({ ...entry, at: entry.at.toISOString() })), nextCursor };
}

const dayMs = 86_400_000;

/** Deletes what is older at `nowMs`; resolves to the number of entries. */
export function dropExpiredAuditEntries(database: Database, nowMs: number, retentionDays: number): Promise<number> {
  return deleteInBatches(database, {
    table: 'audit_entries',
    where: 'at < $1',
    values: [new Date(nowMs - retentionDays * dayMs)],
  });
}

export function startAuditRetention(deps: RoundsDeps & { readonly retentionDays: number }): RetentionRounds {
  const { database, retentionDays } = deps;
  return startRetentionRounds({
    ...deps,
    what: 'audit entries',
    guard: guardByColumn(database, { table: 'audit_entries', column: 'at', keepDays: retentionDays }),
    drop: (nowMs) => dropExpiredAuditEntries(database, nowMs, retentionDays),
  });
}

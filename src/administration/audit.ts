/** The audit trail. An entry is written in the transaction of its write, and holds names and numbers, never a secret. */
import type { Caller } from '../kernel/caller.js';
import type { AuditAction, AuditEntry, AuditPage, AuditQuery } from '../contract/audit.js';
import { leastIdAt, makeId } from '../crypto/ids.js';
import { dayMs, timeOfDate } from '../kernel/calendar-day.js';
import { invalid } from '../kernel/faults.js';
import type { Queryable, Row, SqlValue } from '../stores/database/port.js';
import { cutPage, type Page } from '../kernel/paging.js';
import {
  dropOverAge,
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
  readonly subject: Omit<AuditEntry['subject'], 'name'>;
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

/** Names as they are now. A webhook's URL ends before its query, which may be secret. */
const actorName = `CASE actor_kind
  WHEN 'key' THEN (SELECT name FROM api_keys WHERE key_id = actor_id)
  WHEN 'client' THEN (SELECT name FROM oauth_clients WHERE client_id = actor_id) END`;
const subjectName = `CASE subject_kind
  WHEN 'organization' THEN (SELECT name FROM organizations o WHERE o.organization_id = subject_id)
  WHEN 'project' THEN (SELECT fields->>'name' FROM projects WHERE project_id = subject_id)
  WHEN 'key' THEN (SELECT name FROM api_keys WHERE key_id = subject_id)
  WHEN 'client' THEN (SELECT name FROM oauth_clients WHERE client_id = subject_id)
  WHEN 'webhook' THEN (SELECT coalesce(description, split_part(url, '?', 1)) FROM webhooks WHERE webhook_id = subject_id)
  WHEN 'study' THEN (SELECT name FROM studies WHERE study_id = subject_id)
  WHEN 'supplier' THEN (SELECT name FROM suppliers WHERE supplier_id = subject_id) END`;

/** Throws VALIDATION_FAILED. */
function readDays({ from, to }: Pick<AuditQuery, 'from' | 'to'>): {
  readonly first: string | null;
  readonly end: string | null;
} {
  const start = (name: 'from' | 'to', date: string | undefined): number | null => {
    const ms = date === undefined ? null : timeOfDate(date);
    if (date === undefined || ms !== null) return ms;
    throw invalid([{ path: `/querystring/${name}`, message: 'is not a day that a calendar has.' }]);
  };
  const [fromMs, toMs] = [start('from', from), start('to', to)];
  if (fromMs !== null && toMs !== null && fromMs > toMs)
    throw invalid([{ path: '/querystring/from', message: 'must not be after to.' }]);
  const idAt = (ms: number | null): string | null => (ms === null ? null : leastIdAt('audit', ms));
  return { first: idAt(fromMs), end: idAt(toMs === null ? null : toMs + dayMs) };
}

export async function listAudit(
  tx: Queryable,
  organizationId: string,
  { action, ...days }: Pick<AuditQuery, 'from' | 'to' | 'action'>,
  page: Page,
): Promise<AuditPage> {
  const { first, end } = readDays(days);
  const values: SqlValue[] = [organizationId, page.limit + 1];
  const conditions = ['organization_id = $1'];
  const where = (condition: string, value: string | null | undefined): void => {
    if (value !== null && value !== undefined) conditions.push(`${condition} $${values.push(value)}`);
  };
  where('entry_id <', page.below);
  where('entry_id >=', first);
  where('entry_id <', end);
  where('action =', action);
  const rows = await tx.query<AuditRow>(
    `SELECT entry_id AS "entryId", at, json_build_object('kind', actor_kind, 'id', actor_id, 'name', ${actorName}, 'role', actor_role) AS actor,
            action, json_build_object('kind', subject_kind, 'id', subject_id, 'name', ${subjectName}) AS subject, detail, request_id AS "requestId"
       FROM (SELECT * FROM audit_entries WHERE ${conditions.join(' AND ')} ORDER BY entry_id DESC LIMIT $2) AS entries ORDER BY entry_id DESC`,
    values,
  );
  const { items, nextCursor } = cutPage(rows, page.limit, ({ entryId }) => entryId);
  return { entries: items.map((entry) => ({ ...entry, at: entry.at.toISOString() })), nextCursor };
}

export const auditLifetime = (keepDays: number) => ({ table: 'audit_entries', column: 'at', keepDays });

export function startAuditRetention(deps: RoundsDeps & { readonly retentionDays: number }): RetentionRounds {
  const { database, retentionDays } = deps;
  const lifetime = auditLifetime(retentionDays);
  return startRetentionRounds({
    ...deps,
    what: 'audit entries',
    guard: guardByColumn(database, lifetime),
    drop: (nowMs, isStopping) => dropOverAge(database, lifetime, nowMs, isStopping),
  });
}

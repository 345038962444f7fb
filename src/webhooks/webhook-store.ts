/** The rows of webhooks: as their owners see them and as the sender needs them. Secrets are at rest only sealed, each bound to its webhook. */
import type { PostbackHealth } from '../contract/postback-health.js';
import type { EventType } from '../contract/session-event.js';
import { missedCountMax, type PayloadVersion, type WebhookMode, type WebhookReply } from '../contract/webhook.js';
import { sealedColumns, type SealedSecrets } from '../administration/secret-store.js';
import type { ProjectOwner } from '../kernel/caller.js';
import { notFound } from '../kernel/faults.js';
import { requireManagedMode } from '../kernel/managed-mode.js';
import { cutPage, type Page, type PageOf } from '../kernel/paging.js';
import type { Queryable, SqlValue } from '../stores/database/port.js';

/** Settings that a webhook’s owner decides. */
export interface WebhookSettings {
  readonly url: string;
  readonly events: readonly EventType[];
  readonly payloadVersion: PayloadVersion;
  readonly description: string | null;
  readonly enabled: boolean;
  /** Whether it gets events of test and demo sessions, too. */
  readonly includeTest: boolean;
}

export interface Parking {
  readonly since: Date;
  readonly until: Date;
  /** How often in a row. */
  readonly count: number;
  readonly reason: string;
}

/** Deliveries that are exhausted and were not sent again. */
export interface Missed {
  /** One more than `missedCountMax` stands for any greater number. */
  readonly count: number;
  readonly since: Date;
}

export interface StoredWebhook extends ProjectOwner, WebhookSettings {
  readonly webhookId: string;
  /** test: a test key created it. It gets no event of a live session. */
  readonly mode: WebhookMode;
  readonly createdAt: Date;
  /** null while its deliveries go out. */
  readonly parking: Parking | null;
}

/** A row under the names of `webhookColumns`. */
export type WebhookRow = Omit<StoredWebhook, 'parking'> &
  SealedSecrets & {
    readonly parkedAt: Date | null;
    readonly parkedUntil: Date | null;
    readonly parkedCount: number;
    readonly parkedReason: string | null;
  };

export const webhookColumns = `webhook_id AS "webhookId", organization_id AS "organizationId", coalesce(project_id, '') AS "projectId", mode, url, events,
  payload_version AS "payloadVersion", description, enabled, include_test AS "includeTest", ${sealedColumns},
  created_at AS "createdAt", parked_at AS "parkedAt", parked_until AS "parkedUntil", parked_count AS "parkedCount", parked_reason AS "parkedReason"`;

/** A row as its owner reads it. */
type OwnedRow = WebhookRow & { readonly missedCount: number; readonly missedSince: Date | null };
export type OwnedWebhook = StoredWebhook & { readonly missed: Missed | null };

const ownedColumns = `${webhookColumns},
  (SELECT count(*)::int FROM (SELECT 1 FROM deliveries d WHERE d.webhook_id = webhooks.webhook_id AND d.state = 'EXHAUSTED'
     LIMIT ${missedCountMax + 1}) AS missed) AS "missedCount",
  (SELECT created_at FROM deliveries d WHERE d.webhook_id = webhooks.webhook_id AND d.state = 'EXHAUSTED'
    ORDER BY delivery_id LIMIT 1) AS "missedSince"`;

const ownedOf = ({ missedCount: count, missedSince: since, ...row }: OwnedRow): OwnedWebhook => ({
  ...webhookOf(row),
  missed: since === null ? null : { count, since },
});

export function webhookOf({ sealed: _sealed, previousSealed: _previous, ...row }: WebhookRow): StoredWebhook {
  const { parkedAt: since, parkedUntil: until, parkedCount: count, parkedReason: reason, ...webhook } = row;
  const isParked = since !== null && until !== null;
  return { ...webhook, parking: isParked ? { since, until, count, reason: reason ?? '' } : null };
}

export function showWebhook({
  parking,
  missed,
  createdAt,
  organizationId: _o,
  projectId: _p,
  events,
  ...webhook
}: OwnedWebhook): WebhookReply {
  return {
    ...webhook,
    events: [...events],
    createdAt: createdAt.toISOString(),
    health: healthOf({ parking, missed, enabled: webhook.enabled }),
  };
}

function healthOf({
  parking,
  missed,
  enabled,
}: Pick<OwnedWebhook, 'parking' | 'missed' | 'enabled'>): WebhookReply['health'] {
  if (parking !== null) {
    const { reason, since, until } = parking;
    return { state: 'parked', reason, since: since.toISOString(), nextTryAt: until.toISOString() };
  }
  if (!enabled) return { state: 'disabled', reason: null, since: null, nextTryAt: null };
  if (missed === null) return { state: 'working', reason: null, since: null, nextTryAt: null };
  return { state: 'failing', reason: reasonOf(missed), since: missed.since.toISOString(), nextTryAt: null };
}

function reasonOf({ count }: Missed): string {
  if (count === 1) return '1 event was not delivered and is not tried again. Repair the server, then send it again.';
  const events = count > missedCountMax ? `More than ${missedCountMax.toLocaleString('en')}` : String(count);
  return `${events} events were not delivered and are not tried again. Repair the server, then send them again.`;
}

const valuesOf = (settings: WebhookSettings): readonly SqlValue[] => {
  const { url, events, payloadVersion, description, enabled, includeTest } = settings;
  return [url, events, payloadVersion, description, enabled, includeTest];
};

export async function insertWebhook(
  tx: Queryable,
  { organizationId, projectId, mode }: ProjectOwner,
  webhookId: string,
  settings: WebhookSettings,
  sealed: Uint8Array,
): Promise<OwnedWebhook> {
  const [row] = await tx.query<WebhookRow>(
    `INSERT INTO webhooks (webhook_id, organization_id, project_id, mode, url, events, payload_version, description, enabled, include_test, sealed)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ${webhookColumns}`,
    [webhookId, organizationId, projectId, mode, ...valuesOf(settings), sealed],
  );
  if (row === undefined) throw new Error('the insert returned no row');
  return { ...webhookOf(row), missed: null };
}

/** Webhooks of the project and mode, so that those of test keys leave the room of live ones alone. */
export async function countWebhooks(tx: Queryable, { projectId, mode }: ProjectOwner): Promise<number> {
  // One registration of a project at a time, so that two cannot both be the last that fits.
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhooks ${projectId}`]);
  const [row] = await tx.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM webhooks WHERE project_id = $1 AND mode = $2',
    [projectId, mode],
  );
  return row?.n ?? 0;
}

/** Throws NOT_FOUND if the project has no such webhook, and INSUFFICIENT_SCOPE if it is of a mode that the owner does not manage. */
export async function requireWebhook(
  tx: Queryable,
  { projectId, mode }: ProjectOwner,
  webhookId: string,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<OwnedWebhook> {
  const [row] = await tx.query<OwnedRow>(
    `SELECT ${ownedColumns} FROM webhooks WHERE webhook_id = $1 AND project_id = $2 ${lock ? 'FOR UPDATE' : ''}`,
    [webhookId, projectId],
  );
  if (row === undefined) throw notFound('webhook');
  requireManagedMode(mode, row.mode, 'webhooks');
  return ownedOf(row);
}

/** Webhooks of the project that the owner manages, newest first. */
export async function listWebhooks(
  tx: Queryable,
  { projectId, mode }: ProjectOwner,
  page: Page,
): Promise<PageOf<OwnedWebhook>> {
  const rows = await tx.query<OwnedRow>(
    `SELECT ${ownedColumns} FROM webhooks WHERE project_id = $1 AND ($2::text IS NULL OR webhook_id < $2) AND ($4 = 'live' OR mode = $4)
      ORDER BY webhook_id DESC LIMIT $3`,
    [projectId, page.below, page.limit + 1, mode],
  );
  const { items, nextCursor } = cutPage(rows, page.limit, (row) => row.webhookId);
  return { items: items.map(ownedOf), nextCursor };
}

/** How deliveries to these endpoints go out, by their ids. */
export async function readEndpointHealth(
  tx: Queryable,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, PostbackHealth>> {
  const rows = await tx.query<OwnedRow & { readonly retrying: number }>(
    `SELECT ${ownedColumns},
       (SELECT count(*)::int FROM (SELECT 1 FROM deliveries d WHERE d.webhook_id = webhooks.webhook_id AND d.state = 'PENDING'
          AND d.lane = 'retry' AND d.attempt > d.attempts_from LIMIT ${missedCountMax}) AS failed) AS retrying
       FROM webhooks WHERE webhook_id = ANY($1::text[])`,
    [webhookIds],
  );
  return new Map(
    rows.map(({ retrying, ...row }) => {
      const webhook = ownedOf(row);
      const exhausted = Math.min(webhook.missed?.count ?? 0, missedCountMax);
      return [row.webhookId, { retrying, exhausted, health: healthOf(webhook) }];
    }),
  );
}

/** Writes what its owner decided. That somebody acted on it is a reason to try again at once. */
export async function updateWebhook(tx: Queryable, webhookId: string, settings: WebhookSettings): Promise<void> {
  await tx.query(
    `UPDATE webhooks SET url = $2, events = $3, payload_version = $4, description = $5, enabled = $6, include_test = $7 WHERE webhook_id = $1`,
    [webhookId, ...valuesOf(settings)],
  );
  await unpark(tx, webhookId);
}

export async function deleteWebhook(tx: Queryable, webhookId: string): Promise<void> {
  await tx.query('DELETE FROM webhooks WHERE webhook_id = $1', [webhookId]);
}

/** Lets its deliveries go out again. */
export async function unpark(tx: Queryable, webhookId: string): Promise<void> {
  await tx.query(
    'UPDATE webhooks SET parked_at = NULL, parked_until = NULL, parked_count = 0, parked_reason = NULL WHERE webhook_id = $1 AND parked_at IS NOT NULL',
    [webhookId],
  );
}

/** Keeps its deliveries back for a while. */
export async function park(tx: Queryable, webhookId: string, waitMs: number, reason: string): Promise<void> {
  await tx.query(
    `UPDATE webhooks SET parked_at = coalesce(parked_at, now()), parked_until = now() + $2 * interval '1 millisecond',
            parked_count = parked_count + 1, parked_reason = $3
      WHERE webhook_id = $1`,
    [webhookId, waitMs, reason],
  );
}

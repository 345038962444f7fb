/**
 * Links to the hosted verification page, as every capability that makes, follows or counts one sees them.
 *
 *     alive ──expiresAt──▶ expired         ──deleted──▶ deleted         ──uses reach maxUses──▶ used_up
 *
 * Sessions start through an alive link only, retries among them; one that was started may end after the link expired or was deleted. A use is a
 * pass, and a chain of retries has one at most: opening the page, starting sessions, or failing, uses nothing up. Once all uses are taken no session of the
 * link ends any more: of verifications that race for the last use the database lets one through.
 */
import { dayMs } from '../kernel/calendar-day.js';
import { randomBytes } from 'node:crypto';
import { linkDaysDefault, type LinkCreation, type LinkState } from '../contract/hosted-link.js';
import type { DemandedAssurance } from '../contract/project.js';
import type { DeviceRule } from '../contract/project-parts.js';
import type { Metadata } from '../contract/session.js';
import { idAt } from '../crypto/ids.js';
import type { ProjectOwner } from '../kernel/caller.js';
import { managesMode } from '../kernel/managed-mode.js';
import { cutPage, type Page, type PageOf } from '../kernel/paging.js';
import type { Queryable, Row } from '../stores/database/port.js';

/** Its sessions have its mode. */
export interface HostedLink extends ProjectOwner {
  readonly linkId: string;
  readonly studyId: string | null;
  readonly respondentId: string | null;
  readonly dataCollector: string | null;
  /** Whether a device that took part is noted or a duplicate; null: as the project has it. */
  readonly device: DeviceRule | null;
  /** Every session of the link demands it; null: the project decides. */
  readonly minimumAssurance: DemandedAssurance | null;
  readonly metadata: Metadata;
  readonly returnUrl: string | null;
  /** The service made the link for a page of its own, whose address no project lists. */
  readonly isOwnReturn: boolean;
  /** Whether more than a page named the respondent. */
  readonly respondentTrusted: boolean;
  readonly uses: number;
  /** Started through it, retries among them. */
  readonly sessions: number;
  readonly maxUses: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly deletedAt: Date | null;
}

type LinkRow = Row & HostedLink;
const columns = `link_id AS "linkId", organization_id AS "organizationId", project_id AS "projectId", mode, study_id AS "studyId",
  respondent_id AS "respondentId", data_collector AS "dataCollector", device, minimum_assurance AS "minimumAssurance", metadata, return_url AS "returnUrl", return_own AS "isOwnReturn", respondent_trusted AS "respondentTrusted", uses, sessions, uses_max AS "maxUses",
  created_at AS "createdAt", expires_at AS "expiresAt", deleted_at AS "deletedAt"`;

const linkForm = /^link_[0-9a-f]{32}$/;
/** Random bytes of an id, in addition to its time, so that ids cannot be guessed. */
const secretBytes = 10;

/** The address of a link’s page. */
export const linkUrl = (siteUrl: string, linkId: string): string => `${siteUrl}/v/${linkId}`;

export function linkStateOf({ deletedAt, expiresAt, uses, maxUses }: HostedLink, nowMs: number): LinkState {
  if (deletedAt !== null) return 'deleted';
  if (expiresAt.getTime() <= nowMs) return 'expired';
  return maxUses !== null && uses >= maxUses ? 'used_up' : 'alive';
}

/** How the service makes a link for a page of its own. */
export interface OwnLink {
  /** Whether a supplier’s signature names the respondent; an open entry link names whom anybody writes. */
  readonly isSigned: boolean;
  readonly minimumAssurance: HostedLink['minimumAssurance'];
}

/** Makes a link. Its caller has checked metadata and returnUrl. `own`: the returnUrl is a page of the service; null for all others. */
export async function insertLink(
  tx: Queryable,
  owner: ProjectOwner,
  creation: LinkCreation,
  { nowMs, own = null }: { readonly nowMs: number; readonly own?: OwnLink | null },
): Promise<HostedLink> {
  const expiresAt = new Date(nowMs + (creation.expiresInDays ?? linkDaysDefault) * dayMs);
  const [row] = await tx.query<LinkRow>(
    `INSERT INTO hosted_links (link_id, organization_id, project_id, mode, study_id, respondent_id, metadata, return_url, return_own, uses_max, created_at, expires_at,
       data_collector, device, respondent_trusted, minimum_assurance)
     VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10, $11, $12, $13, $14, $15, $16) RETURNING ${columns}`,
    [
      idAt('link', nowMs, randomBytes(secretBytes)),
      owner.organizationId,
      owner.projectId,
      owner.mode,
      creation.studyId ?? null,
      creation.respondentId ?? null,
      JSON.stringify(creation.metadata ?? {}),
      creation.returnUrl ?? null,
      own !== null,
      creation.maxUses ?? null,
      new Date(nowMs),
      expiresAt,
      creation.dataCollector ?? null,
      creation.device ?? null,
      creation.respondentId !== undefined && own?.isSigned !== false,
      own?.minimumAssurance ?? null,
    ],
  );
  if (row === undefined) throw new Error('the insert returned no row');
  return row;
}

/** null for what is no link of ours, too. */
export async function findLink(database: Queryable, linkId: string): Promise<HostedLink | null> {
  if (!linkForm.test(linkId)) return null;
  const [row] = await database.query<LinkRow>(`SELECT ${columns} FROM hosted_links WHERE link_id = $1`, [linkId], {
    recurring: true,
  });
  return row ?? null;
}

/** Whether `owner` manages a link. Nobody manages those of studies, whose addresses lead to the place of a respondent. */
export const ownsLink = (owner: ProjectOwner, { projectId, mode, isOwnReturn }: HostedLink): boolean =>
  projectId === owner.projectId && managesMode(owner.mode, mode) && !isOwnReturn;
/** The same in SQL, with the project as $1 and the mode as $2. */
const isOwned = `project_id = $1 AND ($2 = 'live' OR mode = $2) AND NOT return_own`;

/** Links of a project that were not deleted, newest first. */
export async function listLinks(
  tx: Queryable,
  { projectId, mode }: ProjectOwner,
  page: Page,
): Promise<PageOf<HostedLink>> {
  const rows = await tx.query<LinkRow>(
    `SELECT ${columns} FROM hosted_links WHERE ${isOwned} AND deleted_at IS NULL AND ($3::text IS NULL OR link_id < $3)
      ORDER BY link_id DESC LIMIT $4`,
    [projectId, mode, page.below, page.limit + 1],
  );
  return cutPage(rows, page.limit, ({ linkId }) => linkId);
}

/** Ends a link; null where its owner has none of this id, or it was deleted before. */
export async function deleteLink(
  tx: Queryable,
  { projectId, mode }: ProjectOwner,
  linkId: string,
  nowMs: number,
): Promise<HostedLink | null> {
  const [row] = await tx.query<LinkRow>(
    `UPDATE hosted_links SET deleted_at = $4 WHERE ${isOwned} AND link_id = $3 AND deleted_at IS NULL RETURNING ${columns}`,
    [projectId, mode, linkId, new Date(nowMs)],
  );
  return row ?? null;
}

/** Counts a session, in the transaction that creates it; false where all uses are taken. */
export async function takeLinkSession(tx: Queryable, linkId: string): Promise<boolean> {
  const rows = await tx.query(
    'UPDATE hosted_links SET sessions = sessions + 1 WHERE link_id = $1 AND (uses_max IS NULL OR uses < uses_max) RETURNING link_id',
    [linkId],
    { recurring: true },
  );
  return rows.length > 0;
}

/** Counts the uses, 0 or 1, of a session, in the transaction that completes it; false where all uses are taken. */
export async function takeLinkUse(tx: Queryable, linkId: string, uses: number): Promise<boolean> {
  const rows = await tx.query(
    'UPDATE hosted_links SET uses = uses + $2 WHERE link_id = $1 AND (uses_max IS NULL OR uses < uses_max) RETURNING link_id',
    [linkId, uses],
    { recurring: true },
  );
  return rows.length > 0;
}

/** Links of respondents: $1 the project, $2 their ids. */
export const ofRespondent = 'project_id = $1 AND respondent_id = ANY($2::text[])';

/** Removes the links that were made for a respondent; answers how many. */
export async function eraseLinks(tx: Queryable, projectId: string, respondentId: string): Promise<number> {
  const rows = await tx.query(`DELETE FROM hosted_links WHERE ${ofRespondent} RETURNING link_id`, [
    projectId,
    [respondentId],
  ]);
  return rows.length;
}

export const removeLinks = async (tx: Queryable, linkIds: readonly string[]): Promise<void> =>
  void (await tx.query('DELETE FROM hosted_links WHERE link_id = ANY($1::text[])', [linkIds]));

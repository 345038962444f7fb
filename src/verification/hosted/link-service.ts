/**
 * Links of a project as its owner handles them: making, listing, deleting. Making and deleting are recorded with the write. The target of a
 * returnUrl is checked here, and again when a respondent is redirected.
 */
import { notFound, invalid } from '../../kernel/faults.js';
import { type CreatedLinkReply, type LinkCreation, type LinkReply, deadLinkDays } from '../../contract/hosted-link.js';
import { recordAudit, type Actor } from '../../administration/audit.js';
import type { Directories } from '../../administration/directories.js';
import {
  deleteLink,
  findLink,
  insertLink,
  linkStateOf,
  linkUrl,
  listLinks,
  ownsLink,
  type HostedLink,
} from '../../administration/hosted-links.js';
import { findMetadataIssue } from '../../kernel/body.js';
import type { ProjectOwner } from '../../kernel/caller.js';
import { Fault } from '../../errors.js';
import type { Page } from '../../kernel/paging.js';
import { redirectProblem, readWebAddress } from '../../net/web-address.js';
import type { Database } from '../../stores/database/port.js';
import { inOrganization } from '../../stores/database/tenant.js';
import {
  dropOverAge,
  startRetentionRounds,
  type RetentionRounds,
  type RoundsDeps,
} from '../../stores/database/retention.js';
import type { Environment } from '../../config/settings.js';
import type { DecideOrigin } from '../../administration/public-guard.js';
import type { StoredOrganization } from '../../administration/organization-store.js';
import type { StoredProject } from '../../administration/project-store.js';

export interface LinkServiceDeps extends ReturnRules {
  readonly database: Database;
  readonly directories: Pick<Directories, 'projects' | 'organizations'>;
  readonly siteUrl: () => string;
  readonly now: () => number;
}

export type LinkService = ReturnType<typeof createLinkService>;

export function createLinkService(deps: LinkServiceDeps) {
  const { database, siteUrl, now } = deps;
  const show = (link: HostedLink): LinkReply => showLink(link, siteUrl(), now());
  return {
    /** Throws VALIDATION_FAILED, and ORIGIN_NOT_ALLOWED where the list in force does not name the returnUrl’s origin. */
    async create(actor: Actor, owner: ProjectOwner, creation: LinkCreation): Promise<CreatedLinkReply> {
      const issue = findMetadataIssue(creation.metadata ?? {});
      if (issue !== null) throw invalid([issue]);
      if (creation.returnUrl !== undefined) await requireReturn(deps, owner.projectId, creation.returnUrl);
      const link = await inOrganization(database, owner.organizationId, async (tx) => {
        const made = await insertLink(tx, owner, creation, { nowMs: now() });
        await recordAudit(tx, actor, noteOf(made, 'link.created'));
        return made;
      });
      const { linkId, url, expiresAt } = show(link);
      return { linkId, url, expiresAt };
    },

    async list(owner: ProjectOwner, page: Page) {
      const { items, nextCursor } = await inOrganization(database, owner.organizationId, (tx) =>
        listLinks(tx, owner, page),
      );
      return { links: items.map(show), nextCursor };
    },

    async read(owner: ProjectOwner, linkId: string): Promise<LinkReply> {
      const link = await inOrganization(database, owner.organizationId, (tx) => findLink(tx, linkId));
      if (link === null || !ownsLink(owner, link)) throw notFound('link');
      return show(link);
    },

    remove: (owner: ProjectOwner, actor: Actor, linkId: string): Promise<LinkReply> =>
      inOrganization(database, owner.organizationId, async (tx) => {
        const link = await deleteLink(tx, owner, linkId, now());
        if (link === null) throw notFound('link');
        await recordAudit(tx, actor, noteOf(link, 'link.deleted'));
        return show(link);
      }),
  };
}

async function requireReturn(
  { directories, isAllowed, environment }: LinkServiceDeps,
  projectId: string,
  returnUrl: string,
): Promise<void> {
  const problem = redirectProblem(returnUrl, environment);
  if (problem !== null) throw invalid([{ path: '/returnUrl', message: problem }]);
  const project = await directories.projects.get(projectId);
  const organization = project === null ? null : await directories.organizations.get(project.organizationId);
  if (project === null || organization === null) throw notFound('project');
  const { origin } = new URL(returnUrl);
  if (isAllowed(project, organization, origin)) return;
  throw new Fault(
    'ORIGIN_NOT_ALLOWED',
    `Origin ${origin} of \`returnUrl\` isn’t allowed. Add it to \`config.allowedDomains\`, then create the link.`,
    {
      issues: [
        {
          path: '/returnUrl',
          message: `has the origin ${origin}, which isn’t allowed. Add it to config.allowedDomains.`,
        },
      ],
    },
  );
}

const noteOf = (
  { organizationId, projectId, linkId, maxUses }: HostedLink,
  action: 'link.created' | 'link.deleted',
) => ({
  organizationId,
  action,
  subject: { kind: 'link' as const, id: linkId },
  detail: { projectId, maxUses },
});

function showLink(link: HostedLink, siteUrl: string, nowMs: number): LinkReply {
  const { linkId, studyId, respondentId, dataCollector, device, metadata, returnUrl, uses, sessions, maxUses } = link;
  return {
    ...{ linkId, url: linkUrl(siteUrl, linkId), studyId, respondentId, dataCollector, device, metadata, returnUrl },
    createdAt: link.createdAt.toISOString(),
    expiresAt: link.expiresAt.toISOString(),
    ...{ maxUses, uses, sessions, state: linkStateOf(link, nowMs) },
  };
}

export const deadLinkLifetime = {
  ...{ table: 'hosted_links', column: 'least(expires_at, deleted_at)', keepDays: deadLinkDays },
} as const;

export function startLinkRetention(deps: RoundsDeps): RetentionRounds {
  return startRetentionRounds({
    ...deps,
    what: 'links to the hosted page',
    drop: (nowMs, isStopping) => dropOverAge(deps.database, deadLinkLifetime, nowMs, isStopping),
  });
}

export interface ReturnRules {
  /** Whether the allow-list in force takes an origin. */
  readonly isAllowed: (
    project: Pick<StoredProject, 'fields'>,
    organization: Pick<StoredOrganization, 'allowedDomains'>,
    origin: string,
  ) => boolean;
  readonly environment: Environment;
}

export const createReturnCheck =
  (decide: DecideOrigin): ReturnRules['isAllowed'] =>
  ({ fields }, { allowedDomains }, origin) =>
    decide({ project: fields.config?.allowedDomains ?? none, organization: allowedDomains }, origin).allowed;

const none: readonly string[] = [];

/** The status in the return address; `incomplete` means that the respondent left without a verdict. */
export type ReturnStatus = 'pass' | 'fail' | 'review' | 'incomplete';

/** The address to go to, or null where the link has none that may be followed. */
export function returnTarget(
  link: Pick<HostedLink, 'returnUrl' | 'isOwnReturn'>,
  owner: { readonly project: StoredProject; readonly organization: StoredOrganization },
  { isAllowed, environment }: ReturnRules,
  result: { readonly status: ReturnStatus; readonly token: string | null },
): string | null {
  if (link.returnUrl === null) return null;
  const url = readWebAddress(link.returnUrl);
  if (url === null) return null;
  const isSafe =
    link.isOwnReturn ||
    (redirectProblem(link.returnUrl, environment) === null && isAllowed(owner.project, owner.organization, url.origin));
  if (!isSafe) return null;
  url.searchParams.delete('vh_token');
  if (result.token !== null) url.searchParams.set('vh_token', result.token);
  url.searchParams.set('status', result.status);
  return url.href;
}

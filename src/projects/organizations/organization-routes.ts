/** Routes of organizations: settings by organization key, the organization by dashboard token, and the audit trail. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound, invalid } from '../../kernel/faults.js';
import { AuditPage, AuditQuery } from '../../contract/audit.js';
import {
  OrganizationChange,
  OrganizationReply,
  OrganizationSettings,
  SettingsChange,
} from '../../contract/organization.js';
import { organizationOf } from '../../http/access.js';
import type { Access } from '../../http/access-declaration.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import type { AdministrationDeps } from '../deps.js';
import { actorOf, listAudit, recordAudit } from '../../administration/audit.js';
import { examples } from '../examples.js';
import {
  findOrganization,
  showOrganization,
  showSettings,
  updateOrganization,
  type StoredOrganization,
} from '../../administration/organization-store.js';
import { readOrigins } from '../../net/origin-pattern.js';
import { findAddressIssue } from '../projects/project-checks.js';
import { readPage } from '../../kernel/paging.js';
import { inOrganization } from '../../stores/database/tenant.js';

const route = routesOf('Organizations');
const readingSettings: Access = {
  ...{ credential: 'organization-key', scope: 'settings:read', afterTrial: true },
  modes: ['live', 'test'],
};
const changingSettings: Access = { ...readingSettings, modes: ['live'], scope: 'settings:write' };
const administering: Access = { credential: 'dashboard', modes: ['live'], role: 'admin', organization: 'orgId' };

export function registerOrganizationRoutes(app: FastifyInstance, deps: AdministrationDeps): void {
  registerSettings(app, deps);
  registerOrganization(app, deps);
}

/** Projects without a list of their own follow the new one at once here, within a second everywhere. */
async function changeSettings(
  deps: AdministrationDeps,
  request: FastifyRequest,
  { allowedDomains, consent }: SettingsChange,
  path: string,
): Promise<StoredOrganization> {
  const organizationId = organizationOf(request);
  const { patterns, issues } = readOrigins(allowedDomains ?? [], `${path}/allowedDomains`);
  const faults = [...issues, ...findAddressIssue(`${path}/consent/privacyUrl`, consent?.privacyUrl)];
  if (faults.length > 0) throw invalid(faults);
  const updated = await inOrganization(deps.database, organizationId, async (tx) => {
    const before = await findOrganization(tx, organizationId, { lock: true });
    if (before === null) throw notFound('organization');
    if (allowedDomains === undefined && consent === undefined) return before;
    const change = {
      ...(allowedDomains === undefined ? {} : { allowedDomains: patterns }),
      ...(consent === undefined ? {} : { consent: { ...before.consent, ...consent } }),
    };
    const after = await updateOrganization(tx, organizationId, change);
    await recordAudit(tx, actorOf(request), {
      organizationId,
      action: 'organization.updated',
      subject: { kind: 'organization', id: organizationId },
      detail: Object.fromEntries(
        Object.entries(change).map(([name, to]) => [name, { from: before[name as keyof typeof change], to }]),
      ),
    });
    return after ?? before;
  });
  deps.directories.organizations.drop(organizationId);
  return updated;
}

function registerSettings(app: FastifyInstance, deps: AdministrationDeps): void {
  app.get(
    '/organizations/me/settings',
    route(readingSettings, {
      operationId: 'getOrganizationSettings',
      summary: 'Read the settings of the key’s organization',
      description: 'Origins for all projects without an own list, and the controller that the consent names.',
      response: { 200: OrganizationSettings, ...errorReplies([401, 403, 404, 429]) },
    }),
    async (request) => {
      const organization = await findOrganization(deps.database, organizationOf(request));
      if (organization === null) throw notFound('organization');
      return showSettings(organization);
    },
  );

  app.patch(
    '/organizations/me/settings',
    route(changingSettings, {
      operationId: 'updateOrganizationSettings',
      summary: 'Change the settings of the key’s organization',
      description:
        'Omitted fields keep their values. For example, ["https://survey.example.com", "*.panel.example.com"] allows those pages. An empty list allows no origin in staging and production. Projects with an empty list change at once. consent sets the controller of respondents’ data and its privacy page.',
      body: { ...SettingsChange, examples: [examples.settings] },
      response: { 200: OrganizationSettings, ...errorReplies([400, 401, 403, 404, 413, 415, 429]) },
    }),
    async (request) => showSettings(await changeSettings(deps, request, request.body, '')),
  );
}

function registerOrganization(app: FastifyInstance, deps: AdministrationDeps): void {
  const params = Type.Object({ orgId: Type.String({ maxLength: 128 }) });

  app.put(
    '/organizations/:orgId',
    route(administering, {
      params,
      operationId: 'updateOrganization',
      summary: 'Change the organization from the dashboard',
      description: 'Takes settings.allowedDomains and settings.consent, as the settings of an organization key do.',
      body: { ...OrganizationChange, examples: [examples.organization] },
      response: { 200: OrganizationReply, ...errorReplies([400, 401, 403, 404, 413, 415]) },
    }),
    async (request) => showOrganization(await changeSettings(deps, request, request.body.settings, '/settings')),
  );

  app.get(
    '/organizations/:orgId/audit',
    route(administering, {
      params,
      operationId: 'listAudit',
      summary: 'List every administrative write, newest first',
      description:
        'Lists changes by dashboard users, keys and operators with their time. For the next page, send nextCursor as cursor.',
      querystring: AuditQuery,
      response: { 200: AuditPage, ...errorReplies([400, 401, 403, 404]) },
    }),
    async (request) => {
      const organizationId = organizationOf(request);
      const page = readPage(request.query);
      return inOrganization(deps.database, organizationId, (tx) => listAudit(tx, organizationId, request.query, page));
    },
  );
}

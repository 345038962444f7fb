/**
 * The hosted page at /v/{linkId}, its files, and where it leads afterwards. A visit reads and changes nothing; what becomes of it is the
 * session’s. The page hands in the token that its session ended with, and the service alone says what that token is worth and where the
 * respondent goes: nothing that the page says stands for a verdict or an address.
 */
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound } from '../../kernel/faults.js';
import { pageBranding } from '../../administration/pages/branding.js';
import type { StoredProject } from '../../administration/project-store.js';
import type { Directories } from '../../administration/directories.js';
import type { Branding } from '../../contract/project-parts.js';
import { findLink, linkStateOf, type HostedLink } from '../../administration/hosted-links.js';
import type { StoredOrganization } from '../../administration/organization-store.js';
import { servePageFiles } from '../../http/page-files.js';
import { packageRoot } from '../../package-root.js';
import type { Database } from '../../stores/database/port.js';
import type { SignedResult } from '../results/result-service.js';
import { brandSheetOf, type PageParts } from '../../administration/pages/frame.js';
import { pageFiles } from '../../administration/pages/files.js';
import { pagePolicy, renderCheckPage, renderEndedPage } from './page.js';
import { returnTarget, type ReturnRules } from './link-service.js';
import { chooseLanguage } from '../../administration/pages/languages.js';

export interface PageRouteDeps extends ReturnRules {
  readonly database: Database;
  readonly directories: Pick<Directories, 'projects' | 'organizations'>;
  /** The result of a session of the link, with a vh_token; null if the token belongs to no such session. */
  readonly finish: (link: HostedLink, token: string) => Promise<SignedResult | null>;
  readonly baseUrl: () => string;
  /** The widget fetches its models from this address. */
  readonly modelsUrl: () => string;
  readonly now: () => number;
}

const open = { access: { credential: 'none' } } as const;
const hide = { hide: true } as const;
const assets = join(packageRoot, 'src', 'verification', 'hosted', 'page', 'assets');
const bundle = '/sdk/v1/verifyhuman.umd.js';
const tokenLengthMax = 4_096;

const Params = Type.Object({ linkId: Type.String({ maxLength: 128 }) });
const ReturnBody = Type.Object({ token: Type.String({ minLength: 1, maxLength: tokenLengthMax }) });

/** A link with those whose it is. */
interface Found {
  readonly link: HostedLink;
  readonly project: StoredProject;
  readonly organization: StoredOrganization;
}

export async function registerHostedPage(app: FastifyInstance, deps: PageRouteDeps): Promise<void> {
  registerPage(app, deps);
  registerReturn(app, deps);
  await servePageFiles(app, '/v/assets/', [assets, pageFiles]);
}

function registerPage(app: FastifyInstance, deps: PageRouteDeps): void {
  const Query = Type.Object({ lang: Type.Optional(Type.String({ maxLength: 64 })) });
  app.get(
    '/v/:linkId',
    { config: open, schema: { ...hide, params: Params, querystring: Query } },
    async (request, reply) => {
      const found = await find(deps, request.params.linkId);
      const parts = partsOf(found, request, request.query.lang);
      const state = found === null ? 'deleted' : linkStateOf(found.link, deps.now());
      sendHeaders(reply, parts, deps);
      if (found === null || state === 'deleted')
        return reply.code(404).send(renderEndedPage({ ...parts, state: 'deleted', leave: null }));
      const { linkId, projectId } = found.link;
      const hasReturn = targetOf(deps, found, { status: 'incomplete', token: null }) !== null;
      if (state !== 'alive')
        return reply
          .code(410)
          .send(renderEndedPage({ ...parts, state, leave: hasReturn ? `/v/${linkId}/leave` : null }));
      return renderCheckPage({ ...parts, linkId, siteKey: projectId, apiEndpoint: deps.baseUrl(), bundle, hasReturn });
    },
  );
  app.get('/v/:linkId/brand.css', { config: open, schema: { ...hide, params: Params } }, async (request, reply) => {
    const found = await find(deps, request.params.linkId);
    const sheet = brandSheetOf(brandingOf(found));
    if (sheet === null) throw notFound('style sheet');
    return reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(sheet);
  });
}

function registerReturn(app: FastifyInstance, deps: PageRouteDeps): void {
  app.post(
    '/v/:linkId/return',
    { config: open, schema: { ...hide, params: Params, body: ReturnBody } },
    async (request) => {
      const found = await find(deps, request.params.linkId);
      const result = found === null ? null : await deps.finish(found.link, request.body.token);
      if (found === null || result === null) throw notFound('result of this link');
      return { status: result.status, location: targetOf(deps, found, result) };
    },
  );
  app.get('/v/:linkId/leave', { config: open, schema: { ...hide, params: Params } }, async (request, reply) => {
    const found = await find(deps, request.params.linkId);
    const target = found === null ? null : targetOf(deps, found, { status: 'incomplete', token: null });
    if (target === null) throw notFound('address to go back to');
    return reply.code(303).header('location', target).send();
  });
}

const targetOf = (deps: PageRouteDeps, { link, ...owner }: Found, result: Parameters<typeof returnTarget>[3]) =>
  returnTarget(link, owner, deps, result);

async function find({ database, directories }: PageRouteDeps, linkId: string): Promise<Found | null> {
  const link = await findLink(database, linkId);
  const project = link === null ? null : await directories.projects.get(link.projectId);
  const organization = project === null ? null : await directories.organizations.get(project.organizationId);
  return link === null || project === null || organization === null ? null : { link, project, organization };
}

const brandingOf = (found: Found | null): Branding | null =>
  found === null ? null : pageBranding(found.project, found.organization);

function partsOf(found: Found | null, request: FastifyRequest, asked: string | undefined): PageParts {
  const branding = brandingOf(found);
  return {
    language: chooseLanguage(asked, request.headers['accept-language']),
    branding,
    brandSheet: found === null || brandSheetOf(branding) === null ? null : `/v/${found.link.linkId}/brand.css`,
  };
}

function sendHeaders(
  reply: FastifyReply,
  { branding }: PageParts,
  deps: Pick<PageRouteDeps, 'baseUrl' | 'modelsUrl'>,
): void {
  void reply.type('text/html; charset=utf-8').headers({
    'content-security-policy': pagePolicy(branding, { own: deps.baseUrl(), models: deps.modelsUrl() }),
    'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
    vary: 'Accept-Language',
  });
}

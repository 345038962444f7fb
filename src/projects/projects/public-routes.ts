/** Public routes of a project: what the widget reads when it mounts, whether a page may use a site key, and keys for a trial. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { DemoKeyReply, demoRateLimits } from '../../contract/api-key.js';
import { keyScopes } from '../../contract/key-scopes.js';
import { configDefaults, OriginCheck, projectDefaults, PublicConfig } from '../../contract/project.js';
import { Fault } from '../../errors.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import type { Database } from '../../stores/database/port.js';
import type { Limits } from '../../administration/request-limits.js';
import type { StoredOrganization } from '../../administration/organization-store.js';
import { consentTermsOf, consentWarningsOf, type FacePolicy } from '../../administration/consent-terms.js';
import { allowsDemoKeys, visibleBranding, type StoredProject } from '../../administration/project-store.js';
import { acceptEmptyBodies } from '../../http/json-body.js';
import { answerPreflights, type PublicGuard } from '../../administration/public-guard.js';
import { mintKey } from '../../administration/api-keys.js';
import { inOrganization } from '../../stores/database/tenant.js';

export interface PublicRouteDeps {
  readonly database: Database;
  readonly guard: PublicGuard;
  readonly limits: Pick<Limits, 'takeDemoKey'>;
  readonly now: () => number;
  /** The widget loads its models from this address. */
  readonly modelsBaseUrl: () => string;
  readonly faces: FacePolicy;
}

const route = routesOf('Public');
const open = { credential: 'none' } as const;
const cacheSeconds = 60;
const SiteKey = Type.String({ maxLength: 128, description: 'The project’s public key; :test may stand behind it.' });

export function registerPublicRoutes(app: FastifyInstance, deps: PublicRouteDeps): void {
  registerConfig(app, deps);
  registerOriginCheck(app, deps);
  void app.register(async (scope) => registerDemoKeys(scope, deps));
}

function registerConfig(app: FastifyInstance, deps: PublicRouteDeps): void {
  answerPreflights(app, '/projects/:siteKey/public-config', 'GET');
  app.get(
    '/projects/:siteKey/public-config',
    route(open, {
      operationId: 'getPublicConfig',
      summary: 'Read what the widget needs to mount',
      description:
        'With ETag, fresh for a minute. A page whose origin is not allowed is refused; a request without an origin is not.',
      params: Type.Object({ siteKey: SiteKey }),
      response: {
        200: PublicConfig,
        304: Type.Null({ description: 'Unchanged since the ETag sent.' }),
        ...errorReplies([400, 403, 404, 429]),
      },
    }),
    async (request, reply) => {
      // A browser names the origin of every page that is not ours; without one there is no page to keep out.
      const ask = request.headers.origin === undefined ? deps.guard.look : deps.guard.admit;
      const { project, organization } = await ask(request, reply, request.params.siteKey);
      const config = publicConfigOf(project, organization, deps);
      const etag = `"${createHash('sha256').update(JSON.stringify(config)).digest('base64url').slice(0, 27)}"`;
      void reply.headers({ etag, 'cache-control': `public, max-age=${cacheSeconds}` });
      const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
      if (known.includes(etag) || known.includes('*')) return reply.code(304).send(null);
      return config;
    },
  );
}

function publicConfigOf(
  project: StoredProject,
  organization: StoredOrganization,
  { modelsBaseUrl, faces }: Pick<PublicRouteDeps, 'modelsBaseUrl' | 'faces'>,
): PublicConfig {
  const { projectId, fields } = project;
  const consent = consentTermsOf(project, organization, faces);
  const config = { ...configDefaults, ...fields.config };
  const userDisclosure = fields.userDisclosure ?? projectDefaults.userDisclosure;
  return {
    siteKey: projectId,
    verificationMode: fields.verificationMode ?? projectDefaults.verificationMode,
    widgetMode: config.widgetMode,
    minimumAssurance: config.minimumAssurance,
    challengeEnabled: config.challengeEnabled,
    escalateOnSuspicion: config.escalateOnSuspicion,
    evidenceFrames: config.evidenceFrames,
    maxRetries: config.maxRetries,
    degradedMode: config.degradedMode,
    demographics: config.demographics,
    userDisclosure,
    userDisclosureCustomText: userDisclosure === 'CUSTOM' ? (fields.userDisclosureCustomText ?? null) : null,
    branding: visibleBranding(fields.branding, organization.tier),
    consent,
    warnings: consentWarningsOf(consent),
    models: { baseUrl: modelsBaseUrl() },
  };
}

function registerOriginCheck(app: FastifyInstance, deps: PublicRouteDeps): void {
  answerPreflights(app, '/origin-check', 'GET');
  app.get(
    '/origin-check',
    route(open, {
      operationId: 'checkOrigin',
      summary: 'Check whether the calling page may use a site key',
      description: 'Checks the `Origin` header against the project’s list, or the organization’s if that is empty.',
      querystring: Type.Object({ siteKey: SiteKey }),
      response: { 200: OriginCheck, ...errorReplies([400, 404, 429]) },
    }),
    async (request, reply) => {
      const { allowed, origin, decidedBy } = await deps.guard.look(request, reply, request.query.siteKey);
      return { allowed, origin, decidedBy };
    },
  );
}

function registerDemoKeys(scope: FastifyInstance, deps: PublicRouteDeps): void {
  acceptEmptyBodies(scope);
  answerPreflights(scope, '/public/projects/:siteKey/demo-key', 'POST');
  scope.post(
    '/public/projects/:siteKey/demo-key',
    route(open, {
      operationId: 'mintDemoKey',
      summary: 'Create a trial key that is valid for one hour',
      description: 'At most ten a minute for a project. What it verifies is counted apart and bills nothing.',
      params: Type.Object({ siteKey: SiteKey }),
      response: { 201: DemoKeyReply, ...errorReplies([400, 403, 404, 413, 415, 429]) },
    }),
    async (request, reply) => {
      const { project } = await deps.guard.admit(request, reply, request.params.siteKey);
      if (!allowsDemoKeys(project))
        throw new Fault('DEMO_KEYS_OFF', 'Demo keys are off. Use a test key of the project.');
      await deps.limits.takeDemoKey(project.projectId);
      return reply.code(201).send(await mintDemoKey(deps.database, project, deps.now()));
    },
  );
}

const lifetimeMs = 3_600_000;

/** Mints a test key that is good for an hour and for measuring only, and deletes the expired ones of the project. */
async function mintDemoKey(
  database: Database,
  { organizationId, projectId }: StoredProject,
  nowMs: number,
): Promise<DemoKeyReply> {
  const expiresAt = new Date(nowMs + lifetimeMs);
  const minted = await inOrganization(database, organizationId, async (tx) => {
    await tx.query('DELETE FROM api_keys WHERE project_id = $1 AND is_demo AND expires_at < $2', [
      projectId,
      new Date(nowMs),
    ]);
    return mintKey(tx, {
      organizationId,
      projectId,
      name: 'Demo key',
      isTest: true,
      isDemo: true,
      scopes: keyScopes.demo,
      limits: demoRateLimits,
      expiresAt,
    });
  });
  return {
    apiKey: minted.secret,
    keyId: minted.keyId,
    apiKeyPrefix: minted.prefix,
    projectId,
    isTest: true,
    isDemo: true,
    expiresAt: expiresAt.toISOString(),
  };
}

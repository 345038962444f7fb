/**
 * Decides who may call a route. A route without declared access does not register. One hook resolves the credential, counts the call against the
 * key’s limits, checks scope, role and owner, and sets `request.caller`. A resource of another organization is a 404, as one that does not
 * exist.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { OAuthScope } from '../contract/oauth.js';
import { Fault } from '../errors.js';
import {
  dashboardRoles,
  type AccessDeps,
  type Caller,
  type DashboardRole,
  type KeyCaller,
  modeOfCaller,
  type ProjectOwner,
} from '../kernel/caller.js';
import { notFound } from '../kernel/faults.js';
import { publicBodyBytesMax } from '../limits.js';
import type { Access, GuardedAccess } from './access-declaration.js';
import { authenticate } from './authenticate.js';

/** Path parameters that identify an owned resource. A route that has one declares it in its access. */
const ownedParameters = { projectId: 'project', orgId: 'organization', keyId: 'key' } as const;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    caller: Caller | null;
    /** Whether this call was counted against the limits of its key or, without one, of its address. */
    rateTaken: boolean;
  }
  interface FastifyInstance {
    /** Access of routes in this scope that declare none; for routes that a plugin registers. */
    defaultAccess: Access | null;
  }
  /** Schemas of routes are TypeBox’s, and handlers are typed by them. */
  interface FastifyTypeProviderDefault {
    readonly validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
    readonly serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  }
}

export function registerAccess(app: FastifyInstance, deps: AccessDeps): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('rateTaken', false);
  app.decorate('defaultAccess', null);
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    const access = route.config?.access ?? this.defaultAccess;
    if (access === null)
      throw new Error(`${String(route.method)} ${route.url} declares no access; see src/http/access.ts`);
    requireOwners(route.url, access);
    route.config = { ...route.config, access };
    // The key of a resource is not checked before the body is read.
    if (access.credential === 'none' || access.resourceKey === true) route.bodyLimit ??= publicBodyBytesMax;
  });
  app.addHook('onRequest', async (request) => {
    const access = request.routeOptions.config.access;
    if (access === undefined || access.credential === 'none') return;
    if (access.resourceKey === true && resourceKeyOf(request) !== null) return;
    if (access.clientSecret === true && isOfPage(request.headers)) return;
    const caller = await authenticate(request, access, deps);
    request.caller = caller;
    if (caller.kind === 'key' && takesRateHere(caller, access)) await takeRate(request, caller, deps);
    if (caller.kind === 'key' && access.afterTrial !== true) await deps.requireTrial(caller.organizationId);
    requireKindOfKey(caller, access);
    requireScope(caller, access, deps);
    requireMode(caller, access);
    await requireOwnership(request, caller, access, deps);
  });
}

/** The limits of an OAuth client span its projects, so no handler of one project can count them. */
const takesRateHere = (caller: KeyCaller, { limits, relays }: GuardedAccess): boolean =>
  relays !== true && (limits !== 'handler' || caller.client === true);

/** Counts a failed call against its key’s limits unless it was counted: every request made with a key counts. Throws RATE_LIMIT_EXCEEDED. */
export async function takeOutstandingRate(
  request: FastifyRequest,
  deps: Pick<AccessDeps, 'takeKeyRate'>,
): Promise<void> {
  if (request.caller?.kind === 'key' && !request.rateTaken) await takeRate(request, request.caller, deps);
}

export interface RefusedCallDeps {
  /** Counts a call without a credential that is refused for its form. Throws RATE_LIMIT_EXCEEDED. Absent: it is not counted. */
  readonly takeRefused?: (address: FastifyRequest['clientAddress']) => Promise<void>;
}

const malformedStatuses: readonly number[] = [400, 413, 415, 422];

/** Counts a call without a credential against the limits of its address if it was refused for its form before anything counted it. */
export async function takeRefusedRate(
  request: FastifyRequest,
  { status }: Pick<Fault, 'status'>,
  { takeRefused }: RefusedCallDeps,
): Promise<void> {
  if (request.caller !== null || request.rateTaken || !malformedStatuses.includes(status)) return;
  request.rateTaken = true;
  await takeRefused?.(request.clientAddress);
}

/** Marked first: a call that a limit refused is not taken off it again. */
async function takeRate(
  request: FastifyRequest,
  caller: KeyCaller,
  deps: Pick<AccessDeps, 'takeKeyRate'>,
): Promise<void> {
  request.rateTaken = true;
  await deps.takeKeyRate(caller);
}

function requireOwners(url: string, access: Access): void {
  if (access.credential === 'none') return;
  for (const [parameter, resource] of Object.entries(ownedParameters)) {
    const named = new RegExp(`:${parameter}(?:/|$)`).test(url);
    if (named && access[resource] !== parameter)
      throw new Error(
        `${url} names a ${resource} and does not declare "${resource}: '${parameter}'"; see src/http/access.ts`,
      );
  }
}

/** Registers a plugin whose routes all need no credential: documents and SDK files. */
export async function registerOpen(
  app: FastifyInstance,
  register: (scope: FastifyInstance) => Promise<void>,
): Promise<void> {
  await app.register(async (scope) => {
    scope.defaultAccess = { credential: 'none' };
    await register(scope);
  });
}

/** The API key of a request; for handlers of routes whose access is api-key. */
export function keyCaller(request: FastifyRequest): KeyCaller {
  if (request.caller?.kind !== 'key') throw new Error('the route does not require an API key');
  return request.caller;
}

/** The key of a resource that a request carries; null: it carries none. */
export const resourceKeyOf = (request: FastifyRequest): string | null =>
  /^bearer ([0-9a-f]{64})$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;

const isOfPage = (headers: FastifyRequest['headers']): boolean =>
  headers['x-client-secret'] !== undefined ||
  (headers['x-api-key'] === undefined && headers.authorization === undefined);

/** The organization of whoever calls; for handlers of routes that take a credential. */
export function organizationOf(request: FastifyRequest): string {
  if (request.caller === null) throw new Error('the route does not require a credential');
  return request.caller.organizationId;
}

/** The caller’s part of the project that the path names. */
export const projectOwnerOf = (request: FastifyRequest): ProjectOwner => ({
  organizationId: organizationOf(request),
  projectId: (request.params as { projectId: string }).projectId,
  mode: modeOfCaller(request.caller),
});

/** Refuses the wrong kind of key and names the right one. An OAuth client belongs to the organization. */
function requireKindOfKey(caller: Caller, { credential, oauth }: GuardedAccess): void {
  if (caller.kind !== 'key') return;
  if (caller.client === true) {
    if (oauth !== undefined) return;
    throw new Fault(
      'INSUFFICIENT_SCOPE',
      'Access tokens can’t call this operation. Use an API key or a dashboard token.',
    );
  }
  if (credential === 'api-key' || credential === 'dashboard-or-key') return;
  if (credential === 'dashboard')
    throw new Fault('INSUFFICIENT_SCOPE', 'API keys can’t call this operation. Use a dashboard token.');
  if (caller.projectId === null) return;
  const needed = credential === 'organization-key' ? 'an organization key' : 'a dashboard token or an organization key';
  throw new Fault('INSUFFICIENT_SCOPE', `Project keys can’t call this operation. Use ${needed}.`);
}

/** Refuses a key of a mode that the route does not take. Anybody can create demo keys, so most routes refuse them whatever their scopes. */
function requireMode(caller: Caller, { modes }: GuardedAccess): void {
  const mode = modeOfCaller(caller);
  if (modes.includes(mode)) return;
  const message =
    mode === 'demo'
      ? 'Demo keys can’t do this. Use a project key.'
      : 'Test keys can’t do this, because it affects live data. Use a live key.';
  throw new Fault('INSUFFICIENT_SCOPE', message);
}

function requireScope(caller: Caller, { scope, role, oauth = [] }: GuardedAccess, deps: AccessDeps): void {
  if (caller.kind === 'key' && caller.client === true) return requireGranted(caller, oauth, deps);
  if (caller.kind === 'key') {
    if (scope !== undefined && !caller.scopes.includes(scope))
      throw new Fault('INSUFFICIENT_SCOPE', `This key lacks the scope \`${scope}\`. Use a key that has it.`);
    return;
  }
  if (role !== undefined) requireRole(caller, role);
}

/** Throws INSUFFICIENT_SCOPE for a dashboard caller below the role. A handler names the part of its operation that needs more than the rest. */
export function requireRole(caller: Caller | null, role: DashboardRole, part = 'this operation'): void {
  if (caller?.kind !== 'dashboard' || dashboardRoles.indexOf(caller.role) >= dashboardRoles.indexOf(role)) return;
  throw new Fault(
    'INSUFFICIENT_SCOPE',
    `Your role is ${caller.role}, but ${part} needs ${role}. Ask an owner or admin.`,
  );
}

/** An empty list takes any access token. */
function requireGranted(caller: KeyCaller, oauth: readonly OAuthScope[], { accessTokens }: AccessDeps): void {
  if (oauth.length === 0 || oauth.some((scope) => caller.scopes.includes(scope))) return;
  throw new Fault(
    'INSUFFICIENT_SCOPE',
    `The access token lacks the scope ${oauth.join(' or ')}. Request a token with it.`,
    {
      headers: {
        'www-authenticate': `${accessTokens?.challenge() ?? 'Bearer'}, error="insufficient_scope", scope="${oauth[0] ?? ''}"`,
      },
    },
  );
}

/** The only check of ownership: of the project, organization and key in the path. */
async function requireOwnership(
  request: FastifyRequest,
  caller: Caller,
  access: GuardedAccess,
  deps: AccessDeps,
): Promise<void> {
  const params = request.params as Readonly<Record<string, string>>;
  const projectId = access.project === undefined ? null : (params[access.project] ?? '');
  if (projectId !== null) {
    const owner = await deps.findProjectOwner(projectId);
    const ownKey = caller.kind !== 'key' || caller.projectId === null || caller.projectId === projectId;
    if (owner !== caller.organizationId || !ownKey) throw notFound('project');
  }
  if (access.organization !== undefined && params[access.organization] !== caller.organizationId)
    throw notFound('organization');
  if (access.key !== undefined) {
    const owner = await deps.findKeyOwner(params[access.key] ?? '');
    if (owner === null || owner.organizationId !== caller.organizationId || owner.projectId !== projectId)
      throw notFound('key');
  }
}

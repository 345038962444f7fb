/**
 * Who may call a route. Every route declares its access, or it does not register; one hook resolves the
 * credential, checks scope, role and the owner of the resource, and puts the caller on the request.
 * Anything of another organization is a 404 with the body of a thing that never existed.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../errors.js';

export const dashboardRoles = ['member', 'admin', 'owner'] as const;
export type DashboardRole = (typeof dashboardRoles)[number];

/** An authenticated API key as the hot path needs it. */
export interface KeyCaller {
  readonly kind: 'key';
  readonly keyId: string;
  /** The first key of a chain of rotations: a replacement may read what its predecessors wrote. */
  readonly lineage: string;
  readonly organizationId: string;
  /** null for an organization key. */
  readonly projectId: string | null;
  readonly scopes: readonly string[];
  readonly limits: { readonly perMinute: number; readonly perDay: number };
}

export interface DashboardCaller {
  readonly kind: 'dashboard';
  readonly subject: string;
  readonly organizationId: string;
  readonly role: DashboardRole;
}

export type Caller = KeyCaller | DashboardCaller;

export type Access =
  /** Documents, SDK files and public endpoints: no credential. */
  | { readonly credential: 'none' }
  | {
      readonly credential: 'api-key' | 'dashboard' | 'dashboard-or-organization-key';
      /** Scope that an API key needs. */
      readonly scope?: string;
      /** Least role of a dashboard caller. */
      readonly role?: DashboardRole;
      /** Name of the path parameter that holds a project of the caller’s. */
      readonly project?: string;
    };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyInstance {
    /** Access of the routes of this scope that declare none themselves; for routes that a plugin registers. */
    defaultAccess: Access | null;
  }
}

export interface AccessDeps {
  /** The key’s record, or null where it is unknown, revoked or expired. */
  readonly findKey: (secret: string) => Promise<KeyCaller | null>;
  /** Throws a Fault INVALID_TOKEN where the token does not verify. */
  readonly verifyDashboardToken: (token: string) => Promise<DashboardCaller>;
  /** The organization that owns a project, or null. */
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
}

export function registerAccess(app: FastifyInstance, deps: AccessDeps): void {
  app.decorateRequest('caller', null);
  app.decorate('defaultAccess', null);
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    const access = route.config?.access ?? this.defaultAccess;
    if (access === null) throw new Error(`${String(route.method)} ${route.url} declares no access; see src/http/access.ts`);
    route.config = { ...route.config, access };
  });
  app.addHook('onRequest', async (request) => {
    const access = request.routeOptions.config.access;
    if (access === undefined || access.credential === 'none') return;
    request.caller = await authenticate(request, access.credential, deps);
    requireScope(request.caller, access.scope, access.role);
    if (access.project !== undefined) await requireProject(request, request.caller, access.project, deps);
  });
}

/** A scope whose plugin registers routes of its own, all of them open: documents and SDK files. */
export async function registerOpen(app: FastifyInstance, register: (scope: FastifyInstance) => Promise<void>): Promise<void> {
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

async function authenticate(request: FastifyRequest, credential: Exclude<Access['credential'], 'none'>, deps: AccessDeps): Promise<Caller> {
  const bearer = bearerOf(request.headers.authorization);
  const headerKey = request.headers['x-api-key'];
  const secret = typeof headerKey === 'string' ? headerKey : bearer?.startsWith('vf_') === true ? bearer : undefined;
  if (credential === 'api-key') return requireKey(secret ?? bearer, deps);
  if (secret === undefined) {
    if (bearer === undefined) throw new Fault('INVALID_TOKEN', 'Send a dashboard token as "Authorization: Bearer <token>".');
    return deps.verifyDashboardToken(bearer);
  }
  const caller = await requireKey(secret, deps);
  if (credential === 'dashboard' || caller.projectId !== null) {
    throw new Fault('INSUFFICIENT_SCOPE', credential === 'dashboard' ? 'This operation takes a dashboard token, not an API key.' : 'This operation takes a dashboard token or an organization key; a project key does not suffice.');
  }
  return caller;
}

async function requireKey(secret: string | undefined, deps: AccessDeps): Promise<KeyCaller> {
  const caller = secret === undefined ? null : await deps.findKey(secret);
  if (caller === null) throw new Fault('INVALID_KEY', 'Send a valid API key as X-API-Key or as "Authorization: Bearer <key>".');
  return caller;
}

function bearerOf(header: string | undefined): string | undefined {
  return header !== undefined && /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : undefined;
}

function requireScope(caller: Caller, scope: string | undefined, role: DashboardRole | undefined): void {
  if (caller.kind === 'key') {
    if (scope !== undefined && !caller.scopes.includes(scope)) throw new Fault('INSUFFICIENT_SCOPE', `This operation needs a key with the scope ${scope}.`);
    return;
  }
  if (role !== undefined && dashboardRoles.indexOf(caller.role) < dashboardRoles.indexOf(role)) {
    throw new Fault('INSUFFICIENT_SCOPE', `This operation needs the role ${role}; yours is ${caller.role}.`);
  }
}

async function requireProject(request: FastifyRequest, caller: Caller, parameter: string, deps: AccessDeps): Promise<void> {
  const projectId = (request.params as Readonly<Record<string, string>>)[parameter] ?? '';
  const owner = await deps.findProjectOwner(projectId);
  const ownKey = caller.kind !== 'key' || caller.projectId === null || caller.projectId === projectId;
  if (owner !== caller.organizationId || !ownKey) throw notFound('project');
}

/** The one 404 for things that are not there and things of others. */
export function notFound(what: string): Fault {
  return new Fault('NOT_FOUND', `There is no such ${what}.`);
}

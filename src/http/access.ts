/**
 * Who may call a route. Every route declares its access, or it does not register: its credential, the scope or role that it takes,
 * and the owner of what its path names. One hook resolves the credential, takes the call off the key’s limits, checks scope, role and
 * owner, and puts the caller on the request. Anything of another organization is a 404 with the body of a thing that never existed.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OAuthScope } from '../contract/oauth.js';
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
  readonly isTest: boolean;
  /** Minted by anybody for a trial of the integration. */
  readonly isDemo: boolean;
  readonly diagnosticsEnabled: boolean;
  /** An OAuth client with an access token stands in for a key: id and lineage are the client’s, the scopes those of the token. */
  readonly client?: true;
}

export interface DashboardCaller {
  readonly kind: 'dashboard';
  readonly subject: string;
  readonly organizationId: string;
  readonly role: DashboardRole;
}

export type Caller = KeyCaller | DashboardCaller;

export type Credential =
  'api-key' | 'organization-key' | 'dashboard' | 'dashboard-or-organization-key' | 'dashboard-or-key' | 'access-token';

export type Access =
  /** Documents, SDK files and public endpoints: no credential. */
  | { readonly credential: 'none' }
  | {
      readonly credential: Credential;
      /** Scope that an API key needs. */
      readonly scope?: string;
      /** Scopes of which an access token needs one. Absent: the route takes no access token. */
      readonly oauth?: readonly OAuthScope[];
      /** Least role of a dashboard caller. */
      readonly role?: DashboardRole;
      /** Name of the path parameter that holds a project of the caller’s. */
      readonly project?: string;
      /** Name of the path parameter that holds the caller’s organization. */
      readonly organization?: string;
      /** Name of the path parameter that holds a key of the project or organization in the path. */
      readonly key?: string;
      /** A demo key, which anybody may mint for measuring, is refused here whatever its scopes. */
      readonly demo?: 'refused';
      /** The handler takes the key’s limits itself, in a round trip that it makes anyway, and sets `rateTaken`; a call that fails before is taken off them on its way out. */
      readonly limits?: 'handler';
      /** The handler answers by calls to other routes on the caller’s behalf, and these are taken off its limits. */
      readonly relays?: true;
      /** Open to keys of an organization whose trial has ended: what describes and secures, as against what works. */
      readonly afterTrial?: true;
    };

type Guarded = Exclude<Access, { readonly credential: 'none' }>;

/** Path parameters that name something owned; a route that takes one says so in its access. */
const ownedParameters = { projectId: 'project', orgId: 'organization', keyId: 'key' } as const;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    caller: Caller | null;
    /** Whether this call was taken off the limits of its key. */
    rateTaken: boolean;
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
  /** Absent: no access token is taken. */
  readonly accessTokens?: AccessTokenReader;
  /** The organization that owns a project, or null. */
  readonly findProjectOwner: (projectId: string) => Promise<string | null>;
  /** Whose key this is (null project: the organization’s), or null. */
  readonly findKeyOwner: (
    keyId: string,
  ) => Promise<{ readonly organizationId: string; readonly projectId: string | null } | null>;
  /** Takes one call off the key’s limits; throws RATE_LIMIT_EXCEEDED where one is used up. */
  readonly takeKeyRate: (caller: KeyCaller) => Promise<void>;
  /** Throws TRIAL_EXPIRED where the organization’s trial has ended. */
  readonly requireTrial: (organizationId: string) => Promise<void>;
}

export interface AccessTokenReader {
  /** Whether a token says that this service issued it as an access token; nothing of it is believed by that. */
  isOurs(token: string): boolean;
  /** The client’s caller, of the whole organization. Throws a Fault INVALID_TOKEN where the token does not verify. */
  verify(token: string): Promise<KeyCaller>;
  /** The header WWW-Authenticate of a refusal. */
  challenge(): string;
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
  });
  app.addHook('onRequest', async (request) => {
    const access = request.routeOptions.config.access;
    if (access === undefined || access.credential === 'none') return;
    const caller = await authenticate(request, access, deps);
    request.caller = caller;
    if (caller.kind === 'key' && takesRateHere(caller, access)) await takeRate(request, caller, deps);
    if (caller.kind === 'key' && access.afterTrial !== true) await deps.requireTrial(caller.organizationId);
    requireKindOfKey(caller, access);
    requireScope(caller, access, deps);
    if (caller.kind === 'key' && caller.isDemo && access.demo === 'refused')
      throw new Fault('INSUFFICIENT_SCOPE', 'A demo key measures and changes nothing; use a key of the project.');
    await requireOwnership(request, caller, access, deps);
  });
}

/** A client’s limits hold over all its projects, so that no handler takes them as it looks at one. */
const takesRateHere = (caller: KeyCaller, { limits, relays }: Guarded): boolean =>
  relays !== true && (limits !== 'handler' || caller.client === true);

/**
 * Takes a call that failed off its key’s limits where nothing did so before: every request made with a key counts, also one whose body
 * is invalid. Throws RATE_LIMIT_EXCEEDED where a limit is used up.
 */
export async function takeOutstandingRate(
  request: FastifyRequest,
  deps: Pick<AccessDeps, 'takeKeyRate'>,
): Promise<void> {
  if (request.caller?.kind === 'key' && !request.rateTaken) await takeRate(request, request.caller, deps);
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

/** A scope whose plugin registers routes of its own, all of them open: documents and SDK files. */
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

/** The organization of whoever calls; for handlers of routes that take a credential. */
export function organizationOf(request: FastifyRequest): string {
  if (request.caller === null) throw new Error('the route does not require a credential');
  return request.caller.organizationId;
}

/** What to send where nothing was sent, by what the route takes beside a dashboard token. */
const missingCredential: Readonly<
  Record<Exclude<Guarded['credential'], 'api-key' | 'organization-key' | 'access-token'>, string>
> = {
  dashboard: 'Send a dashboard token as "Authorization: Bearer <token>".',
  'dashboard-or-key': 'Send a dashboard token as "Authorization: Bearer <token>", or an API key in X-API-Key.',
  'dashboard-or-organization-key':
    'Send a dashboard token as "Authorization: Bearer <token>", or an organization key in X-API-Key.',
};

async function authenticate(request: FastifyRequest, access: Guarded, deps: AccessDeps): Promise<Caller> {
  const { credential } = access;
  const bearer = bearerOf(request.headers.authorization);
  const headerKey = request.headers['x-api-key'];
  const bearerKey = bearer?.startsWith('vf_') === true ? bearer : undefined;
  const secret = typeof headerKey === 'string' ? headerKey : bearerKey;
  if (credential === 'access-token') return requireAccessToken(bearer, deps);
  if (secret === undefined && bearer !== undefined && deps.accessTokens?.isOurs(bearer) === true)
    return inNamedProject(request, access, await requireAccessToken(bearer, deps), deps);
  if (credential === 'api-key' || credential === 'organization-key') return requireKey(secret ?? bearer, deps);
  if (secret !== undefined) return requireKey(secret, deps);
  if (bearer === undefined) throw new Fault('INVALID_TOKEN', missingCredential[credential]);
  return deps.verifyDashboardToken(bearer);
}

async function requireAccessToken(bearer: string | undefined, { accessTokens }: AccessDeps): Promise<KeyCaller> {
  if (bearer !== undefined && accessTokens !== undefined) return accessTokens.verify(bearer);
  const headers = accessTokens === undefined ? {} : { 'www-authenticate': accessTokens.challenge() };
  throw new Fault('INVALID_TOKEN', 'Send an access token as "Authorization: Bearer <token>".', { headers });
}

/** Where a route takes the project from the key, a client names it in the header X-Project-Id; without it, it calls as an organization key does. */
async function inNamedProject(
  request: FastifyRequest,
  { credential, project }: Guarded,
  caller: KeyCaller,
  deps: AccessDeps,
): Promise<KeyCaller> {
  const projectId = request.headers['x-project-id'];
  if (typeof projectId !== 'string' || credential !== 'api-key' || project !== undefined) return caller;
  if ((await deps.findProjectOwner(projectId)) !== caller.organizationId) throw notFound('project');
  return { ...caller, projectId };
}

/** The kind of key that suffices for the route; every refusal says which does. A client is of the organization. */
function requireKindOfKey(caller: Caller, { credential, oauth }: Guarded): void {
  if (caller.kind !== 'key') return;
  if (caller.client === true) {
    if (oauth !== undefined) return;
    throw new Fault('INSUFFICIENT_SCOPE', 'This operation takes no access token, whatever its scopes.');
  }
  if (credential === 'api-key' || credential === 'dashboard-or-key') return;
  if (credential === 'dashboard')
    throw new Fault('INSUFFICIENT_SCOPE', 'This operation takes a dashboard token, not an API key.');
  if (caller.projectId === null) return;
  const needed = credential === 'organization-key' ? 'an organization key' : 'a dashboard token or an organization key';
  throw new Fault('INSUFFICIENT_SCOPE', `This operation takes ${needed}; a project key does not suffice.`);
}

async function requireKey(secret: string | undefined, deps: AccessDeps): Promise<KeyCaller> {
  const caller = secret === undefined ? null : await deps.findKey(secret);
  if (caller !== null) return caller;
  if (secret?.startsWith('pk_') === true)
    throw new Fault('INVALID_KEY', 'This is a probe key, which belongs on the page. Send the secret key ("vf_...").');
  throw new Fault('INVALID_KEY', 'Send a valid API key as X-API-Key or as "Authorization: Bearer <key>".');
}

function bearerOf(header: string | undefined): string | undefined {
  return header !== undefined && /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : undefined;
}

function requireScope(caller: Caller, { scope, role, oauth = [] }: Guarded, deps: AccessDeps): void {
  if (caller.kind === 'key' && caller.client === true) return requireGranted(caller, oauth, deps);
  if (caller.kind === 'key') {
    if (scope !== undefined && !caller.scopes.includes(scope))
      throw new Fault('INSUFFICIENT_SCOPE', `This operation needs a key with the scope ${scope}.`);
    return;
  }
  if (role !== undefined && dashboardRoles.indexOf(caller.role) < dashboardRoles.indexOf(role)) {
    throw new Fault('INSUFFICIENT_SCOPE', `This operation needs the role ${role}; yours is ${caller.role}.`);
  }
}

/** An empty list takes any access token. */
function requireGranted(caller: KeyCaller, oauth: readonly OAuthScope[], { accessTokens }: AccessDeps): void {
  if (oauth.length === 0 || oauth.some((scope) => caller.scopes.includes(scope))) return;
  throw new Fault('INSUFFICIENT_SCOPE', `This operation needs an access token with the scope ${oauth.join(' or ')}.`, {
    headers: {
      'www-authenticate': `${accessTokens?.challenge() ?? 'Bearer'}, error="insufficient_scope", scope="${oauth[0] ?? ''}"`,
    },
  });
}

/** The one place where ownership is decided: of the project, the organization and the key that a path names. */
async function requireOwnership(
  request: FastifyRequest,
  caller: Caller,
  access: Guarded,
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

/** The one 404 for things that are not there and things of others. */
export function notFound(what: string): Fault {
  return new Fault('NOT_FOUND', `There is no such ${what}.`);
}

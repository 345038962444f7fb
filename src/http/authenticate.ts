/** Identifies the caller: reads the API key, access token or dashboard token of a request and looks up its owner. */
import type { FastifyRequest } from 'fastify';
import { Fault } from '../errors.js';
import type { AccessDeps, Caller, KeyCaller } from '../kernel/caller.js';
import { notFound } from '../kernel/faults.js';
import type { GuardedAccess } from './access-declaration.js';

/** Error message for a request without a credential, by the route’s credential. */
const missingCredential: Readonly<
  Record<Exclude<GuardedAccess['credential'], 'api-key' | 'organization-key' | 'access-token'>, string>
> = {
  dashboard: 'The dashboard token is missing or invalid. Send it as `Authorization: Bearer`.',
  'dashboard-or-key':
    'The credential is missing or invalid. Send a dashboard token as `Authorization: Bearer`, or an API key as `X-API-Key`.',
  'dashboard-or-organization-key':
    'The credential is missing or invalid. Send a dashboard token as `Authorization: Bearer`, or an organization key as `X-API-Key`.',
};

const publicKeys = [
  ['pk_', 'Probe'],
  ['proj_', 'Site'],
] as const;

export async function authenticate(request: FastifyRequest, access: GuardedAccess, deps: AccessDeps): Promise<Caller> {
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
  throw new Fault('INVALID_TOKEN', 'The access token is missing or invalid. Send it as `Authorization: Bearer`.', {
    headers,
  });
}

/** If a route takes the project from the key, an OAuth client names it in X-Project-Id; without that header it calls as an organization key does. */
async function inNamedProject(
  request: FastifyRequest,
  { credential, project }: GuardedAccess,
  caller: KeyCaller,
  deps: AccessDeps,
): Promise<KeyCaller> {
  const projectId = request.headers['x-project-id'];
  const takesKey = credential === 'api-key' || credential === 'dashboard-or-key';
  if (typeof projectId !== 'string' || !takesKey || project !== undefined) return caller;
  if ((await deps.findProjectOwner(projectId)) !== caller.organizationId) throw notFound('project');
  return { ...caller, projectId };
}

/** Suppliers’ entrySecrets look like it, too. */
const surveyKey = /^[0-9a-f]{64}$/i;

async function requireKey(secret: string | undefined, deps: AccessDeps): Promise<KeyCaller> {
  const caller = secret === undefined ? null : await deps.findKey(secret);
  if (caller !== null) return caller;
  for (const [prefix, kind] of publicKeys)
    if (secret?.startsWith(prefix) === true)
      throw new Fault('INVALID_KEY', `${kind} keys can’t call the API. Send a secret key (\`vf_…\`).`);
  if (secret !== undefined && surveyKey.test(secret))
    throw new Fault(
      'INVALID_KEY',
      'This is no API key (`vf_…`). Send a study’s `surveyKey` as `Authorization: Bearer` to `POST $AUDIENCE/studies/{studyId}/returns` only.',
    );
  throw new Fault(
    'INVALID_KEY',
    'The API key is missing or invalid. Send it as `X-API-Key` or `Authorization: Bearer`.',
  );
}

function bearerOf(header: string | undefined): string | undefined {
  return header !== undefined && /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : undefined;
}

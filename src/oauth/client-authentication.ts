/**
 * Authenticates callers of the token endpoint by secret (client_secret_basic) or by assertion (private_key_jwt), never both. A refusal says the same and
 * takes the same work whatever was wrong. Failures are limited by client; a right credential passes, so that others cannot lock it out.
 */
import { timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../administration/api-keys.js';
import type { StoredClient } from '../administration/oauth-clients.js';
import type { Limits } from '../administration/request-limits.js';
import { acceptAssertion, assertionType, claimedClient, type AssertionDeps } from './assertions.js';
import { OAuthError } from './oauth-error.js';

export interface AuthenticationDeps extends AssertionDeps {
  readonly findClient: (clientId: string) => Promise<StoredClient | null>;
  readonly limits: Pick<Limits, 'takeFailedAuthentication'>;
}

/** Longest secret that is looked at; ours are 51 characters. */
const secretLengthMax = 256;
const nobody = Buffer.alloc(32);

export async function authenticateClient(
  deps: AuthenticationDeps,
  authorization: string | undefined,
  form: ReadonlyMap<string, string>,
): Promise<StoredClient> {
  const basic = readBasic(authorization);
  const assertion = form.get('client_assertion');
  if (form.has('client_secret'))
    throw new OAuthError(
      'invalid_request',
      'The secret is in the wrong place. Send it in the `Authorization` header (client_secret_basic).',
    );
  if (basic !== null && assertion !== undefined)
    throw new OAuthError('invalid_request', 'The request has a secret and an assertion. Send only one of them.');
  if (assertion !== undefined && form.get('client_assertion_type') !== assertionType)
    throw new OAuthError('invalid_request', `This client_assertion_type is not supported. Send ${assertionType}.`);
  const clientId = basic?.clientId ?? (assertion === undefined ? null : claimedClient(assertion));
  const client = clientId === null ? null : await deps.findClient(clientId);
  const named = form.get('client_id');
  const isAuthentic =
    assertion === undefined ? holdsSecret(client, basic?.secret ?? '') : await acceptAssertion(deps, client, assertion);
  if (client !== null && isAuthentic && (named === undefined || named === client.clientId)) return client;
  await deps.limits.takeFailedAuthentication(client?.clientId ?? null);
  throw new OAuthError(
    'invalid_client',
    'The client is unknown, revoked or not authenticated. Send its id and secret, or a new signed assertion.',
  );
}

function holdsSecret(client: StoredClient | null, secret: string): boolean {
  const given = hashSecret(secret.slice(0, secretLengthMax));
  const isRight = timingSafeEqual(given, client?.secretHash ?? nobody);
  return isRight && client !== null && client.secretHash !== null;
}

/** Reads a form strictly: a parameter that comes twice is refused (RFC 6749, 3.2), one without a value is absent, an unknown one is ignored. */
export function readForm(text: string): ReadonlyMap<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) throw new OAuthError('invalid_request', 'A parameter appears twice. Send it once.');
    form.set(name, value);
  }
  return new Map([...form].filter(([, value]) => value !== ''));
}

/** Both halves are form-encoded before they are joined (RFC 6749, 2.3.1). null where the header is none of this scheme. */
function readBasic(header: string | undefined): { readonly clientId: string; readonly secret: string } | null {
  if (header === undefined || !/^basic /i.test(header)) return null;
  const text = Buffer.from(header.slice('basic '.length).trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0)
    throw new OAuthError(
      'invalid_client',
      'The `Authorization` header is malformed. Send clientId:clientSecret in base64.',
    );
  try {
    return { clientId: decodePart(text.slice(0, colon)), secret: decodePart(text.slice(colon + 1)) };
  } catch {
    throw new OAuthError(
      'invalid_client',
      'The `Authorization` header is not form-encoded. Encode its values before base64.',
    );
  }
}

const decodePart = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));

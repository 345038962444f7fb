/**
 * Who asks the token endpoint: by secret (client_secret_basic) or by assertion (private_key_jwt), and by one of them alone. A refusal says the
 * same whatever was wrong, and takes the same work for a client that does not exist. Failures are limited by client; a right credential
 * passes whatever others tried, so that nobody is locked out by them.
 */
import { timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../administration/api-keys.js';
import type { StoredClient } from '../administration/oauth-clients.js';
import type { Limits } from '../administration/request-limits.js';
import { acceptAssertion, assertionType, claimedClient, type AssertionDeps } from './assertions.js';
import { OAuthError } from './oauth-error.js';
import { readBasic } from './token-form.js';

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
    throw new OAuthError('invalid_request', 'Send the secret in the header Authorization (client_secret_basic).');
  if (basic !== null && assertion !== undefined)
    throw new OAuthError('invalid_request', 'Authenticate by a secret or by an assertion, not by both.');
  if (assertion !== undefined && form.get('client_assertion_type') !== assertionType)
    throw new OAuthError('invalid_request', `client_assertion_type must be ${assertionType}.`);
  const clientId = basic?.clientId ?? (assertion === undefined ? null : claimedClient(assertion));
  const client = clientId === null ? null : await deps.findClient(clientId);
  const named = form.get('client_id');
  const isAuthentic =
    assertion === undefined ? holdsSecret(client, basic?.secret ?? '') : await acceptAssertion(deps, client, assertion);
  if (client !== null && isAuthentic && (named === undefined || named === client.clientId)) return client;
  await deps.limits.takeFailedAuthentication(client?.clientId ?? null);
  throw new OAuthError(
    'invalid_client',
    'The client is unknown, was revoked, or did not authenticate: send its id and secret as Basic, or a new assertion that one of its keys signs.',
  );
}

function holdsSecret(client: StoredClient | null, secret: string): boolean {
  const given = hashSecret(secret.slice(0, secretLengthMax));
  const isRight = timingSafeEqual(given, client?.secretHash ?? nobody);
  return isRight && client !== null && client.secretHash !== null;
}

/**
 * Making, rotating and revoking OAuth clients. Each write is audited, and known on every instance within a second. An organization key
 * hands out no scope whose counterpart it lacks.
 */
import { createPublicKey, randomBytes } from 'node:crypto';
import { invalid, notFound } from '../kernel/faults.js';
import type { Caller } from '../kernel/caller.js';
import { hashSecret } from '../administration/api-keys.js';
import { recordAudit, type Actor } from '../administration/audit.js';
import type { Directories } from '../administration/directories.js';
import {
  clientsMax,
  oauthScopes,
  type ClientKeySet,
  type MadeOAuthClient,
  type OAuthClientCreation,
  type OAuthClientRecord,
  type OAuthClientRotation,
  type OAuthScope,
} from '../contract/oauth.js';
import { makeId } from '../crypto/ids.js';
import { Fault, type Issue } from '../errors.js';
import type { Database, Queryable } from '../stores/database/port.js';
import { inOrganization } from '../stores/database/tenant.js';
import {
  countClients,
  insertClient,
  lockClient,
  replaceCredential,
  revokeClient,
  showClient,
  type AdministeredClient,
  type ClientCredential,
} from './client-store.js';

export interface ClientServiceDeps {
  readonly database: Database;
  readonly directories: Pick<Directories, 'clients'>;
}

export interface Asking {
  readonly organizationId: string;
  readonly caller: Caller | null;
  readonly actor: Actor;
}

const secretFamily = 'vfoauth_';
const rsaBitsMin = 2_048;
const rsaBitsMax = 8_192;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

export function createClientService({ database, directories }: ClientServiceDeps) {
  /** Works on a client of the organization’s, and forgets it afterwards. */
  async function onClient<T>(
    { organizationId, caller }: Asking,
    clientId: string,
    run: (tx: Queryable, client: AdministeredClient) => Promise<T>,
  ): Promise<T> {
    const result = await inOrganization(database, organizationId, async (tx) => {
      const client = await lockClient(tx, organizationId, clientId);
      if (client === null) throw notFound('OAuth client');
      requireReach(caller, client.scopes);
      return run(tx, client);
    });
    directories.clients.drop(clientId);
    return result;
  }

  return {
    create(asking: Asking, { name, scopes, jwks }: OAuthClientCreation): Promise<MadeOAuthClient> {
      requireReach(asking.caller, scopes);
      const { credential, shown } = makeCredential(jwks);
      const { organizationId } = asking;
      return inOrganization(database, organizationId, async (tx) => {
        const count = await countClients(tx, organizationId);
        // The organization of a dashboard token need not exist here.
        if (count === null) throw notFound('organization');
        if (count >= clientsMax)
          throw new Fault(
            'CONFLICT',
            `The organization has reached the limit of ${clientsMax} OAuth clients. Revoke one first.`,
          );
        const clientId = makeId('client');
        const client = await insertClient(tx, { clientId, organizationId, name, scopes }, credential);
        const { authentication } = showClient(client);
        await note(tx, asking, clientId, 'client.created', { name, scopes, authentication });
        return showMade(client, shown);
      });
    },

    rotate: (asking: Asking, clientId: string, { jwks }: OAuthClientRotation): Promise<MadeOAuthClient> =>
      onClient(asking, clientId, async (tx, client) => {
        if (client.revokedAt !== null) throw notFound('OAuth client');
        const { credential, shown } = makeCredential(jwks);
        const rotated = await replaceCredential(tx, clientId, credential);
        const { authentication } = showClient(rotated);
        await note(tx, asking, clientId, 'client.rotated', { authentication });
        return showMade(rotated, shown);
      }),

    revoke: (asking: Asking, clientId: string): Promise<OAuthClientRecord> =>
      onClient(asking, clientId, async (tx, client) => {
        if (client.revokedAt !== null) return showClient(client);
        const revoked = await revokeClient(tx, clientId);
        await note(tx, asking, clientId, 'client.revoked', { name: client.name });
        return showClient(revoked);
      }),
  };
}

const note = (
  tx: Queryable,
  { organizationId, actor }: Asking,
  clientId: string,
  action: 'client.created' | 'client.rotated' | 'client.revoked',
  detail: Readonly<Record<string, unknown>>,
): Promise<void> =>
  recordAudit(tx, actor, { organizationId, action, subject: { kind: 'client', id: clientId }, detail });

const showMade = (client: AdministeredClient, secret: string | null): MadeOAuthClient => ({
  ...{ clientId: client.clientId, name: client.name, scopes: [...client.scopes] },
  ...(secret === null ? {} : { clientSecret: secret }),
  createdAt: client.createdAt.toISOString(),
});

/** The keys that were handed in, or a new secret, which exists outside its owner’s hands this once. */
function makeCredential(jwks: ClientKeySet | undefined): {
  readonly credential: ClientCredential;
  readonly shown: string | null;
} {
  if (jwks !== undefined) return { credential: { secretHash: null, jwks: readKeySet(jwks) }, shown: null };
  const secret = secretFamily + randomBytes(32).toString('base64url');
  return { credential: { secretHash: hashSecret(secret), jwks: null }, shown: secret };
}

function requireReach(caller: Caller | null, scopes: readonly OAuthScope[]): void {
  if (caller?.kind !== 'key') return;
  const beyond = scopes.find((scope) => !caller.scopes.includes(oauthScopes[scope].keyScope));
  if (beyond !== undefined)
    throw new Fault(
      'INSUFFICIENT_SCOPE',
      `This key lacks ${oauthScopes[beyond].keyScope}, which a client with ${beyond} needs. Use a key that has it.`,
    );
}

/** Each key must be complete, of a kind that assertions may be signed with, and public. Only the members that verify are kept. */
function readKeySet({ keys }: ClientKeySet): ClientKeySet {
  const issues = keys.flatMap((key, index): readonly Issue[] => {
    const problem = problemOf(key);
    return problem === null ? [] : [{ path: `/jwks/keys/${index}`, message: problem }];
  });
  const kids = keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid]));
  if (new Set(kids).size < kids.length || (keys.length > 1 && kids.length < keys.length))
    issues.push({ path: '/jwks/keys', message: 'must each have a unique `kid`.' });
  if (issues.length > 0) throw invalid(issues);
  return {
    keys: keys.map(({ kty, kid, crv, x, y, n, e }) => ({
      kty,
      ...Object.fromEntries(
        Object.entries(kty === 'RSA' ? { kid, n, e } : { kid, crv, x, y }).filter(([, value]) => value !== undefined),
      ),
    })),
  };
}

function problemOf(key: ClientKeySet['keys'][number]): string | null {
  if (privateMembers.some((member) => member in key))
    return 'contains a private key. Discard that key and send only a public key.';
  if (key.kty === 'OKP' && key.crv !== 'Ed25519') return 'must have the crv Ed25519.';
  if (key.kty === 'EC' && key.crv !== 'P-256') return 'must have the crv P-256.';
  try {
    const { modulusLength } = createPublicKey({ key: { ...key }, format: 'jwk' }).asymmetricKeyDetails ?? {};
    const isFit = modulusLength === undefined || (modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax);
    return isFit ? null : `must have ${rsaBitsMin} to ${rsaBitsMax} bits.`;
  } catch {
    return 'is not a valid public key.';
  }
}

/**
 * Making, replacing, limiting and revoking keys. Each write is audited, and known on every instance within a second. A calling key is held
 * to its own reach: to test keys if it is one, to its scopes, and to its limits.
 */
import { notFound, invalid } from '../../kernel/faults.js';
import { modeOf, type Caller } from '../../kernel/caller.js';
import { requireManagedMode } from '../../kernel/managed-mode.js';
import {
  rateLimitDefaults,
  type KeyChange,
  type KeyCreation,
  type KeyRecord,
  type KeyRotation,
  type MintedKeyReply,
  type RateLimits,
} from '../../contract/api-key.js';
import { keyScopes } from '../../contract/key-scopes.js';
import { Fault } from '../../errors.js';
import { unknownValues } from '../../kernel/validation.js';
import type { Queryable } from '../../stores/database/port.js';
import type { AdministrationDeps } from '../deps.js';
import { mintKey, type KeyOwner } from '../../administration/api-keys.js';
import { recordAudit, type Actor } from '../../administration/audit.js';
import type { AuditAction } from '../../contract/audit.js';
import {
  findOwnedKey,
  introspect,
  isActive,
  replaceKey,
  revokeKey,
  setKeyLimits,
  showKey,
  type AdministeredKey,
} from './key-store.js';
import { inOrganization } from '../../stores/database/tenant.js';

const dayMs = 86_400_000;

export function createKeyService(deps: AdministrationDeps) {
  /** Runs on a key of the owner’s that is active and within the caller’s reach, and forgets it afterwards. */
  async function onActiveKey<T>(
    asking: Asking,
    owner: KeyOwner,
    keyId: string,
    run: (tx: Queryable, key: AdministeredKey) => Promise<T>,
  ): Promise<T> {
    const { result, hash } = await inOrganization(deps.database, owner.organizationId, async (tx) => {
      const key = await findOwnedKey(tx, owner, keyId, { lock: true });
      if (key === null || !isActive(key, deps.now())) throw notFound('key');
      requireReach(asking.caller, key);
      return { result: await run(tx, key), hash: key.secretHash };
    });
    deps.directories.dropKey(hash);
    return result;
  }

  return {
    create: (asking: Asking, owner: KeyOwner, creation: KeyCreation): Promise<MintedKeyReply> =>
      createKey(deps, asking, owner, creation),

    rotate: (asking: Asking, owner: KeyOwner, keyId: string, { expiresInDays }: KeyRotation): Promise<MintedKeyReply> =>
      onActiveKey(asking, owner, keyId, async (tx, key) => {
        const minted = await replaceKey(tx, key, expiryOf(deps, expiresInDays));
        await recordWrite(tx, asking.actor, owner, 'key.rotated', minted.keyId, {
          replaced: keyId,
          expiresAt: minted.expiresAt?.toISOString() ?? null,
        });
        return {
          ...introspect({ ...key, keyId: minted.keyId, expiresAt: minted.expiresAt }),
          name: key.name,
          apiKey: minted.secret,
          apiKeyPrefix: minted.prefix,
        };
      }),

    changeLimits: (asking: Asking, owner: KeyOwner, keyId: string, { rateLimits }: KeyChange): Promise<KeyRecord> =>
      onActiveKey(asking, owner, keyId, async (tx, key) => {
        const limits = { ...key.limits, ...rateLimits };
        requireCeiling(asking.caller, owner, limits, key.limits);
        await setKeyLimits(tx, keyId, limits);
        await recordWrite(tx, asking.actor, owner, 'key.limits_changed', keyId, { from: key.limits, to: limits });
        return showKey({ ...key, limits }, deps.now());
      }),

    revoke: (asking: Asking, owner: KeyOwner, keyId: string): Promise<KeyRecord> =>
      onActiveKey(asking, owner, keyId, async (tx, key) => {
        await revokeKey(tx, keyId);
        await recordWrite(tx, asking.actor, owner, 'key.revoked', keyId, { name: key.name, projectId: key.projectId });
        return showKey({ ...key, revokedAt: new Date(deps.now()) }, deps.now());
      }),
  };
}

const recordWrite = (
  tx: Queryable,
  actor: Actor,
  { organizationId }: KeyOwner,
  action: AuditAction,
  id: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> => recordAudit(tx, actor, { organizationId, action, subject: { kind: 'key', id }, detail });

function expiryOf({ now }: Pick<AdministrationDeps, 'now'>, days: number | undefined): Date | undefined {
  return days === undefined ? undefined : new Date(now() + days * dayMs);
}

async function createKey(
  deps: AdministrationDeps,
  { caller, actor }: Asking,
  owner: KeyOwner,
  { name = 'Key', expiresInDays, scopes, isTest = false, diagnosticsEnabled = false, rateLimits = {} }: KeyCreation,
): Promise<MintedKeyReply> {
  const kind = owner.projectId === null ? 'organization' : 'project';
  const wanted = scopes ?? keyScopes[kind];
  const expiresAt = expiryOf(deps, expiresInDays) ?? null;
  requireKnownScopes(wanted, keyScopes[kind]);
  requireReach(caller, { isTest, isDemo: false, scopes: wanted });
  const limits = { ...rateLimitDefaults, ...rateLimits };
  return inOrganization(deps.database, owner.organizationId, async (tx) => {
    const minted = await mintKey(tx, { ...owner, name, isTest, diagnosticsEnabled, scopes: wanted, limits, expiresAt });
    await recordWrite(tx, actor, owner, 'key.created', minted.keyId, {
      projectId: owner.projectId,
      name,
      isTest,
      scopes: wanted,
      expiresAt: expiresAt?.toISOString() ?? null,
    });
    const key = await findOwnedKey(tx, owner, minted.keyId);
    if (key === null) throw new Error('a key that was just minted is missing');
    return { ...introspect(key), name, apiKey: minted.secret, apiKeyPrefix: minted.prefix };
  });
}

function requireKnownScopes(scopes: readonly string[], known: readonly string[]): void {
  const issues = unknownValues(scopes, known, { path: '/scopes', what: 'a scope of this kind of key' });
  if (issues.length > 0) throw invalid(issues);
}

/**
 * A key cannot lift limits of its tier above its own: a leaked one would decide how often it may be used. An organization key sets those of
 * project keys freely. Anyone may lower.
 */
function requireCeiling(caller: Caller | null, owner: KeyOwner, wanted: RateLimits, standing: RateLimits): void {
  if (caller?.kind !== 'key' || (caller.projectId === null && owner.projectId !== null)) return;
  for (const limit of ['perMinute', 'perDay'] as const) {
    if (wanted[limit] <= standing[limit] || wanted[limit] <= caller.limits[limit]) continue;
    throw new Fault(
      'INSUFFICIENT_SCOPE',
      `\`rateLimits.${limit}\` is above this key’s own ${caller.limits[limit]}. Use ${owner.projectId === null ? 'a dashboard token' : 'an organization key or a dashboard token'}.`,
    );
  }
}

export interface Asking {
  readonly caller: Caller | null;
  readonly actor: Actor;
}

/** How far a calling key reaches: to keys of modes that it manages, and to none with a scope that it lacks. */
export function requireReach(
  caller: Caller | null,
  key: { readonly isTest: boolean; readonly isDemo: boolean; readonly scopes: readonly string[] },
): void {
  if (caller?.kind !== 'key') return;
  requireManagedMode(modeOf(caller), modeOf(key), 'keys');
  const beyond = key.scopes.find((scope) => !caller.scopes.includes(scope));
  if (beyond !== undefined)
    throw new Fault('INSUFFICIENT_SCOPE', `This key lacks ${beyond}. Use a key that has it, or a dashboard token.`);
}

/**
 * The Ed25519 keys of vh_token and of access tokens: sealed in the database under a key that derives from the master key, rotated by whichever
 * instance finds that it is time. Every instance reads them again every few minutes. While the database is away the keys read last go on.
 *
 *     next ──2 h published──▶ current ──its time is over──▶ previous ──longest token lifetime + 1 h──▶ gone
 *
 * Verifiers cache the key set for an hour, so a key is published before it signs, and for as long as its tokens live.
 */
import { Buffer } from 'node:buffer';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { JsonWebKeySet } from '../../contract/token.js';
import { createSealer, type Sealer, type SealingKeys } from '../../crypto/sealing.js';
import type { Database } from '../../stores/database/port.js';
import { startRounds } from '../../stores/rounds.js';
import type { Logger } from '../../telemetry/logger.js';
import { writePart } from '../../crypto/compact-jws.js';
import { studyTokenSeconds } from '../../limits.js';
import { tokenLifetimeSeconds } from './verification-token.js';

const refreshMs = 300_000;
const keysMax = 100;

interface TokenKey extends KeyTimes {
  readonly keyId: string;
  readonly x: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export type TokenKeys = Awaited<ReturnType<typeof openTokenKeys>>;

export interface TokenKeysDeps {
  readonly database: Database;
  readonly masterKeys: SealingKeys;
  readonly logger: Logger;
  readonly now: () => number;
  readonly rotationDays: number;
}

/** Opens the keys; the first instance on an empty database makes the first one. */
export async function openTokenKeys({ database, masterKeys, logger, now, rotationDays }: TokenKeysDeps) {
  const sealer = createSealer(masterKeys, 'token-keys');
  const rotationMs = rotationDays * 86_400_000;
  let keys: readonly TokenKey[] = [];
  const plan = (): KeyPlan<TokenKey> => planKeys(keys, rotationMs, now());

  async function refresh(): Promise<void> {
    keys = await readKeys(database, sealer);
    const { due, goneUpTo } = plan();
    if (due !== null) {
      await insertKey(database, sealer, due, now());
      keys = await readKeys(database, sealer);
    }
    if (goneUpTo > 0) await database.query('DELETE FROM token_keys WHERE generation <= $1', [goneUpTo]);
  }

  await refresh();
  const onError = (error: unknown): void =>
    logger.warn({ err: error }, 'reading vh_token keys failed; cached keys stay in use and the next round retries');
  const rounds = startRounds({ everyMs: refreshMs, work: refresh, onError });
  return {
    /** Reads the keys again, and makes the next where it is due. */
    refresh,
    /** The public keys, the newest last. */
    keySet(): JsonWebKeySet {
      const common = { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' } as const;
      return { keys: plan().published.map(({ keyId, x }) => ({ ...common, x, kid: keyId })) };
    },
    /** A published key, or null. */
    publicKey: (keyId: string): KeyObject | null =>
      plan().published.find((key) => key.keyId === keyId)?.publicKey ?? null,
    /** Signs off the main thread. `type` distinguishes kinds of tokens. */
    async sign(claims: object, type: string): Promise<string> {
      const { current } = plan();
      if (current === null) throw new Error('no key of vh_token has its time');
      const signed = `${writePart({ alg: 'EdDSA', typ: type, kid: current.keyId })}.${writePart(claims)}`;
      return `${signed}.${Buffer.from(await signBytes(current.privateKey, signed)).toString('base64url')}`;
    },
    close: (): void => void rounds.stop(),
  };
}

async function readKeys(database: Database, sealer: Sealer): Promise<readonly TokenKey[]> {
  const rows = await database.query<{ generation: number; sealed: Uint8Array; signs_from: Date }>(
    `SELECT generation, sealed, signs_from FROM token_keys ORDER BY generation DESC LIMIT ${keysMax}`,
  );
  return rows.map(({ generation, sealed, signs_from }) => {
    const der = Buffer.from(sealer.unseal(sealed, contextOf(generation)));
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(privateKey);
    const { x = '' } = publicKey.export({ format: 'jwk' });
    return { generation, signsFromMs: signs_from.getTime(), privateKey, publicKey, x, keyId: thumbprintOf(x) };
  });
}

/** If several instances make the same generation at once, one succeeds. */
async function insertKey(
  database: Database,
  sealer: Sealer,
  { generation, signsFromMs }: KeyTimes,
  nowMs: number,
): Promise<void> {
  const der = generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' });
  await database.query(
    'INSERT INTO token_keys (generation, sealed, created_at, signs_from) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [generation, sealer.seal(der, contextOf(generation)), new Date(nowMs), new Date(signsFromMs)],
  );
}

/** RFC 7638. */
const thumbprintOf = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');

const contextOf = (generation: number): Buffer => Buffer.from(`token-key\n${generation}`);

function signBytes(key: KeyObject, text: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    sign(null, Buffer.from(text), key, (error, signature) => (error ? reject(error) : resolve(signature)));
  });
}

export const publishAheadMs = 2 * 3_600_000;
export const keepMs = Math.max(tokenLifetimeSeconds, studyTokenSeconds) * 1_000 + 3_600_000;

export interface KeyTimes {
  readonly generation: number;
  readonly signsFromMs: number;
}

export interface KeyPlan<K extends KeyTimes> {
  /** null where there is no key at all, or none whose time has come. */
  readonly current: K | null;
  readonly published: readonly K[];
  /** The key that has to be made now, or null. */
  readonly due: KeyTimes | null;
  /** Generations up to this one are of no use any more. */
  readonly goneUpTo: number;
}

export function planKeys<K extends KeyTimes>(keys: readonly K[], rotationMs: number, nowMs: number): KeyPlan<K> {
  const ordered = [...keys].sort((a, b) => a.generation - b.generation);
  const started = ordered.filter((key) => key.signsFromMs <= nowMs);
  const current = started.at(-1) ?? null;
  const newest = ordered.at(-1) ?? null;
  const gone = started.filter((_, index) => {
    const successor = started[index + 1];
    return successor !== undefined && successor.signsFromMs + keepMs <= nowMs;
  });
  return {
    current,
    published: ordered.filter((key) => !gone.includes(key)),
    due: dueKey(newest, rotationMs, nowMs),
    goneUpTo: gone.at(-1)?.generation ?? 0,
  };
}

function dueKey(newest: KeyTimes | null, rotationMs: number, nowMs: number): KeyTimes | null {
  // The very first signs at once: nobody has cached a set without it.
  if (newest === null) return { generation: 1, signsFromMs: nowMs };
  if (nowMs < newest.signsFromMs + rotationMs - publishAheadMs) return null;
  return { generation: newest.generation + 1, signsFromMs: nowMs + publishAheadMs };
}

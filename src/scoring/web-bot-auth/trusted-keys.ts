/**
 * The keys of agents that are trusted, from configuration alone: nothing is fetched. A list that cannot be used is an error that
 * names the setting VH_TRUSTED_AGENT_KEYS and the entry at fault; a part of a list is never used.
 */
import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readJson } from '../../config/read-json.js';

export interface TrustedAgentKey {
  /** Name of the agent, as verdicts will show it. */
  readonly agent: string;
  /** Public Ed25519 key. */
  readonly jwk: JsonWebKey;
}

export interface ImportedAgentKey {
  readonly agent: string;
  readonly key: KeyObject;
}

const setting = 'VH_TRUSTED_AGENT_KEYS';
const agentLengthMax = 256;
const keysMax = 10_000;

/** Reads the file: a JSON list of `{ agent, jwk }`. Rejects with a sentence for the operator. */
export async function readTrustedAgentKeys(path: string): Promise<readonly TrustedAgentKey[]> {
  const list = await readJson(setting, path);
  if (!Array.isArray(list)) throw new Error(`${setting} names ${path}, which is not a list of { agent, jwk }.`);
  const keys = list.map((entry: unknown, index) => checkEntry(entry, index));
  importTrustedKeys(keys);
  return keys;
}

/** The keys by their RFC 7638 thumbprint, which is what a signature’s keyid must be. Throws for an entry that is not usable. */
export function importTrustedKeys(keys: readonly TrustedAgentKey[]): ReadonlyMap<string, ImportedAgentKey> {
  if (keys.length > keysMax) throw new Error(`${setting} has more than ${keysMax} entries.`);
  const imported = new Map<string, ImportedAgentKey>();
  keys.forEach(({ agent, jwk }, index) => {
    const key = importKey(jwk, index);
    const keyid = computeThumbprint(key);
    const holder = imported.get(keyid);
    if (holder !== undefined)
      throw fault(index, `has the same key as an earlier entry, ${JSON.stringify(holder.agent)}`);
    imported.set(keyid, { agent, key });
  });
  return imported;
}

/** RFC 7638: SHA-256 over the key’s required members, in base64url. */
export function computeThumbprint(key: KeyObject): string {
  const { crv, kty, x } = key.export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}

function checkEntry(entry: unknown, index: number): TrustedAgentKey {
  const { agent, jwk } = typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>) : {};
  if (typeof agent !== 'string' || agent.trim() === '' || agent.length > agentLengthMax)
    throw fault(index, `needs "agent", a name of 1 to ${agentLengthMax} characters`);
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk))
    throw fault(index, 'needs "jwk", a public key as an object');
  return { agent, jwk: jwk as JsonWebKey };
}

function importKey(jwk: JsonWebKey, index: number): KeyObject {
  if ('d' in jwk) throw fault(index, 'holds a private key; give the public part alone, without "d"');
  if (jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519')
    throw fault(index, 'is not an Ed25519 key ("kty": "OKP", "crv": "Ed25519")');
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch (cause) {
    throw new Error(fault(index, 'has an "x" that is no Ed25519 public key').message, { cause });
  }
}

function fault(index: number, problem: string): Error {
  return new Error(`${setting}: entry ${index} ${problem}.`);
}

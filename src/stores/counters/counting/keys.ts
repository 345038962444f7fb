/**
 * Names of all keys that counting reads and writes. One project’s keys lie in one slot: the braces make its id the hash tag. docs/internals/redis-keys.md
 * describes each.
 */
import { splitNamespace, type Namespace } from '../namespace.js';

/** Keys of a mode other than the live one begin with its name. */
export function tagOf(namespace: Namespace): string {
  const { holder, mode } = splitNamespace(namespace);
  return mode === '' ? `{${holder}}:` : `{${holder}}:~${mode}:`;
}

export type Keys = ReturnType<typeof keysOf>;

/** `home` is the project’s, whatever mode is counted in; `base` the mode’s; `at` the scope’s. */
export function keysOf(namespace: Namespace, scope: string) {
  const base = tagOf(namespace);
  const at = `${base}${scope}:`;
  return {
    at,
    guard: (session: string) => `${base}s:${session}`,
    receipt: (receiptId: string) => `${base}q:${receiptId}`,
    history: (subject: string) => `${base}o:${subject}`,
    complete: `${base}complete`,
    idempotency: (key: string) => `${base}i:${key}`,
    signature: (signature: string) => `${base}g:${signature}`,
    source: (source: string) => `${base}b:${source}`,
    sourceVolume: (source: string, hour: number) => `${base}bh:${source}:${hour}`,
    sourceHour: (source: string, hourOfWeek: number) => `${base}bw:${source}:${hourOfWeek}`,
    person: (kind: 'R' | 'D', ref: string) => `${base}v:${kind}${ref}`,
    terms: (week: number) => `${base}t:${week}`,
    record: (session: string) => `${at}k:${session}`,
    identity: (kind: 'R' | 'D', ref: string) => `${at}e:${kind}${ref}`,
    address: (address: string) => `${at}a:${address}`,
    network: (prefix: string) => `${at}f:${prefix}`,
    window: `${at}w`,
    bands: `${at}y`,
    bandsOf: (generation: number) => `${at}y${generation}`,
  };
}

export const probeKeyOf = (projectId: string, session: string): string => `${tagOf(projectId)}p:${session}`;
export const nonceKeyOf = (projectId: string, nonce: string): string => `${tagOf(projectId)}n:${nonce}`;

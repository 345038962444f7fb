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

/** `base` is the mode’s, `at` the scope’s. */
export class Keys {
  constructor(
    private readonly base: string,
    private readonly at: string,
  ) {}

  guard(session: string): string {
    return `${this.base}s:${session}`;
  }

  receipt(receiptId: string): string {
    return `${this.base}q:${receiptId}`;
  }

  history(subject: string): string {
    return `${this.base}o:${subject}`;
  }

  get complete(): string {
    return `${this.base}complete`;
  }

  idempotency(key: string): string {
    return `${this.base}i:${key}`;
  }

  signature(signature: string): string {
    return `${this.base}g:${signature}`;
  }

  source(source: string): string {
    return `${this.base}b:${source}`;
  }

  sourceVolume(source: string, hour: number): string {
    return `${this.base}bh:${source}:${hour}`;
  }

  sourceHour(source: string, hourOfWeek: number): string {
    return `${this.base}bw:${source}:${hourOfWeek}`;
  }

  person(kind: 'R' | 'D', ref: string): string {
    return `${this.base}v:${kind}${ref}`;
  }

  terms(week: number): string {
    return `${this.base}t:${week}`;
  }

  record(session: string): string {
    return `${this.at}k:${session}`;
  }

  identity(kind: 'R' | 'D', ref: string): string {
    return `${this.at}e:${kind}${ref}`;
  }

  address(address: string): string {
    return `${this.at}a:${address}`;
  }

  network(prefix: string): string {
    return `${this.at}f:${prefix}`;
  }

  get window(): string {
    return `${this.at}w`;
  }

  get bands(): string {
    return `${this.at}y`;
  }

  bandsOf(generation: number): string {
    return `${this.at}y${generation}`;
  }
}

export function keysOf(namespace: Namespace, scope: string): Keys {
  const base = tagOf(namespace);
  return new Keys(base, `${base}${scope}:`);
}

export const probeKeyOf = (projectId: string, session: string): string => `${tagOf(projectId)}p:${session}`;
export const nonceKeyOf = (projectId: string, nonce: string): string => `${tagOf(projectId)}n:${nonce}`;

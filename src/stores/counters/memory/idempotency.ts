/**
 * Which body and receipt an idempotency key of a caller stands for, for as long as the receipt is kept.
 */
import { bounds } from '../bounds.js';
import type { ScoreCountInput } from '../port.js';
import type { Keyspace } from './keyspace.js';

interface Promised {
  readonly fingerprint: string;
  readonly receiptId: string;
  /** When the receipt was given. */
  readonly atMs: number;
}

type Call = Pick<ScoreCountInput, 'namespace' | 'nowMs' | 'fingerprint' | 'idempotency'>;

export function createIdempotency(keyspace: Keyspace) {
  const keys = keyspace.table<Promised>('idempotency');
  return {
    find: ({ namespace, nowMs, idempotency }: Call): Promised | undefined =>
      idempotency == null ? undefined : keys.get(`${namespace}:${idempotency}`, nowMs),
    note: (
      { namespace, fingerprint, idempotency }: Call,
      { receiptId, atMs }: Pick<Promised, 'receiptId' | 'atMs'>,
    ): void => {
      if (idempotency != null)
        keys.set(`${namespace}:${idempotency}`, { fingerprint, receiptId, atMs }, atMs, bounds.receiptMs);
    },
  };
}

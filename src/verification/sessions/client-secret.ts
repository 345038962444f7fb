/**
 * A session’s client secret: 32 random bytes, kept as SHA-256 only and compared in constant time.
 *
 * Wrong secrets are counted by address, or its /64. Once the count is used up, further wrong ones are 429. A right one is always taken: nobody
 * guesses 32 bytes, and behind one address many may sit. With the counters store away wrong secrets stay 401.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { rateLimited } from '../../kernel/faults.js';
import { Fault } from '../../errors.js';
import type { Address } from '../../net/address.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { withoutCounters } from '../../telemetry/without-counters.js';

export const secretBytes = 32;
export const wrongSecretsPerAddress = 100;
const windowSeconds = 600;
/** Longest header that is looked at. */
const secretLengthMax = 128;

export interface SecretGuardDeps {
  readonly counters: Pick<Counters, 'takeRate'>;
  readonly metrics: Pick<Metrics, 'wrongClientSecrets' | 'storeFailures'>;
  readonly now: () => number;
}

export type SecretGuard = ReturnType<typeof createSecretGuard>;

const nobody = Buffer.alloc(32);

export const hashClientSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export function createSecretGuard({ counters, metrics, now }: SecretGuardDeps) {
  async function count(address: Address | null): Promise<void> {
    const place = address?.place ?? '';
    const limit = { key: 'secret:address', limit: wrongSecretsPerAddress, windowSeconds };
    const rate = await counters.takeRate(place, now(), [limit]).catch(withoutCounters(metrics));
    if (rate?.allowed === false) throw rateLimited('This address', rate, 'tries with a wrong client secret');
  }

  return {
    /** Throws INVALID_CLIENT_SECRET or RATE_LIMIT_EXCEEDED unless the secret is the session’s. `session` null: there is none. */
    async check(
      address: Address | null,
      secret: string | undefined,
      session: { readonly secretHash: Uint8Array } | null,
      hint = 'Send the clientSecret that the session was created with as X-Client-Secret.',
    ): Promise<void> {
      const given = secret !== undefined && secret.length <= secretLengthMax ? hashClientSecret(secret) : nobody;
      const isRight = timingSafeEqual(given, session?.secretHash ?? nobody) && session !== null && secret !== undefined;
      if (isRight) return;
      metrics.wrongClientSecrets.inc();
      if (secret !== undefined) await count(address);
      throw new Fault('INVALID_CLIENT_SECRET', hint);
    },
  };
}

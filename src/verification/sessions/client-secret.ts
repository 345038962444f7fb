/**
 * A session’s client secret: 32 random bytes, kept as SHA-256 only and compared in constant time.
 *
 * Wrong secrets are counted by session, and by project and address. Once either count is used up, further wrong ones are 429; and the address
 * that used it up is not listened to for that session any more until the window ends, whatever it sends, so that trying on is of no use.
 * A respondent at another address is not locked out by it. With the counters store away wrong secrets stay 401 and are counted here only.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { rateLimited } from '../../kernel/faults.js';
import { Fault } from '../../errors.js';
import type { RateState } from '../../contract/rate.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Metrics } from '../../telemetry/metrics.js';

export const secretBytes = 32;
export const wrongSecretsPerSession = 20;
export const wrongSecretsPerAddress = 100;
const windowSeconds = 600;
const cutOffMax = 50_000;
/** Longest header that is looked at. */
const secretLengthMax = 128;

export interface SecretGuardDeps {
  readonly counters: Pick<Counters, 'takeRate'>;
  readonly metrics: Pick<Metrics, 'wrongClientSecrets' | 'storeFailures'>;
  readonly now: () => number;
}

/** Who tries, and at what. */
export interface Attempt {
  readonly sessionId: string;
  readonly address: string;
}

export type SecretGuard = ReturnType<typeof createSecretGuard>;

const nobody = Buffer.alloc(32);

export const hashClientSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export function createSecretGuard({ counters, metrics, now }: SecretGuardDeps) {
  const cutOff = new LRUCache<string, { readonly rate: RateState; readonly untilMs: number }>({ max: cutOffMax });
  const nameOf = ({ sessionId, address }: Attempt): string => `${sessionId}\n${address}`;

  async function count(attempt: Attempt, projectId: string): Promise<void> {
    const rate = await counters
      .takeRate(projectId, now(), [
        { key: `secret:${attempt.sessionId.slice(0, 64)}`, limit: wrongSecretsPerSession, windowSeconds },
        { key: `secret-address:${attempt.address}`, limit: wrongSecretsPerAddress, windowSeconds },
      ])
      .catch((error: unknown) => {
        if (!(error instanceof Fault) || error.code !== 'STORE_UNAVAILABLE') throw error;
        metrics.storeFailures.inc({ store: 'counters' });
        return null;
      });
    if (rate === null || rate.allowed) return;
    cutOff.set(nameOf(attempt), { rate, untilMs: now() + rate.resetInSeconds * 1_000 });
    throw rateLimited(whoIsCutOff, rate);
  }

  return {
    /** Throws where this address was cut off from this session; looks at nothing else. */
    requireOpen(attempt: Attempt): void {
      const cut = cutOff.get(nameOf(attempt));
      if (cut === undefined || cut.untilMs <= now()) return;
      throw rateLimited(whoIsCutOff, { ...cut.rate, resetInSeconds: (cut.untilMs - now()) / 1_000 });
    },
    /** Throws INVALID_CLIENT_SECRET or RATE_LIMIT_EXCEEDED unless the secret is the session’s. `session` null: there is none. */
    async check(
      attempt: Attempt,
      secret: string | undefined,
      session: { readonly projectId: string; readonly secretHash: Uint8Array } | null,
      hint = 'Send the clientSecret that the session was created with as X-Client-Secret.',
    ): Promise<void> {
      const given = secret !== undefined && secret.length <= secretLengthMax ? hashClientSecret(secret) : nobody;
      const isRight = timingSafeEqual(given, session?.secretHash ?? nobody) && session !== null && secret !== undefined;
      if (isRight) return;
      metrics.wrongClientSecrets.inc();
      if (secret !== undefined) await count(attempt, session?.projectId ?? 'sessions');
      throw new Fault('INVALID_CLIENT_SECRET', hint);
    },
  };
}

const whoIsCutOff = 'Wrong client secrets';

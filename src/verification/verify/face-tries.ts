/**
 * Failed tries with a face are counted by project and address, so that no page compares faces without end. An address that has used its tries up
 * gets 429 for envelopes with a face until the window ends; a session without one goes through. Respondents whom a backend or a link named are
 * counted apart, so that a stranger behind their address does not lock them out. So are calls with contradictory forwarding headers, under the
 * address of their proxy. With the counters store away nothing is counted, and nothing of an address that nobody has on the internet.
 */
import { LRUCache } from 'lru-cache';
import type { Envelope } from '../../contract/envelope.js';
import { isCarrierOrCampus, type AddressFacts } from '../../contract/facts.js';
import type { RateState } from '../../contract/rate.js';
import { sharedAddressFactor } from '../../administration/request-limits.js';
import { Fault } from '../../errors.js';
import { rateLimited } from '../../kernel/faults.js';
import type { Address } from '../../net/address.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { StoredSession } from '../sessions/session-store.js';

export const failedFacesPerAddress = 60;
const windowSeconds = 3_600;
const cutOffMax = 50_000;
/** A person takes longer to start, and to do what each challenge asks. */
const captureMsMin = 1_000;

export interface FaceTriesDeps {
  readonly counters: Pick<Counters, 'takeRate'>;
  readonly metrics: Pick<Metrics, 'storeFailures'>;
  readonly now: () => number;
}

/** Signals of a capture that was made up: no picture makes it good, and it reveals nothing of a face. */
const impossible: readonly string[] = [
  'session_mismatch',
  'published_example',
  'commitment_broken',
  'capture_time_impossible',
  'frame_times_impossible',
];

export const isMadeUp = (signals: readonly { readonly type: string }[]): boolean =>
  signals.some(({ type }) => impossible.includes(type));

/**
 * Whether a verdict was about a face that followed the service's own challenges to their end, for as long as that takes a person. Anything else fails
 * and reveals nothing.
 */
export function isFaceTry(
  { embedding, evidenceFrames, nonce, challenges = [], frames }: Envelope,
  session: Pick<StoredSession, 'nonce' | 'challengeCount' | 'challengeCalls' | 'createdAt'>,
  receivedAtMs: number,
  signals: Parameters<typeof isMadeUp>[0] = [],
): boolean {
  const named = new Set(challenges?.map(({ id }) => id));
  const replies = session.challengeCalls.map(({ reply }) => reply);
  const isFollowed = replies.every((reply) => 'done' in reply || named.has(reply.id));
  const isOver = session.challengeCount === 0 || replies.some((reply) => 'done' in reply);
  const hasFace = (embedding ?? evidenceFrames) != null && frames != null;
  const lastedMs = Math.min(frames?.atMs.at(-1) ?? 0, receivedAtMs - session.createdAt.getTime());
  const tookTime = lastedMs >= captureMsMin * (1 + session.challengeCount);
  return hasFace && nonce === session.nonce && isFollowed && isOver && tookTime && !isMadeUp(signals);
}

type NamedBy = Pick<StoredSession, 'respondentTrusted'>;

export type FaceTries = ReturnType<typeof createFaceTries>;

export function createFaceTries({ counters, metrics, now }: FaceTriesDeps) {
  const cutOff = new LRUCache<string, { readonly rate: RateState; readonly untilMs: number }>({ max: cutOffMax });
  const keyOf = (address: Address | null, { respondentTrusted }: NamedBy): string =>
    `${respondentTrusted ? 'named-' : ''}${address?.isDisputed === true ? 'disputed-' : ''}faces:${address?.place ?? ''}`;

  return {
    /** Throws RATE_LIMIT_EXCEEDED where the address has used its tries up. */
    requireOpen(projectId: string, address: Address | null, session: NamedBy): void {
      const cut = cutOff.get(`${projectId}\n${keyOf(address, session)}`);
      if (cut === undefined || cut.untilMs <= now()) return;
      const resetInSeconds = (cut.untilMs - now()) / 1_000;
      throw rateLimited('This address', { ...cut.rate, resetInSeconds }, 'failed camera checks');
    },
    /** `facts`: of the address; null if nobody has it on the internet. */
    async countFailed(
      projectId: string,
      address: Address | null,
      session: NamedBy,
      facts: Pick<AddressFacts, 'network'> | null,
    ): Promise<void> {
      if (facts === null && address?.isDisputed !== true) return;
      const key = keyOf(address, session);
      const allowed = failedFacesPerAddress * (isCarrierOrCampus(facts?.network ?? null) ? sharedAddressFactor : 1);
      const rate = await counters
        .takeRate(projectId, now(), [{ key, limit: allowed, windowSeconds }])
        .catch((error: unknown) => {
          if (!(error instanceof Fault) || error.code !== 'STORE_UNAVAILABLE') throw error;
          metrics.storeFailures.inc({ store: 'counters' });
          return null;
        });
      if (rate === null || rate.remaining > 0) return;
      cutOff.set(`${projectId}\n${key}`, { rate, untilMs: now() + rate.resetInSeconds * 1_000 });
    },
  };
}

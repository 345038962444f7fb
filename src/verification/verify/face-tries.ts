/**
 * Failed tries with a face are counted by project and address, so that no page compares faces without end. A try counts if its verdict showed the
 * comparison, whatever the page claims of its capture. An address that has used its tries up gets 429 for envelopes with a face until the window
 * ends; a session without one goes through. Envelopes that are being judged may each become such a try: beyond the tries that are left, an instance
 * judges no more of them at once, 503. Respondents whom a backend or a link named are counted apart, so that a stranger behind their address does
 * not lock them out. So are calls with contradictory forwarding headers, under the address of their proxy. With the counters store away nothing is
 * counted, and nothing of an address that nobody has on the internet.
 */
import { createBoundedCache } from '../../bounded-cache.js';
import type { Envelope } from '../../contract/envelope.js';
import { isCarrierOrCampus, type AddressFacts } from '../../contract/facts.js';
import type { RateState } from '../../contract/rate.js';
import type { PageVerdict, Verdict } from '../../contract/verdict.js';
import { sharedAddressFactor } from '../../administration/request-limits.js';
import { overloaded } from '../../errors.js';
import { rateLimited } from '../../kernel/faults.js';
import type { Address } from '../../net/address.js';
import type { Counters } from '../../stores/counters/port.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { withoutCounters } from '../../telemetry/without-counters.js';
import type { StoredSession } from '../sessions/session-store.js';

export const failedFacesPerAddress = 60;
const windowSeconds = 3_600;
const addressesMax = 50_000;
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

/** Whether the page learned from a failed verdict that its face was compared: it learns the score of no comparison that the view hides. */
export const showsComparison = ({ status, scores }: Pick<PageVerdict, 'scores'> & Pick<Verdict, 'status'>): boolean =>
  status === 'fail' && scores.uniqueness !== null;

/** Whether a face followed the service's own challenges to their end, for as long, by the service's clock, as that takes a person. */
export function isFullCapture(
  { embedding, evidenceFrames, nonce, challenges = [], frames }: Envelope,
  session: Pick<StoredSession, 'nonce' | 'challengeCount' | 'challengeCalls' | 'createdAt'>,
  receivedAtMs: number,
): boolean {
  const named = new Set(challenges?.map(({ id }) => id));
  const replies = session.challengeCalls.map(({ reply }) => reply);
  const isFollowed = replies.every((reply) => 'done' in reply || named.has(reply.id));
  const isOver = session.challengeCount === 0 || replies.some((reply) => 'done' in reply);
  const hasFace = (embedding ?? evidenceFrames) != null && frames != null;
  const tookTime = receivedAtMs - session.createdAt.getTime() >= captureMsMin * (1 + session.challengeCount);
  return hasFace && nonce === session.nonce && isFollowed && isOver && tookTime;
}

type NamedBy = Pick<StoredSession, 'respondentTrusted'>;

/** The tries of an address, as this instance knows them. */
interface Tries {
  /** Those of all instances when this one last counted a try; null: it counted none. */
  rate: RateState | null;
  untilMs: number;
  underWay: number;
}

export type FaceTries = ReturnType<typeof createFaceTries>;

export function createFaceTries({ counters, metrics, now }: FaceTriesDeps) {
  const triesOf = createBoundedCache<Tries>(addressesMax);

  async function count(projectId: string, key: string, limit: number, tries: Tries): Promise<void> {
    const limits = [{ key, limit, windowSeconds }];
    const rate = await counters.takeRate(projectId, now(), limits).catch(withoutCounters(metrics));
    if (rate === null) return;
    tries.rate = rate;
    tries.untilMs = now() + rate.resetInSeconds * 1_000;
  }

  return {
    /**
     * Runs a verification of an envelope with a face, and counts it as a try if it shows the comparison. Throws RATE_LIMIT_EXCEEDED where the
     * address has used its tries up, OVERLOADED where those that are being judged may use them up. `facts`: of the address; null if nobody has it
     * on the internet.
     */
    async run<T>(
      { projectId, address, session, facts }: Sender,
      judge: () => Promise<T>,
      shows: (answer: T) => boolean,
    ): Promise<T> {
      if (facts === null && address?.isDisputed !== true) return judge();
      const key = keyOf(address, session);
      const limit = failedFacesPerAddress * (isCarrierOrCampus(facts?.network ?? null) ? sharedAddressFactor : 1);
      const name = `${projectId}\n${key}`;
      const tries = triesOf.get(name) ?? { rate: null, untilMs: 0, underWay: 0 };
      triesOf.set(name, tries);
      requireLeft(tries, limit, now());
      tries.underWay += 1;
      try {
        const answer = await judge();
        if (shows(answer)) await count(projectId, key, limit, tries);
        return answer;
      } finally {
        tries.underWay -= 1;
      }
    },
  };
}

interface Sender {
  readonly projectId: string;
  readonly address: Address | null;
  readonly session: NamedBy;
  readonly facts: Pick<AddressFacts, 'network'> | null;
}

const keyOf = (address: Address | null, { respondentTrusted }: NamedBy): string =>
  `${respondentTrusted ? 'named-' : ''}${address?.isDisputed === true ? 'disputed-' : ''}faces:${address?.place ?? ''}`;

function requireLeft({ rate, untilMs, underWay }: Tries, limit: number, nowMs: number): void {
  const current = untilMs > nowMs ? rate : null;
  if (current !== null && current.used >= limit) {
    const resetInSeconds = (untilMs - nowMs) / 1_000;
    throw rateLimited('This address', { ...current, resetInSeconds }, 'failed camera checks');
  }
  if ((current?.used ?? 0) + underWay >= limit) throw overloaded('faces of this address are being judged');
}

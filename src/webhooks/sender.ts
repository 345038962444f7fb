/**
 * Sends the deliveries that this process has leased.
 *
 *   held ──its endpoint’s turn──▶ sending ──answered, or the deadline passed──▶ result handed to the writer
 *     └──its lease is running out, or its webhook is gone──▶ dropped: whoever leases it next looks again
 *
 * First attempts and repetitions have places of their own, and beside first attempts repetitions go out at a limited rate, so that a mountain of
 * them does not delay what is new. Nothing here throws: whatever happens to an attempt, its lease ends by itself.
 */
import type { SessionEvent } from '../contract/session-event.js';
import type { PayloadVersion } from '../contract/webhook.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { transitionOf } from './attempt-states.js';
import { createDeliveryQueue, type Lane } from './delivery-queue.js';
import type { AttemptResult, DeliveryKey } from './delivery-store.js';
import type { EndpointHealth } from './endpoint-health.js';
import { createRetryPace, nextConcurrency } from './pacing.js';
import { payloadOf } from './payload.js';
import type { Poster, PostOutcome } from './post.js';
import { adviceFor } from './post-failure.js';
import type { ResultWriter } from './result-writer.js';
import { retryWaitMs } from './retry-schedule.js';
import { messageIdOf, signedHeaders } from './signing.js';
import type { TargetConfig, TargetConfigs } from './target-configs.js';

/** A leased delivery with all that sending it takes. */
export interface Held extends DeliveryKey {
  readonly event: SessionEvent;
  readonly attempt: number;
  readonly attemptsFrom: number;
  readonly token: number;
  readonly lane: Lane;
  /** Monotonic milliseconds at which its lease was asked for. */
  readonly leasedAtMs: number;
}

export type TraceStep = 'held' | 'sending' | 'answered' | 'written';

export interface SenderDeps {
  readonly poster: Poster;
  readonly configs: Pick<TargetConfigs, 'get'>;
  readonly results: ResultWriter;
  readonly health: Pick<EndpointHealth, 'note'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'webhookAttempts' | 'webhookInFlight'>;
  readonly waitsSeconds: readonly number[];
  readonly leaseMs: number;
  /** Longest that one request takes. */
  readonly timeoutMs: number;
  /** Wall clock, for what others read; monotonic clock, for what is measured; numbers from 0 up to 1. */
  readonly now: () => number;
  readonly clock: () => number;
  readonly random: () => number;
  /** Told of every step; for tests that end the process at one. */
  readonly trace?: (step: TraceStep, delivery: DeliveryKey) => void;
}

export interface Sender {
  hold(delivery: Held): void;
  /** How many more deliveries of the endpoint are worth leasing. */
  room(webhookId: string): number;
  /** How many more of a lane are worth leasing, of whatever endpoint. */
  places(lane: Lane): number;
  /** Called whenever there is room again. */
  onRoom(listener: () => void): void;
  /** Ends what is under way within the time, and answers what is left: leases to give back. */
  stop(deadlineMs: number): Promise<readonly Held[]>;
}

const sending = { first: 256, retry: 64 } as const;
const holding = { first: 512, retry: 128 } as const;
/** Unwritten results at which nothing more is sent. */
const unwrittenMax = 2_000;
/** A lease that would end during the request is not used any more. */
const leaseMarginMs = 500;

export function createSender(deps: SenderDeps): Sender {
  const { logger, metrics, clock, leaseMs, timeoutMs, results } = deps;
  const queue = createDeliveryQueue<Held>();
  const active = { first: 0, retry: 0 };
  const running = new Set<Promise<void>>();
  const unused: Held[] = [];
  const stopping = new AbortController();
  const pace = createRetryPace(clock);
  const bodyOf = createBodies();
  let listener = (): void => undefined;
  let pumpSoon: NodeJS.Timeout | null = null;

  const pump = (): void => {
    if (stopping.signal.aborted) return;
    const isBlocked = results.waiting() > unwrittenMax;
    for (const lane of ['first', 'retry'] as const) {
      while (!isBlocked && active[lane] < sending[lane] && (lane === 'first' || pace.mayRetry())) {
        const item = queue.take(lane);
        if (item === undefined) break;
        pace.noteStart(lane);
        start(item);
      }
    }
    metrics.webhookInFlight.set(queue.active());
    // Held back by the pace or the writer, not by the endpoints: nobody else would call again.
    if ((isBlocked && queue.waiting('first') > 0) || queue.waiting('retry') > 0)
      pumpSoon ??= setTimeout(() => {
        pumpSoon = null;
        pump();
      }, 20);
  };
  const start = (item: Held): void => {
    active[item.lane] += 1;
    const work = attempt(item)
      .catch((error: unknown) => {
        logger.error({ err: error, webhookId: item.webhookId, deliveryId: item.deliveryId }, 'a delivery was not sent');
        queue.done(item.webhookId, (limit) => limit);
      })
      .finally(() => {
        active[item.lane] -= 1;
        running.delete(work);
        pump();
        listener();
      });
    running.add(work);
  };
  const attempt = async (item: Held): Promise<void> => {
    const isExpiring = clock() - item.leasedAtMs > leaseMs - timeoutMs - leaseMarginMs;
    const config = isExpiring ? null : await deps.configs.get(item.webhookId);
    if (config === null || !config.enabled) return queue.done(item.webhookId, (limit) => limit);
    const body = bodyOf(item.event, config.payloadVersion);
    const headers = signedHeaders(
      {
        event: item.event.type,
        sessionId: item.event.sessionId,
        messageId: messageIdOf(item.event.eventId, item.webhookId),
        attempt: item.attempt,
        body,
      },
      config.secrets,
      deps.now(),
    );
    const startedAtMs = deps.now();
    deps.trace?.('sending', item);
    const outcome = await deps.poster.post(config.url, headers, body, stopping.signal);
    deps.trace?.('answered', item);
    queue.done(item.webhookId, (limit) => (outcome.aborted ? limit : nextConcurrency(limit, outcome.status)));
    if (outcome.aborted) unused.push(item);
    else finish(item, config, outcome, startedAtMs);
  };
  const finish = (item: Held, config: TargetConfig, outcome: PostOutcome, startedAtMs: number): void => {
    const nth = item.attempt - item.attemptsFrom + 1;
    const { state, retry } = transitionOf(outcome, nth);
    metrics.webhookAttempts.inc({ outcome: state.toLowerCase() });
    deps.health.note(config, outcome);
    results.add({
      webhookId: item.webhookId,
      deliveryId: item.deliveryId,
      token: item.token,
      attempt: item.attempt,
      state,
      retryInMs: retry ? retryWaitMs(deps.waitsSeconds, nth, deps.random) : null,
      statusCode: outcome.status,
      responseBody: outcome.responseBody,
      durationMs: outcome.durationMs,
      error: outcome.error ?? adviceFor(outcome.status, config.url),
      startedAtMs,
    } satisfies AttemptResult);
  };

  return {
    hold(item) {
      deps.trace?.('held', item);
      queue.offer(item.webhookId, item.lane, item);
      pump();
    },
    room: (webhookId) => queue.room(webhookId),
    places: (lane) => Math.max(0, holding[lane] - queue.waiting(lane)),
    onRoom: (next) => (listener = next),
    async stop(deadlineMs) {
      if (pumpSoon !== null) clearTimeout(pumpSoon);
      const held = queue.drain();
      const timer = setTimeout(() => stopping.abort(), deadlineMs);
      await Promise.all(running);
      clearTimeout(timer);
      stopping.abort();
      return [...held, ...unused];
    },
  };
}

/** Bodies of one event for many webhooks are written once. */
function createBodies(): (event: SessionEvent, version: PayloadVersion) => string {
  const bodies = new WeakMap<SessionEvent, Partial<Record<PayloadVersion, string>>>();
  return (event, version) => {
    const known = bodies.get(event) ?? {};
    const body = known[version] ?? JSON.stringify(payloadOf(event, version));
    bodies.set(event, { ...known, [version]: body });
    return body;
  };
}

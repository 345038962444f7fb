/** One attempt of a delivery: reads its webhook, signs, POSTs, and hands the result to the writer. */
import { postbackType, type DeliveredEvent } from '../contract/postback.js';
import type { PayloadVersion } from '../contract/webhook.js';
import { fillPlaceholders } from '../net/web-address.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { transitionOf } from './attempt-states.js';
import type { Lane } from './delivery-queue.js';
import type { AttemptResult, DeliveryKey } from './delivery-store.js';
import type { EndpointHealth } from './endpoint-health.js';
import { payloadOf } from './payload.js';
import type { Poster, PostOutcome } from './post.js';
import { adviceFor } from './post-failure.js';
import type { ResultWriter } from './result-writer.js';
import { retryWaitMs } from './pacing.js';
import { messageIdOf, signedHeaders } from './signing.js';
import type { TargetConfig, TargetConfigs } from './target-configs.js';

/** A leased delivery with all that sending it takes. */
export interface LeasedDelivery extends DeliveryKey {
  readonly organizationId: string;
  readonly event: DeliveredEvent;
  readonly attempt: number;
  readonly attemptsFrom: number;
  readonly token: number;
  readonly lane: Lane;
  /** Monotonic milliseconds at which its lease was asked for. */
  readonly leasedAtMs: number;
}

export type TraceStep = 'held' | 'sending' | 'answered' | 'written';

export interface AttemptDeps {
  readonly poster: Poster;
  readonly configs: Pick<TargetConfigs, 'get'>;
  readonly results: ResultWriter;
  readonly health: Pick<EndpointHealth, 'note'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'webhookAttempts'>;
  readonly waitsSeconds: readonly number[];
  readonly leaseMs: number;
  /** Longest that one request takes. */
  readonly timeoutMs: number;
  /** Wall clock, for what others read; monotonic clock, for what is measured; numbers from 0 up to 1. */
  readonly now: () => number;
  readonly clock: () => number;
  readonly random: () => number;
  /** Called at every step; for tests that end the process at one. */
  readonly trace?: (step: TraceStep, delivery: DeliveryKey) => void;
}

/** A lease that would end during the request is not used any more. */
const leaseMarginMs = 500;

/** dropped: whoever leases it next looks again. aborted: the signal ended it, and nothing is known of what the receiver did. */
export type AttemptOutcome = Pick<PostOutcome, 'status' | 'durationMs'> | 'dropped' | 'aborted';

/** Rejects where the webhook cannot be read; the lease then ends by itself. */
export function createAttempt(
  deps: AttemptDeps,
): (item: LeasedDelivery, signal: AbortSignal) => Promise<AttemptOutcome> {
  const bodyOf = createBodies();

  const finish = (item: LeasedDelivery, config: TargetConfig, outcome: PostOutcome, startedAtMs: number): void => {
    const nth = item.attempt - item.attemptsFrom + 1;
    const { state, retry } = transitionOf(outcome, nth);
    deps.metrics.webhookAttempts.inc({ outcome: state.toLowerCase() });
    deps.health.note(config, outcome);
    deps.results.add({
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
      ...(state === 'SUCCEEDED' ? arrivedOf(item.event) : {}),
    });
  };

  return async (item, signal) => {
    const isExpiring = deps.clock() - item.leasedAtMs > deps.leaseMs - deps.timeoutMs - leaseMarginMs;
    const config = isExpiring ? null : await deps.configs.get(item.webhookId);
    if (config === null || !config.enabled) return 'dropped';
    const { type, sessionId, eventId } = item.event;
    const body = bodyOf(item.event, config.payloadVersion);
    const startedAtMs = deps.now();
    const headers = signedHeaders(
      { event: type, sessionId, messageId: messageIdOf(eventId, item.webhookId), attempt: item.attempt, body },
      config.secrets,
      startedAtMs,
    );
    deps.trace?.('sending', item);
    const url = 'placeholders' in item.event ? fillPlaceholders(config.url, item.event.placeholders) : config.url;
    const outcome = await deps.poster.post(url, headers, body, signal);
    deps.trace?.('answered', item);
    if (outcome.aborted) return 'aborted';
    finish(item, config, outcome, startedAtMs);
    return outcome;
  };
}

const arrivedOf = (event: DeliveredEvent): Pick<AttemptResult, 'postback'> =>
  event.type === postbackType ? { postback: { place: event.sessionId, status: event.data.status } } : {};

/** Bodies of one event for many webhooks are written once. */
function createBodies(): (event: DeliveredEvent, version: PayloadVersion) => string {
  const bodies = new WeakMap<DeliveredEvent, Partial<Record<PayloadVersion, string>>>();
  return (event, version) => {
    const known = bodies.get(event) ?? {};
    const body = known[version] ?? JSON.stringify(payloadOf(event, version));
    bodies.set(event, { ...known, [version]: body });
    return body;
  };
}

/**
 * A consumer of one topic: joins the group, and joins again whenever its member ends.
 *
 *   joining ──▶ consuming ──kafkajs gives up, or goes silent──▶ cut off ──a pause──▶ joining, as a fresh member
 *
 * Silence counts as failure because kafkajs can be stuck without noticing. A member that ends is cut off from the brokers first: if it
 * came back to life, it would hold partitions that nobody works on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaClient } from './client.js';
import { joinGroup, type Member, type MemberDeps } from './member.js';
import type { Consumer, Subscription } from '../port.js';
import { backoffMs, settleWithin } from '../../notifier.js';

export interface KafkaConsumerDeps extends Omit<MemberDeps, 'client' | 'subscription' | 'onTick'> {
  /** Resolves once the topic exists. */
  readonly opened: Promise<void>;
  /** Makes a client for each member. */
  readonly createClient: () => KafkaClient;
}

/** Leaves time for what a process closes afterwards. */
const stopDeadlineMs = 6_000;
const silenceCheckMs = 2_000;
/** Longer than the group lets its members join (one session) and than kafkajs waits for any other answer. */
const silentMsBeyondSession = 8_000;
const pauseFirstMs = 200;
const pauseMsMax = 2_000;

/** Joins the group in the background, again and again until it succeeds, and again whenever its member ends. */
export function startKafkaConsumer(
  { createClient, opened, ...deps }: KafkaConsumerDeps,
  subscription: Subscription,
): Consumer {
  const { now, logger, groupId } = deps;
  const silentMsMax = deps.sessionTimeoutMs + silentMsBeyondSession;
  let tickAtMs = now();
  let failures = 0;
  let isStopping = false;
  let requestStop = (): void => undefined;
  const stopRequested = new Promise<void>((resolve) => (requestStop = resolve));
  let member: Member | null = null;
  const onTick = (): void => {
    tickAtMs = now();
    failures = 0;
  };

  const supervise = async (): Promise<void> => {
    await Promise.race([opened, stopRequested]);
    while (!isStopping) {
      member = joinGroup({ ...deps, client: createClient(), subscription, onTick });
      const joinedAtMs = now();
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<Error>((resolve) => {
        timer = setInterval(() => {
          const silentMs = now() - Math.max(joinedAtMs, tickAtMs);
          if (silentMs > silentMsMax) resolve(new Error(`no sign of life for ${silentMs} ms`));
        }, silenceCheckMs);
      });
      const reason = await Promise.race([member.ended, silence, stopRequested]);
      clearInterval(timer);
      if (isStopping) return;
      failures++;
      logger.warn({ err: reason, groupId, failures }, 'reading from Kafka failed; starting a new consumer');
      member.cut();
      const pauseMs = backoffMs(failures, pauseFirstMs, pauseMsMax);
      await Promise.race([sleep(pauseMs, undefined, { ref: false }), stopRequested]);
    }
  };
  void supervise();

  return {
    tickAgeMs: () => Math.max(now() - tickAtMs, member?.waitingMs() ?? 0),
    stop: async () => {
      isStopping = true;
      requestStop();
      const leaving = member?.leave() ?? Promise.resolve();
      await settleWithin(leaving, stopDeadlineMs, 'kafka').catch((error: unknown) =>
        logger.warn(
          { err: error, groupId },
          'leaving the consumer group failed; its partitions move after the session timeout',
        ),
      );
      member?.cut();
    },
  };
}

/**
 * Looks from time to time whether brokers have come for replicas that topics lack, and tells how many are missing. A round that fails is told and the
 * next one tries again: nothing waits for it.
 */
import type { Logger } from '../../../telemetry/logger.js';
import { settleWithin } from '../../settle-within.js';
import type { KafkaClient } from './client.js';
import { addReplicas } from './replicas.js';

export interface ReplicaRoundsDeps {
  readonly createClient: () => KafkaClient;
  readonly topicNames: readonly string[];
  readonly logger: Logger;
  /** Told after each round how many replicas are missing. */
  readonly tellMissing: (replicas: number) => void;
  readonly everyMs?: number;
}

const everyMsDefault = 60_000;
const deadlineMs = 15_000;

/** Begins with a round at once. `stop` waits for none. */
export function startReplicaRounds(deps: ReplicaRoundsDeps): { stop(): void } {
  let running: Promise<void> | null = null;
  let current: KafkaClient | null = null;
  let isStopped = false;
  const round = async (): Promise<void> => {
    const client = (current = deps.createClient());
    const admin = client.kafka.admin({ retry: { retries: 0 } });
    const asked = admin.connect().then(() => addReplicas(admin, deps.topicNames, deps.logger));
    try {
      deps.tellMissing(await settleWithin(asked, deadlineMs, 'kafka'));
    } catch (error) {
      if (!isStopped)
        deps.logger.warn({ err: error }, 'whether topics lack replicas is not known; a later round looks again');
    } finally {
      client.cut();
    }
  };
  const look = (): void => void (running ??= round().finally(() => (running = null)));
  const timer = setInterval(look, deps.everyMs ?? everyMsDefault);
  timer.unref();
  look();
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      current?.cut();
    },
  };
}

/** Periodic background work: at once, and a set time after each round. A round that fails is logged and repeated. */
import { createNotifier } from '../stores/notifier.js';
import type { Logger } from '../telemetry/logger.js';

/** `work` answers with how much there was; a round follows at once while it is not zero. */
export function startRounds(
  what: string,
  everyMs: number,
  logger: Logger,
  work: () => Promise<number>,
): { stop(): Promise<void> } {
  const stopped = createNotifier();
  let isStopping = false;
  const round = (): Promise<number> =>
    work().catch((error: unknown) => {
      logger.warn({ err: error }, `${what}: the round failed; the next one does its work`);
      return 0;
    });
  const loop = async (): Promise<void> => {
    while (!isStopping) if ((await round()) === 0 && !isStopping) await stopped.wait(everyMs);
  };
  const running = loop();
  return {
    stop() {
      isStopping = true;
      stopped.notify();
      return running;
    },
  };
}

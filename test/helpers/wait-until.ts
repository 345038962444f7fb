/** Waiting for a condition, in place of sleeping and hoping. */
import { setTimeout as delay } from 'node:timers/promises';

/** A question costs the one who answers it as much processor as a call: who waits for long asks seldom. */
const [pauseMsMin, pauseMsMax] = [10, 100];
const shareOfWait = 0.1;
/** A busy machine starts a service in 20 s. */
const defaultDeadlineMs = 60_000;

/** Resolves once `condition` holds; rejects after `deadlineMs` with what was waited for. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  meaning: string,
  deadlineMs = defaultDeadlineMs,
): Promise<void> {
  await pollUntil(meaning, async () => ((await condition()) ? true : undefined), deadlineMs);
}

/** Resolves to what `read` finds, once that is not undefined; rejects after `deadlineMs` with what was waited for. */
export async function pollUntil<T>(
  meaning: string,
  read: () => T | undefined | Promise<T | undefined>,
  deadlineMs = defaultDeadlineMs,
): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > deadlineMs) throw new Error(`Waited for ${deadlineMs} ms in vain: ${meaning}.`);
    await delay(Math.min(pauseMsMax, Math.max(pauseMsMin, waitedMs * shareOfWait)));
  }
}

/** Waiting for a condition, in place of sleeping and hoping. */
import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 10;
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
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(`Waited for ${deadlineMs} ms in vain: ${meaning}.`);
    await delay(pauseMs);
  }
}

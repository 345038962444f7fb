/** Waiting for a condition, in place of sleeping and hoping. */
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves once `condition` holds; rejects after `deadlineMs` with what was waited for. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  meaning: string,
  deadlineMs = 20_000,
): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`Waited for ${deadlineMs} ms in vain: ${meaning}.`);
    await delay(5);
  }
}

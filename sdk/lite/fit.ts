/**
 * Keeps a message within what its endpoint takes, so that none is lost: the texts of questions go first, the oldest before the newer,
 * then the oldest questions. The signals' findings always stay.
 */
import type { ProbeBody } from '../../src/contract/probe.js';

/** The endpoint's limit, bytes. Spelled out: the bundle takes no code from the service; a test holds the two together. */
export const messageBytesMax = 16384;

export function fit(body: ProbeBody): string {
  const { q = [], ...rest } = body;
  const kept = [...q];
  for (;;) {
    const message = JSON.stringify(kept.length ? { ...rest, q: kept } : rest);
    if (!kept.length || new Blob([message]).size <= messageBytesMax) return message;
    const index = kept.findIndex((question) => question.text);
    if (index < 0) kept.shift();
    else {
      const { text: _, ...counts } = kept[index]!;
      kept[index] = counts;
    }
  }
}

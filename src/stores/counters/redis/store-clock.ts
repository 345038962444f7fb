/**
 * How far the clock of this process is from that of the store. Windows of rate limits go by the store’s: two instances whose clocks differ
 * would else each count a window of their own, and a caller would get the limit twice. Asked at the start and every half minute; while the store
 * does not tell, what it told last holds.
 */
const askEveryMs = 30_000;
/** Less is the time that the question took, and does no harm. */
const toleratedMs = 1_000;

export interface StoreClock {
  /** The store’s time at a moment of this process’s clock, in milliseconds since 1970. */
  at(nowMs: number): number;
  close(): void;
}

export async function openStoreClock(readTime: () => Promise<number>, local: () => number): Promise<StoreClock> {
  let skewMs = 0;
  const ask = async (): Promise<void> => {
    const askedMs = local();
    const timeMs = await readTime();
    const apartMs = timeMs - (askedMs + local()) / 2;
    skewMs = Math.abs(apartMs) < toleratedMs ? 0 : Math.round(apartMs);
  };
  const askQuietly = (): Promise<void> => ask().catch(() => undefined);
  await askQuietly();
  const timer = setInterval(() => void askQuietly(), askEveryMs).unref();
  return { at: (nowMs) => nowMs + skewMs, close: () => clearInterval(timer) };
}

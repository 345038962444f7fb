/**
 * Up to which time everything in the log has been recorded, by feed. It is looked at from time to time: what a look finds at the end of the
 * topic was appended before it, and once the group has read that far, the feed is complete up to that look. While the log is away, or receipts
 * wait in the spool of this process, the last time stands. Spools of other processes are not seen.
 */
import type { Feed } from '../../contract/freshness.js';
import { startRounds } from '../rounds.js';
import { recordingGroups, type Log, type PartitionProgress } from './port.js';

export interface FreshnessDeps {
  readonly log: Pick<Log, 'progress'>;
  /** Whether receipts wait in this process. */
  readonly holdsReceipts: () => boolean;
  readonly now: () => number;
  /** How often it looks, in milliseconds. */
  readonly everyMs?: number;
}

export interface Freshness {
  /** Milliseconds since 1970; null if the feed was behind or the log away since this process started. */
  completeUntilMs(feed: Feed): number | null;
  stop(): Promise<void>;
}

const everyMsDefault = 5_000;

interface Look {
  readonly atMs: number;
  /** One past the newest entry, by partition. */
  readonly ends: ReadonlyMap<number, number>;
}

export function watchFreshness({ log, holdsReceipts, now, everyMs = everyMsDefault }: FreshnessDeps): Freshness {
  const feeds = Object.entries(recordingGroups).map(([feed, [topic, group]]) => {
    let completeUntilMs: number | null = null;
    let awaited: Look | null = null;
    const look = async (): Promise<void> => {
      const atMs = now();
      const isHeld = feed === 'scores' && holdsReceipts();
      const partitions = await log.progress(topic, group);
      if (isHeld) return;
      const latest: Look = { atMs, ends: new Map(partitions.map(({ partition, end }) => [partition, end])) };
      if (awaited !== null && !isReached(awaited, partitions)) return;
      completeUntilMs = awaited?.atMs ?? completeUntilMs;
      awaited = latest;
      if (isReached(latest, partitions)) completeUntilMs = atMs;
    };
    return [feed, { look, completeUntilMs: () => completeUntilMs }] as const;
  });
  const byFeed = new Map<string, (typeof feeds)[number][1]>(feeds);
  const rounds = startRounds({
    everyMs,
    firstMs: 0,
    work: () => Promise.allSettled(feeds.map(([, { look }]) => look())),
  });
  return {
    completeUntilMs: (feed) => byFeed.get(feed)?.completeUntilMs() ?? null,
    stop: () => rounds.stop(),
  };
}

const isReached = ({ ends }: Look, partitions: readonly PartitionProgress[]): boolean =>
  partitions.every(({ partition, next }) => next >= (ends.get(partition) ?? 0));

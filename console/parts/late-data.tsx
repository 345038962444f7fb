/** Says above a page that some of its data is still arriving, and how much of it. */
import { useEffect } from 'preact/hooks';
import type { Feed, FreshnessReply } from '../../src/contract/freshness.js';
import { useRead } from '../api.js';
import { formatDuration } from './words.js';

const everyMs = 10_000;
/** Feeds are a few seconds late at any time. */
const lateMsMin = 20_000;

/** The feeds that a page shows. Others are read from where they were accepted. */
const feedsOf: Readonly<Record<string, readonly Feed[]>> = {
  overview: ['scores', 'verifications', 'webhooks'],
  sessions: ['scores'],
  suppliers: ['scores'],
  thresholds: ['scores'],
  verification: ['verifications'],
  webhooks: ['webhooks'],
};

const names: Readonly<Record<Feed, string>> = {
  scores: 'scores',
  outcomes: 'outcomes',
  verifications: 'verifications',
  webhooks: 'webhook deliveries',
};

const list = new Intl.ListFormat('en-GB');

export function LateData({ page }: { page: string }) {
  const { data, reload } = useRead<FreshnessReply>('/lite/freshness');
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), everyMs);
    return () => clearInterval(timer);
  }, []);
  const text = data === null ? null : textOf(data, feedsOf[page] ?? []);
  return text === null ? null : (
    <div class="notice warn" role="status">
      <p>{text}</p>
    </div>
  );
}

function textOf({ generatedAt, completeUntil }: FreshnessReply, feeds: readonly Feed[]): string | null {
  const late = feeds.flatMap((feed) => {
    const until = completeUntil[feed];
    const lateMs = until === null ? Number.POSITIVE_INFINITY : Date.parse(generatedAt) - Date.parse(until);
    return lateMs < lateMsMin ? [] : [{ feed, lateMs }];
  });
  if (late.length === 0) return null;
  const what = list.format(late.map(({ feed }) => names[feed]));
  const lateMs = Math.max(...late.map((each) => each.lateMs));
  return Number.isFinite(lateMs)
    ? `Recent ${what} are still arriving. Those of the last ${formatDuration(lateMs)} may be missing here.`
    : `Recent ${what} are still arriving. It is not known yet how many are missing here.`;
}

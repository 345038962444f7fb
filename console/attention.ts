/** Findings for the overview: each from one read of the API, as a sentence and a page that shows more. */
import type { Analytics } from '../src/contract/analytics.js';
import type { FlagPage } from '../src/contract/monitoring.js';
import type { ProjectReply } from '../src/contract/project.js';
import type { CounterRecoveryReply } from '../src/contract/recovery.js';
import type { FairnessReply, MixReply, SourcesReply } from '../src/contract/reports.js';
import { roomOf } from '../src/contract/study-capacity.js';
import type { ScoredSessionPage } from '../src/contract/session-trail.js';
import type { StudyReply } from '../src/contract/study-replies.js';
import type { WebhookReply } from '../src/contract/webhook.js';
import { countFailing, type SupplierPostbacks } from './postbacks.js';
import { totalOf } from './parts/mix-bar.js';
import { formatCount, formatShare, plural } from './parts/words.js';

export interface Concern {
  readonly tone: 'bad' | 'warn' | 'info';
  readonly text: string;
  /** Page of the project. */
  readonly to: string;
}

const dayMs = 86_400_000;
/** Fewer sessions than these say nothing about a day. */
const sessionsMin = 30;
const daysBefore = 7;
/** A share that grew by less is not named. */
const growthMin = 0.05;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export interface Day {
  readonly sessions: number;
  readonly blocked: number;
}

/** Sessions of today and of the seven days before, all sources together. */
export function sumDays({ days }: MixReply, nowMs: number): { readonly today: Day; readonly before: Day } {
  const [today, first] = [dayOf(nowMs), dayOf(nowMs - daysBefore * dayMs)];
  const sum = (counts: (day: string) => boolean): Day => {
    const counted = days.filter(({ day }) => counts(day));
    return {
      sessions: counted.reduce((total, mix) => total + totalOf(mix), 0),
      blocked: counted.reduce((total, { block }) => total + block, 0),
    };
  };
  return { today: sum((day) => day === today), before: sum((day) => day >= first && day < today) };
}

export function findInMix(mix: MixReply, nowMs: number): readonly Concern[] {
  const { today, before } = sumDays(mix, nowMs);
  if (today.sessions < sessionsMin || before.sessions < sessionsMin) return [];
  const [now, then] = [today.blocked / today.sessions, before.blocked / before.sessions];
  if (now - then < growthMin) return [];
  const text = `${formatShare(now)} of today’s sessions are blocked, against ${formatShare(then)} in the 7 days before.`;
  return [{ tone: 'warn', text, to: 'suppliers' }];
}

/** Sources whose scores rose for certain in the last 7 days. */
export const findInSources = ({ sources }: SourcesReply): readonly Concern[] =>
  sources.flatMap(({ sourceId, drift }) =>
    drift === null || drift.low <= 0
      ? []
      : [
          {
            tone: 'warn' as const,
            text: `${sourceId ?? 'Sessions without a supplier'}: scores are ${drift.value.toFixed(1)} points higher than in the 28 days before.`,
            to: 'suppliers',
          },
        ],
  );

/** Ends of the 95% interval of a share, by Wilson. */
function intervalOf(count: number, of: number): { readonly low: number; readonly high: number } {
  const z = 1.96;
  const [share, spread] = [count / of, z ** 2 / of];
  const middle = share + spread / 2;
  const margin = z * Math.sqrt((share * (1 - share)) / of + spread / (4 * of));
  return { low: (middle - margin) / (1 + spread), high: (middle + margin) / (1 + spread) };
}

interface SourceCount {
  readonly sourceId: string | null;
  readonly sessions: number;
  readonly hits: number;
}

/** Sources that are hit more than the others for certain: their intervals are apart. */
function findOutliers(
  counts: readonly SourceCount[],
  say: (own: string, others: string) => string,
): readonly Concern[] {
  const all = { sessions: sumOf(counts, 'sessions'), hits: sumOf(counts, 'hits') };
  return counts.flatMap(({ sourceId, sessions, hits }) => {
    const others = { sessions: all.sessions - sessions, hits: all.hits - hits };
    if (sessions < sessionsMin || others.sessions < sessionsMin) return [];
    if (intervalOf(hits, sessions).low <= intervalOf(others.hits, others.sessions).high) return [];
    const name = sourceId ?? 'Sessions without a supplier';
    const text = `${name}: ${say(formatShare(hits / sessions), formatShare(others.hits / others.sessions))}`;
    return [{ tone: 'warn' as const, text, to: 'suppliers' }];
  });
}

const sumOf = <Name extends string>(counts: readonly Readonly<Record<Name, number>>[], name: Name): number =>
  counts.reduce((sum, each) => sum + each[name], 0);

/** Sessions of each source on some days, with those that `hit` counts. */
const bySource = (days: MixReply['days'], hit: (mix: MixReply['days'][number]) => number): readonly SourceCount[] =>
  [...new Set(days.map(({ sourceId }) => sourceId))].map((sourceId) => {
    const own = days.filter((mix) => mix.sourceId === sourceId);
    return {
      sourceId,
      sessions: own.reduce((sum, mix) => sum + totalOf(mix), 0),
      hits: own.reduce((sum, mix) => sum + hit(mix), 0),
    };
  });

/** Sources that are blocked more than the others in the 30 days of the mix, and those that stand out today. */
export function findOutlyingSources({ days }: MixReply, nowMs: number): readonly Concern[] {
  const today = days.filter(({ day }) => day === dayOf(nowMs));
  return [
    ...findOutliers(
      bySource(days, ({ block }) => block),
      (own, others) => `${own} of its sessions in the last 30 days were blocked, against ${others} of other suppliers.`,
    ),
    ...findOutliers(
      bySource(today, ({ block }) => block),
      (own, others) => `${own} of its sessions today were blocked, against ${others} of other suppliers.`,
    ),
    ...findOutliers(
      bySource(today, ({ review }) => review),
      (own, others) => `${own} of its sessions today went to review, against ${others} of other suppliers.`,
    ),
  ];
}

/** Sessions of today that are confirmed duplicates, newest first. */
export interface TodaysDuplicates {
  readonly sessions: ScoredSessionPage['sessions'];
  /** There are more. */
  readonly isPartial: boolean;
}

/** Sources with more confirmed duplicates today than the others. A part of them understates all shares alike. */
export function findDuplicates({ days }: MixReply, duplicates: TodaysDuplicates, nowMs: number): readonly Concern[] {
  const counts = bySource(
    days.filter(({ day }) => day === dayOf(nowMs)),
    () => 0,
  ).map((count) => {
    const found = duplicates.sessions.filter(({ receipt }) => receipt.sourceId === count.sourceId).length;
    return { ...count, hits: Math.min(found, count.sessions) };
  });
  const least = duplicates.isPartial ? 'at least ' : '';
  return findOutliers(
    counts,
    (own, others) =>
      `${least}${own} of its sessions today are confirmed duplicates, against ${least}${others} of other suppliers.`,
  );
}

/** Honest sessions that were blocked. */
export function findInFairness({ all: { sessions, blocked } }: FairnessReply): readonly Concern[] {
  if (sessions < sessionsMin || blocked / sessions < growthMin) return [];
  const text = `Honest sessions blocked: ${formatCount(blocked)} of ${formatCount(sessions)}, by their outcomes.`;
  return [{ tone: 'warn', text, to: 'thresholds' }];
}

export const findInProject = ({ warnings = [] }: Pick<ProjectReply, 'warnings'>): readonly Concern[] =>
  warnings.includes('consent_incomplete')
    ? [{ tone: 'warn', text: 'The consent links to no privacy page.', to: 'settings' }]
    : [];

interface Pass {
  readonly total: number;
  readonly passed: number;
  readonly days: number;
}

/** A pass rate that fell in the last 7 days of the series. */
export function findInAnalytics({ timeSeries }: Pick<Analytics, 'timeSeries'>): readonly Concern[] {
  const [before, now] = [timeSeries.slice(0, -daysBefore), timeSeries.slice(-daysBefore)].map((days) => ({
    total: days.reduce((sum, { total }) => sum + total, 0),
    passed: days.reduce((sum, { passed }) => sum + passed, 0),
    days: days.length,
  })) as [Pass, Pass];
  if (before.total < sessionsMin || now.total < sessionsMin) return [];
  const [then, latest] = [before.passed / before.total, now.passed / now.total];
  if (then - latest < growthMin) return [];
  const text = `${formatShare(latest)} of verifications passed in the last 7 days, against ${formatShare(then)} in the ${before.days} days before.`;
  return [{ tone: 'warn', text, to: 'verification' }];
}

/** Sessions that were flagged in the last 24 hours, by a page of the newest flags. */
export function findInFlags({ flags, nextCursor }: FlagPage, nowMs: number): readonly Concern[] {
  const recent = flags.filter(({ flaggedAt }) => nowMs - Date.parse(flaggedAt) < dayMs);
  const sessions = new Set(recent.map(({ sessionId }) => sessionId)).size;
  if (sessions === 0) return [];
  const isMore = nextCursor !== null && recent.length === flags.length;
  const text = `${isMore ? 'At least ' : ''}${plural(sessions, 'session was', 'sessions were')} flagged in the last 24 hours.`;
  return [{ tone: 'info', text, to: 'flags' }];
}

/** Counters that are being rebuilt, with the part of the time that is done. */
export function findInRecovery({
  generatedAt,
  restoredSince,
  restoresSince,
}: CounterRecoveryReply): readonly Concern[] {
  if (restoredSince === null || restoresSince === null) return [];
  const [now, since, until] = [generatedAt, restoredSince, restoresSince].map(Date.parse) as [number, number, number];
  const share = Math.min(1, Math.max(0, (now - since) / (now - until)));
  const text = `Counters are being rebuilt: ${formatShare(share)} done. Until then, scores may miss repeats and bursts.`;
  return [{ tone: 'warn', text, to: 'sessions' }];
}

export const findInWebhooks = (webhooks: readonly WebhookReply[]): readonly Concern[] =>
  webhooks.flatMap(({ webhookId, url, description, health: { reason } }) =>
    reason === null
      ? []
      : [
          {
            tone: 'bad' as const,
            text: `${description ?? url}: ${reason}`,
            to: `webhooks/${encodeURIComponent(webhookId)}`,
          },
        ],
  );

/** Suppliers that do not learn what became of their respondents. */
export const findInPostbacks = (suppliers: SupplierPostbacks): readonly Concern[] =>
  suppliers.flatMap(({ supplierId, name, postbacks }) => {
    const failing = countFailing(postbacks);
    if (failing === 0) return [];
    const isTried = postbacks.exhausted === 0;
    return [
      {
        tone: isTried ? 'warn' : 'bad',
        text: `${name}: ${plural(failing, 'postback has', 'postbacks have')} failed${isTried ? ' and will be tried again' : ''}.`,
        to: `suppliers/${encodeURIComponent(supplierId)}`,
      },
    ];
  });

export const findInStudies = (studies: readonly StudyReply[]): readonly Concern[] =>
  studies.flatMap(({ studyId, name, status, audience, progress }) => {
    const { completed, sample_size: wanted, places_left: left, entered, unconfirmed } = progress;
    const to = `studies/${studyId}`;
    const say = (tone: Concern['tone'], text: string): Concern => ({ tone, text: `${name}: ${text}`, to });
    if (status === 'fielding' && completed >= wanted) return [say('info', 'it is full and can be closed.')];
    const room = roomOf(audience.countries, audience.quotas, wanted);
    if ((status === 'fielding' || status === 'paused') && room < wanted)
      return [say('warn', `its quotas leave room for ${formatCount(room)} of ${formatCount(wanted)}.`)];
    if (status === 'fielding' && left === 0) return [say('warn', 'all places are taken, and it is not full yet.')];
    if (status === 'fielding' && entered === 0) return [say('warn', 'it is launched, and no respondent has entered.')];
    if (status === 'paused')
      return [say('info', `it is paused at ${formatCount(completed)} of ${formatCount(wanted)} completes.`)];
    return unconfirmed > 0
      ? [say('warn', `${plural(unconfirmed, 'complete waits', 'completes wait')} to be confirmed by the survey.`)]
      : [];
  });

/** Findings for the overview: each from one read of the API, as a sentence and a page that shows more. */
import type { MixReply, SourcesReply } from '../src/contract/reports.js';
import type { StudyReply } from '../src/contract/study-replies.js';
import type { WebhookReply } from '../src/contract/webhook.js';
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
      sessions: counted.reduce(
        (total, { allow, review, block, step_up: stepUp }) => total + allow + review + block + stepUp,
        0,
      ),
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
            text: `${sourceId ?? 'Sessions without a source'}: scores are ${drift.value.toFixed(1)} points higher than in the 28 days before.`,
            to: 'suppliers',
          },
        ],
  );

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

export const findInStudies = (studies: readonly StudyReply[]): readonly Concern[] =>
  studies.flatMap(({ studyId, name, status, progress }) => {
    const { completed, sample_size: wanted, places_left: left, entered, unconfirmed } = progress;
    const to = `studies/${studyId}`;
    const say = (tone: Concern['tone'], text: string): Concern => ({ tone, text: `${name}: ${text}`, to });
    if (status === 'fielding' && completed >= wanted) return [say('info', 'it is full and can be closed.')];
    if (status === 'fielding' && left === 0) return [say('warn', 'all places are taken, and it is not full yet.')];
    if (status === 'fielding' && entered === 0) return [say('warn', 'it is launched, and no respondent has entered.')];
    if (status === 'paused')
      return [say('info', `it is paused at ${formatCount(completed)} of ${formatCount(wanted)} completes.`)];
    return unconfirmed > 0
      ? [say('warn', `${plural(unconfirmed, 'complete waits', 'completes wait')} to be confirmed by the survey.`)]
      : [];
  });

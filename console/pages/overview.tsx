/** The project today: what needs somebody’s attention, and the figures of the day. Each part is read by itself, so one that fails leaves the others. */
import type { VNode } from 'preact';
import { Link } from 'wouter-preact';
import type { Analytics } from '../../src/contract/analytics.js';
import type { FlagPage } from '../../src/contract/monitoring.js';
import type { ProjectReply } from '../../src/contract/project.js';
import type { CounterRecoveryReply } from '../../src/contract/recovery.js';
import type { FairnessReply, MixReply, SourcesReply } from '../../src/contract/reports.js';
import type { ScoredSessionPage } from '../../src/contract/session-trail.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import type { WebhookReply } from '../../src/contract/webhook.js';
import { call, query, useCall, useRead, type Read } from '../api.js';
import {
  findDuplicates,
  findInAnalytics,
  findInFairness,
  findInFlags,
  findInMix,
  findInPostbacks,
  findInProject,
  findInRecovery,
  findInSources,
  findInStudies,
  findInWebhooks,
  findOutlyingSources,
  sumDays,
  type Concern,
  type TodaysDuplicates,
} from '../attention.js';
import { usePostbacks } from '../postbacks.js';
import { LabelledNumbers } from '../parts/labelled-numbers.js';
import { Loading, Shown } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { formatCount, formatShare } from '../parts/words.js';

export function OverviewPage({ projectId }: { projectId: string }) {
  const mix = useRead<MixReply>(`/lite/mix${query({ projectId })}`);
  const sources = useRead<SourcesReply>(`/lite/sources${query({ projectId })}`);
  const webhooks = useRead<{ webhooks: readonly WebhookReply[] }>(
    `/projects/${projectId}/webhooks${query({ limit: 50 })}`,
  );
  const studies = useRead<{ studies: readonly StudyReply[] }>(`/studies${query({ projectId, limit: 50 })}`, 'audience');
  const analytics = useRead<Analytics>(`/projects/${projectId}/analytics`);
  const fairness = useRead<FairnessReply>(`/lite/fairness${query({ projectId })}`);
  const project = useRead<ProjectReply>(`/projects/${projectId}`);
  const flags = useRead<FlagPage>(`/projects/${projectId}/flags${query({ limit: 200 })}`);
  const recovery = useRead<CounterRecoveryReply>(`/lite/recovery${query({ projectId })}`);
  const duplicates = useDuplicates(projectId);
  const postbacks = usePostbacks('all');
  const all = [mix, duplicates, sources, webhooks, postbacks, studies, analytics, fairness, project, flags, recovery];
  const parts: readonly Part[] = [
    partOf('sessions by day', mix, (known) => [
      ...findInMix(known, Date.now()),
      ...findOutlyingSources(known, Date.now()),
    ]),
    partOf('duplicates of today', duplicates, (known) =>
      mix.data === null ? [] : findDuplicates(mix.data, known, Date.now()),
    ),
    partOf('sources', sources, findInSources),
    partOf('fairness', fairness, findInFairness),
    partOf('project', project, findInProject),
    partOf('counters', recovery, findInRecovery),
    partOf('flags', flags, (known) => findInFlags(known, Date.now())),
    partOf('verifications', analytics, findInAnalytics),
    partOf('webhooks', webhooks, (known) => findInWebhooks(known.webhooks)),
    partOf('postbacks', postbacks, findInPostbacks),
    partOf('studies', studies, (known) => findInStudies(known.studies)),
  ];
  return (
    <>
      <Title text="Overview" reload={() => all.forEach((each) => each.reload())} />
      <div class="stack">
        <Attention projectId={projectId} parts={parts} />
        <Shown of={mix} what="the figures of today">
          {(known) => <Today projectId={projectId} mix={known} />}
        </Shown>
        <Shown of={analytics} what="verifications">
          {(known) => <Verifications projectId={projectId} {...known} />}
        </Shown>
      </div>
    </>
  );
}

const duplicatePagesMax = 5;

/** Confirmed duplicates of today (UTC), as many as a few pages hold. */
const useDuplicates = (projectId: string): Read<TodaysDuplicates> =>
  useCall(projectId, async (signal) => {
    const sessions: ScoredSessionPage['sessions'] = [];
    const asked = { projectId, duplicateBand: 'confirmed', from: `${new Date().toISOString().slice(0, 10)}T00:00:00Z` };
    let cursor: string | null = '';
    for (let page = 0; page < duplicatePagesMax && cursor !== null; page += 1) {
      const read: ScoredSessionPage = await call(`/lite/sessions${query({ ...asked, limit: 200, cursor })}`, {
        signal,
      });
      sessions.push(...read.sessions);
      cursor = read.nextCursor;
    }
    return { sessions, isPartial: cursor !== null };
  });

/** One read of the API with the concerns that it leads to. */
interface Part {
  readonly what: string;
  /** null: not read yet, or not at all. */
  readonly concerns: readonly Concern[] | null;
  readonly error: string | null;
}

const partOf = <T,>(what: string, { data, error }: Read<T>, find: (data: T) => readonly Concern[]): Part => ({
  what,
  concerns: data === null ? null : find(data),
  error: error?.message ?? null,
});

const tones = ['bad', 'warn', 'info'] as const;

function Attention({ projectId, parts }: { projectId: string; parts: readonly Part[] }) {
  const concerns = parts.flatMap((part) => part.concerns ?? []);
  const ordered = tones.flatMap((tone) => concerns.filter((concern) => concern.tone === tone));
  const failed = parts.filter(({ error }) => error !== null);
  const isReading = parts.some((part) => part.concerns === null && part.error === null);
  return (
    <section class="card">
      <h2>Needs attention</h2>
      {isReading && <Loading what="what needs attention" />}
      {ordered.length === 0 && !isReading && failed.length === 0 && (
        <p class="muted">Nothing. Suppliers, webhooks and studies are as they were.</p>
      )}
      <ul class="concerns">
        {ordered.map(({ tone, text, to }) => (
          <li key={text} class={tone}>
            <Link href={`/${projectId}/${to}`}>{text}</Link>
          </li>
        ))}
        {failed.map(({ what, error }) => (
          <li key={what} class="bad">
            The {what} could not be read. {error}
          </li>
        ))}
      </ul>
    </section>
  );
}

const Today = ({ projectId, mix }: { projectId: string; mix: MixReply }) => {
  const { today, before } = sumDays(mix, Date.now());
  return (
    <Figures
      title="Scores"
      link={<Link href={`/${projectId}/sessions`}>All sessions</Link>}
      rows={[
        ['Today (UTC)', formatCount(today.sessions)],
        ['Blocked today', today.sessions === 0 ? 'None scored' : formatShare(today.blocked / today.sessions)],
        ['Mean a day, 7 days before', formatCount(Math.round(before.sessions / 7))],
        [
          'Blocked, 7 days before',
          before.sessions === 0 ? 'None scored' : formatShare(before.blocked / before.sessions),
        ],
      ]}
    />
  );
};

const Verifications = ({ projectId, totalVerifications, passRate }: Analytics & { projectId: string }) => (
  <Figures
    title="Verifications, last 30 days"
    link={<Link href={`/${projectId}/verification`}>All figures</Link>}
    rows={[
      ['Verifications', formatCount(totalVerifications)],
      ['Passed', passRate === null ? 'Not measured' : formatShare(passRate)],
    ]}
  />
);

interface FiguresProps {
  readonly title: string;
  readonly link: VNode;
  readonly rows: readonly (readonly [label: string, value: string])[];
}

const Figures = ({ title, link, rows }: FiguresProps) => (
  <section class="card">
    <h2>{title}</h2>
    <LabelledNumbers rows={rows} />
    <p class="small">{link}</p>
  </section>
);

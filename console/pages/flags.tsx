/** Flags of sessions, the newest first: what crossed a threshold of the project while people still answered. */
import { Link, useSearchParams } from 'wouter-preact';
import type { FlagPage, FlagReply } from '../../src/contract/monitoring.js';
import { query, usePages, useRead } from '../api.js';
import { sessionColumn, supplierColumn, textColumn, timeColumn } from '../parts/columns.js';
import { Empty, Older, Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { Title } from '../parts/title.js';
import { formatCount, formatTime, readable } from '../parts/words.js';

const kinds: Readonly<Record<FlagReply['event'], string>> = {
  'monitoring.flagged': 'Behavior',
  'question.flagged': 'Question',
};

export function FlagsPage({ projectId }: { projectId: string }) {
  const [search, setSearch] = useSearchParams();
  const event = search.get('event') ?? '';
  const path = `/projects/${projectId}/flags${query({ limit: 50, event })}`;
  const flags = useRead<FlagPage>(path);
  return (
    <>
      <p class="back">
        <Link href={`/${projectId}/sessions`}>← Sessions</Link>
      </p>
      <Title text="Flags, last 7 days" reload={flags.reload} />
      <form class="filters" role="search" onSubmit={(submitted) => submitted.preventDefault()}>
        <label>
          <span>Kind</span>
          <select
            value={event}
            onChange={({ currentTarget }) => setSearch({ event: currentTarget.value }, { replace: true })}
          >
            <option value="">All</option>
            {Object.entries(kinds).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Shown of={flags} what="flags">
        {(first) =>
          first.flags.length === 0 ? (
            <Empty title={event === '' ? 'No flag in the last 7 days' : 'No flag matches'}>
              <p>
                Sessions are flagged by the monitoring thresholds of the{' '}
                <Link href={`/${projectId}/settings`}>project</Link>.
              </p>
            </Empty>
          ) : (
            <FlagTable projectId={projectId} path={path} first={first} />
          )
        }
      </Shown>
    </>
  );
}

function FlagTable({ projectId, path, first }: { projectId: string; path: string; first: FlagPage }) {
  const { pages, ...more } = usePages<FlagPage>(path, first);
  return (
    <>
      <Table columns={columnsOf(projectId)} rows={pages.flatMap(({ flags }) => flags)} keyOf={({ flagId }) => flagId} />
      <Older of={more} what="flags" />
    </>
  );
}

const columnsOf = (projectId: string): readonly Column<FlagReply>[] => [
  sessionColumn(projectId),
  supplierColumn(({ sourceId }) => sourceId),
  textColumn('Respondent', ({ respondentId }) => respondentId, 'Not known'),
  textColumn('Kind', ({ event }) => kinds[event]),
  textColumn('Flag', describeFlag),
  timeColumn('Time', ({ flaggedAt }) => flaggedAt),
];

/** The flags of one session. Nothing if it has none. */
export function SessionFlags({ projectId, sessionId }: { projectId: string; sessionId: string }) {
  const flags = useRead<FlagPage>(`/projects/${projectId}/flags${query({ limit: 100, sessionId })}`);
  if (flags.data?.flags.length === 0) return null;
  return (
    <section class="card">
      <h2>Flags</h2>
      <Shown of={flags} what="flags">
        {(page) => (
          <ul class="list">
            {page.flags.map((flag) => (
              <li key={flag.flagId}>
                <b>{describeFlag(flag)}</b>
                <span class="muted">{formatTime(flag.flaggedAt)}</span>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </section>
  );
}

const limits: Readonly<Record<string, (value: string, threshold: string) => string>> = {
  minTimeMs: (value, threshold) => `answered in ${value} ms, under ${threshold} ms`,
  maxTimeMs: (value, threshold) => `answered in ${value} ms, over ${threshold} ms`,
  maxPastes: (value, threshold) => `pasted ${value} times, more than ${threshold}`,
  maxFocusExits: (value, threshold) => `left ${value} times, more than ${threshold}`,
  minMouseMoves: (value, threshold) => `${value} pointer movements, fewer than ${threshold}`,
  minKeys: (value, threshold) => `${value} keys pressed, fewer than ${threshold}`,
};

function describeFlag({ anomaly, question }: FlagReply): string {
  if (question !== null) {
    const { questionId, metric, value, threshold } = question;
    const say = limits[metric] ?? ((given: string, limit: string) => `${readable(metric)} ${given}, limit ${limit}`);
    return `${questionId}: ${say(formatCount(value), formatCount(threshold))}`;
  }
  return anomaly === null ? '' : anomaly.detail;
}

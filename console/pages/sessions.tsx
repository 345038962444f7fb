/** The list of scored sessions with its filters. Filters are part of the address. */
import { Link, useSearchParams } from 'wouter-preact';
import type { ScoredSession, ScoredSessionPage } from '../../src/contract/session-trail.js';
import { query, usePages, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { Empty, Older, Shown } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { formatTime, readable } from '../parts/words.js';
import { periodStart, SessionFilters } from './session-filters.js';

const pageSize = 50;

export function SessionsPage({ projectId }: { projectId: string }) {
  const [search] = useSearchParams();
  const { period, ...filters } = Object.fromEntries(search);
  const path = `/lite/sessions${query({ projectId, limit: pageSize, ...filters, from: periodStart(period) })}`;
  const first = useRead<ScoredSessionPage>(path);
  return (
    <>
      <Title text="Sessions" reload={first.reload} />
      <SessionFilters projectId={projectId} />
      <p class="small back">
        <Link href={`/${projectId}/flags`}>Flags raised during sessions</Link>
      </p>
      <Shown of={first} what="sessions">
        {(page) => (
          <SessionTable
            key={`${path} ${page.sessions[0]?.receipt.receiptId}`}
            projectId={projectId}
            path={path}
            first={page}
            isFiltered={search.size > 0}
          />
        )}
      </Shown>
    </>
  );
}

interface TableProps {
  readonly projectId: string;
  readonly path: string;
  readonly first: ScoredSessionPage;
  readonly isFiltered: boolean;
}

function SessionTable({ projectId, path, first, isFiltered }: TableProps) {
  const { pages, ...more } = usePages<ScoredSessionPage>(path, first);
  const sessions = pages.flatMap((page) => page.sessions);
  const older = <Older of={more} what="sessions" />;
  if (sessions.length === 0)
    return (
      <Empty title={isFiltered ? 'No session matches' : 'No session was scored yet'}>
        <p>
          {isFiltered
            ? 'Ids must match exactly. Respondents of open studies are searched on the study’s page.'
            : 'Score one with POST /lite/score. It appears here about a second later.'}
        </p>
        {older}
      </Empty>
    );
  return (
    <>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">Verdict</th>
            <th scope="col">Top reason</th>
            <th scope="col">Duplicate</th>
            <th scope="col">Source</th>
            <th scope="col">Scored</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <SessionRow key={session.sessionId} projectId={projectId} {...session} />
          ))}
        </tbody>
      </table>
      {older}
    </>
  );
}

const SessionRow = ({
  projectId,
  sessionId,
  lastScoredAt,
  receipt,
}: ScoredSession & { readonly projectId: string }) => (
  <tr>
    <th scope="row">
      <Link
        href={`/${projectId}/sessions/${encodeURIComponent(sessionId)}`}
        state={{ filters: window.location.search }}
        class="id"
      >
        {sessionId}
      </Link>
      {receipt.studyId !== null && <span class="muted small">{receipt.studyId}</span>}
    </th>
    <td data-label="Verdict">
      <Badge value={receipt.recommendation} /> <span class="number">{receipt.score}</span>
    </td>
    <td data-label="Top reason">
      {receipt.topReason === null ? <span class="muted none">Nothing against</span> : readable(receipt.topReason)}
    </td>
    <td data-label="Duplicate">
      {receipt.duplicateBand === 'none' ? (
        <span class="muted none">None</span>
      ) : (
        <Badge value={receipt.duplicateBand} />
      )}
    </td>
    <td data-label="Source">{receipt.sourceId ?? <span class="muted none">Not named</span>}</td>
    <td data-label="Scored">
      <time dateTime={lastScoredAt}>{formatTime(lastScoredAt)}</time>
    </td>
  </tr>
);

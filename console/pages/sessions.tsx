/** The list of scored sessions with its filters. Filters are part of the address. */
import { Link, useSearchParams } from 'wouter-preact';
import type { ScoredSession, ScoredSessionPage } from '../../src/contract/session-trail.js';
import { query, usePages, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { None, reasonColumn, SessionLink, supplierColumn, timeColumn, verdictColumn } from '../parts/columns.js';
import { Empty, Older, Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { Title } from '../parts/title.js';
import { periodStart, SessionFilters } from './session-filters.js';
import { SupplierReasons } from './supplier-reasons.js';

const pageSize = 50;

export function SessionsPage({ projectId }: { projectId: string }) {
  const [search] = useSearchParams();
  const { period, ...filters } = Object.fromEntries(search);
  const from = periodStart(period);
  const path = `/lite/sessions${query({ projectId, limit: pageSize, ...filters, from })}`;
  const first = useRead<ScoredSessionPage>(path);
  return (
    <>
      <Title text="Sessions" reload={first.reload} />
      <SessionFilters projectId={projectId} />
      <p class="small back">
        <Link href={`/${projectId}/flags`}>Flags raised during sessions</Link>
      </p>
      {filters['sourceId'] !== undefined && (
        <SupplierReasons {...{ projectId, period }} sourceId={filters['sourceId']} studyId={filters['studyId']} />
      )}
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
      <Table columns={columnsOf(projectId)} rows={sessions} keyOf={({ sessionId }) => sessionId} />
      {older}
    </>
  );
}

const columnsOf = (projectId: string): readonly Column<ScoredSession>[] => [
  {
    name: 'Session',
    cell: ({ sessionId, receipt: { studyId } }) => (
      <>
        <SessionLink projectId={projectId} sessionId={sessionId} filters={window.location.search} />
        {studyId !== null && <span class="muted small">{studyId}</span>}
      </>
    ),
  },
  verdictColumn(({ receipt }) => receipt),
  reasonColumn(({ receipt }) => receipt.topReason),
  {
    name: 'Duplicate',
    cell: ({ receipt: { duplicateBand } }) =>
      duplicateBand === 'none' ? <None text="None" /> : <Badge value={duplicateBand} />,
  },
  supplierColumn(({ receipt }) => receipt.sourceId),
  timeColumn('Scored', ({ lastScoredAt }) => lastScoredAt),
];

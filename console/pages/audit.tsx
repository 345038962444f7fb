/** The audit trail of the organization: who changed what, and when. */
import { useSearchParams } from 'wouter-preact';
import type { AuditEntry } from '../../src/contract/audit.js';
import { query, usePages, useRead } from '../api.js';
import { actionNames } from '../audit-actions.js';
import { timeColumn } from '../parts/columns.js';
import { Empty, Older, Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { readable } from '../parts/words.js';
import { nameOf } from '../settings-fields.js';
import { ProjectFrame } from './project-frame.js';

interface Trail {
  readonly entries: readonly AuditEntry[];
  readonly nextCursor: string | null;
}

const filterNames = ['action', 'from', 'to'] as const;
type Filter = Readonly<Record<(typeof filterNames)[number], string>>;

export function AuditPage({ projectId, organizationId }: { projectId: string; organizationId: string }) {
  const [search, setSearch] = useSearchParams();
  const [action, from, to] = filterNames.map((name) => search.get(name) ?? '') as [string, string, string];
  const filter = { action, from, to };
  const path = `/organizations/${organizationId}/audit${query(filter)}`;
  const trail = useRead<Trail>(path);
  const isFiltered = Object.values(filter).some((value) => value !== '');
  return (
    <ProjectFrame projectId={projectId} page="audit" reload={trail.reload}>
      <Filters {...filter} set={(next) => setSearch({ ...filter, ...next }, { replace: true })} />
      <Shown of={trail} what="the audit trail">
        {(first) =>
          first.entries.length === 0 ? (
            <Empty title={isFiltered ? 'No entry matches' : 'Nothing was changed yet'} />
          ) : (
            <Entries path={path} first={first} />
          )
        }
      </Shown>
    </ProjectFrame>
  );
}

const Filters = ({ action, from, to, set }: Filter & { set: (next: Partial<Filter>) => void }) => (
  <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
    <label>
      <span>Change</span>
      <select value={action} onChange={({ currentTarget }) => set({ action: currentTarget.value })}>
        <option value="">All</option>
        {Object.entries(actionNames).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
    <label>
      <span>From (UTC)</span>
      <input type="date" value={from} onChange={({ currentTarget }) => set({ from: currentTarget.value })} />
    </label>
    <label>
      <span>To (UTC)</span>
      <input type="date" value={to} onChange={({ currentTarget }) => set({ to: currentTarget.value })} />
    </label>
  </form>
);

function Entries({ path, first }: { path: string; first: Trail }) {
  const { pages, ...more } = usePages(path, first);
  return (
    <>
      <Table
        columns={columns}
        rows={pages.flatMap(({ entries }) => entries)}
        keyOf={({ entryId }) => entryId}
        head={1}
      />
      <Older of={more} what="entries" />
    </>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  timeColumn('Time', ({ at }) => at),
  {
    name: 'Change',
    cell: ({ action, subject }) => (
      <>
        <span>{actionNames[action]}</span>{' '}
        {subject.name === null ? (
          <code class="muted">{subject.id}</code>
        ) : (
          <span class="muted small clamped" title={subject.id}>
            {subject.name}
          </span>
        )}
      </>
    ),
  },
  { name: 'By', look: 'small', cell: ({ actor }) => <Actor {...actor} /> },
  { name: 'Detail', look: 'small', cell: ({ detail }) => <Detail {...detail} /> },
];

const Actor = ({ kind, id, name, role }: AuditEntry['actor']) =>
  name === null ? (
    <>
      {role ?? readable(kind)} {kind !== 'operator' && <code class="muted">{id}</code>}
    </>
  ) : (
    <span title={id}>
      {kind === 'key' ? 'API key' : 'OAuth client'} {name}
    </span>
  );

type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null;

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Changed values with those of before if the entry has both, else whatever it has. */
function Detail(detail: AuditEntry['detail']) {
  const { before, after } = detail;
  if (isValues(before) && isValues(after) && Object.keys(before).length > 0)
    return (
      <ul>
        {Object.entries(before).map(([path, value]) => (
          <li key={path} title={path}>
            {nameOf(path.split('/').at(-1) ?? '')}: {formatValue(value)} → {formatValue(after[path])}
          </li>
        ))}
      </ul>
    );
  if (Object.keys(detail).length === 0) return null;
  return (
    <details>
      <summary>Show</summary>
      <pre>{JSON.stringify(detail, null, 2)}</pre>
    </details>
  );
}

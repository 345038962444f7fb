/** Suppliers of a study, and sources of its open links: what each sent, and what became of it. */
import { Link } from 'wouter-preact';
import type { PostbackHealth } from '../../src/contract/postback-health.js';
import type { ReportRow } from '../../src/contract/study-report.js';
import { countColumn, None } from '../parts/columns.js';
import { Table, type Column } from '../parts/table.js';
import { formatCount, formatShare, plural } from '../parts/words.js';
import { countFailing, type SupplierPostbacks } from '../postbacks.js';

interface SuppliersProps {
  readonly projectId: string;
  readonly rows: readonly ReportRow[];
  /** null: not read. */
  readonly postbacks: SupplierPostbacks | null;
}

export const StudySuppliers = ({ projectId, rows, postbacks }: SuppliersProps) => (
  <section class="card">
    <h2>Suppliers and sources</h2>
    <Table
      columns={columnsOf(projectId, postbacks ?? [])}
      rows={rows}
      keyOf={({ supplierId, sourceId }) => `${supplierId} ${sourceId}`}
      look="dense"
    />
  </section>
);

const columnsOf = (projectId: string, postbacks: SupplierPostbacks): readonly Column<ReportRow>[] => [
  {
    name: 'Supplier',
    cell: (row) => (
      <Supplier
        {...{ projectId, row }}
        postbacks={postbacks.find(({ supplierId }) => supplierId === row.supplierId)?.postbacks ?? null}
      />
    ),
  },
  countColumn('Entered', ({ entries }) => entries),
  refusalColumn('Refused for quality', ({ quality }) => quality),
  refusalColumn('Full', ({ full }) => full),
  refusalColumn('Other refusals', ({ duplicate, targeting, limit }) => duplicate + targeting + limit),
  countColumn('Ended by the survey', ({ terminated }) => terminated),
  countColumn('Verified', ({ verified }) => verified),
  countColumn('Completed', ({ completed }) => completed),
  countColumn('Not confirmed', ({ unconfirmed }) => unconfirmed),
  countColumn('Too fast', ({ tooFast }) => tooFast),
  countColumn('Reversed', ({ reversed }) => reversed),
  {
    name: 'Median time',
    isNumber: true,
    cell: ({ medianSeconds }) => (medianSeconds === null ? <None text="None" /> : `${formatCount(medianSeconds)} s`),
  },
];

/** A count with its share of the entries. */
const refusalColumn = (name: string, of: (counts: ReportRow['screenedOut']) => number): Column<ReportRow> => ({
  name,
  isNumber: true,
  cell: ({ screenedOut, entries }) => {
    const count = of(screenedOut);
    return (
      <span>
        {formatCount(count)} {count > 0 && <span class="muted small">({formatShare(count / entries)})</span>}
      </span>
    );
  },
});

interface SupplierProps {
  readonly projectId: string;
  readonly row: ReportRow;
  readonly postbacks: PostbackHealth | null;
}

const Supplier = ({ projectId, row: { supplierId, name, sourceId, unsent }, postbacks }: SupplierProps) => (
  <>
    <span>{name ?? sourceId ?? (supplierId === null ? 'Further sources' : 'A deleted supplier')}</span>
    <span class="muted small">{supplierId === null ? 'Open links' : sourceId}</span>
    {supplierId !== null && postbacks !== null && (
      <Link class="small" href={`/${projectId}/suppliers/${encodeURIComponent(supplierId)}`}>
        Postbacks: {countFailing(postbacks) === 0 ? 'none failing' : `${formatCount(countFailing(postbacks))} failing`}
      </Link>
    )}
    {unsent > 0 && <span class="muted small">{plural(unsent, 'status', 'statuses')} unsent</span>}
  </>
);

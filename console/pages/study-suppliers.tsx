/** Suppliers of a study, and sources of its open links: what each sent, and what became of it. */
import { Link } from 'wouter-preact';
import type { PostbackHealth } from '../../src/contract/postback-health.js';
import type { ReportRow } from '../../src/contract/study-report.js';
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
    <table class="rows dense">
      <thead>
        <tr>
          <th scope="col">Supplier</th>
          {[
            'Entered',
            'Refused for quality',
            'Full',
            'Other refusals',
            'Ended by the survey',
            'Verified',
            'Completed',
            'Not confirmed',
            'Too fast',
            'Reversed',
          ].map((name) => (
            <th key={name} scope="col" class="end">
              {name}
            </th>
          ))}
          <th scope="col" class="end">
            Median time
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <SupplierRow
            key={`${row.supplierId} ${row.sourceId}`}
            {...{ projectId, row }}
            postbacks={postbacks?.find(({ supplierId }) => supplierId === row.supplierId)?.postbacks ?? null}
          />
        ))}
      </tbody>
    </table>
  </section>
);

interface RowProps {
  readonly projectId: string;
  readonly row: ReportRow;
  readonly postbacks: PostbackHealth | null;
}

const SupplierRow = ({ projectId, row, postbacks }: RowProps) => {
  const { supplierId, name, sourceId, entries, screenedOut, medianSeconds } = row;
  const { full, duplicate, quality, targeting, limit } = screenedOut;
  const refusals = [
    ['Refused for quality', quality],
    ['Full', full],
    ['Other refusals', duplicate + targeting + limit],
  ] as const;
  return (
    <tr>
      <th scope="row">
        <span>{name ?? sourceId ?? (supplierId === null ? 'Further sources' : 'A deleted supplier')}</span>
        <span class="muted small">{supplierId === null ? 'Open links' : sourceId}</span>
        {supplierId !== null && postbacks !== null && (
          <Link class="small" href={`/${projectId}/suppliers/${encodeURIComponent(supplierId)}`}>
            Postbacks:{' '}
            {countFailing(postbacks) === 0 ? 'none failing' : `${formatCount(countFailing(postbacks))} failing`}
          </Link>
        )}
        {row.unsent > 0 && <span class="muted small">{plural(row.unsent, 'status', 'statuses')} unsent</span>}
      </th>
      <td class="end" data-label="Entered">
        {formatCount(entries)}
      </td>
      {refusals.map(([label, count]) => (
        <td key={label} class="end" data-label={label}>
          <span>
            {formatCount(count)} {count > 0 && <span class="muted small">({formatShare(count / entries)})</span>}
          </span>
        </td>
      ))}
      {(
        [
          ['Ended by the survey', row.terminated],
          ['Verified', row.verified],
          ['Completed', row.completed],
          ['Not confirmed', row.unconfirmed],
          ['Too fast', row.tooFast],
          ['Reversed', row.reversed],
        ] as const
      ).map(([label, value]) => (
        <td key={label} class="end" data-label={label}>
          {formatCount(value)}
        </td>
      ))}
      <td class="end" data-label="Median time">
        {medianSeconds === null ? <span class="muted">None</span> : `${formatCount(medianSeconds)} s`}
      </td>
    </tr>
  );
};

/** Visits by links that opened nothing: why a supplier delivers nobody. */
import type { RefusedLink } from '../../src/contract/study-report.js';
import { countColumn, textColumn, timeColumn } from '../parts/columns.js';
import { Table, type Column } from '../parts/table.js';

const reasons: Readonly<Partial<Record<RefusedLink['reason'], string>>> = {
  value_missing: '“rid”, “src” or “exp” is missing',
  value_repeated: 'A parameter stands twice',
  value_too_long: 'A value is too long',
  value_unreadable: '“rid” has only dots, or an unknown parameter a control character',
  line_feed: 'A value has a line feed or another control character',
  supplier_unknown: 'No supplier has this “src”',
  supplier_not_in_study: 'The study does not list the supplier',
  signature_missing: 'The link has no signature',
  signature_wrong: 'The signature is wrong',
  expired: 'The link expired',
};

const columns: readonly Column<RefusedLink>[] = [
  textColumn(
    'Supplier in the link',
    ({ supplierId, name }) => name ?? (supplierId === null ? 'No known supplier' : 'A deleted supplier'),
  ),
  textColumn('Problem', ({ reason }) => reasons[reason] ?? reason),
  countColumn('Visits', ({ visits }) => visits),
  timeColumn('Last visit', ({ lastAt }) => lastAt),
];

export const StudyRefusedLinks = ({ links }: { links: readonly RefusedLink[] }) => (
  <section class="card">
    <h2>Invalid links</h2>
    <p class="muted">
      These visits reached no entry check and are no entries. Anyone can send an invalid link, so a supplier may not be
      its sender.
    </p>
    <Table columns={columns} rows={links} keyOf={({ supplierId, reason }) => `${supplierId} ${reason}`} look="dense" />
  </section>
);

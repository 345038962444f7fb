/** Suppliers that have a postback address, and whether their postbacks go out. */
import { Link } from 'wouter-preact';
import { usePostbacks, type SupplierPostbacks } from '../postbacks.js';
import { countColumn, stateColumn } from '../parts/columns.js';
import { Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';

export function SupplierPostbackList({ projectId }: { projectId: string }) {
  const postbacks = usePostbacks('all');
  return (
    <Shown of={postbacks} what="postbacks">
      {(suppliers) =>
        suppliers.length === 0 ? null : (
          <section class="card">
            <h2>Postbacks</h2>
            <Table columns={columnsOf(projectId)} rows={suppliers} keyOf={({ supplierId }) => supplierId} />
          </section>
        )
      }
    </Shown>
  );
}

const columnsOf = (projectId: string): readonly Column<SupplierPostbacks[number]>[] => [
  {
    name: 'Supplier',
    cell: ({ supplierId, name }) => (
      <Link href={`/${projectId}/suppliers/${encodeURIComponent(supplierId)}`}>{name}</Link>
    ),
  },
  stateColumn(({ postbacks }) => postbacks.health.state),
  countColumn('Retrying', ({ postbacks }) => postbacks.retrying),
  countColumn('Given up', ({ postbacks }) => postbacks.exhausted),
];

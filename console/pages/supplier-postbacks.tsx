/** Suppliers that have a postback address, and whether their postbacks go out. */
import { Link } from 'wouter-preact';
import { usePostbacks } from '../postbacks.js';
import { Badge } from '../parts/badge.js';
import { Shown } from '../parts/states.js';
import { formatCount } from '../parts/words.js';

export function SupplierPostbackList({ projectId }: { projectId: string }) {
  const postbacks = usePostbacks('all');
  return (
    <Shown of={postbacks} what="postbacks">
      {(suppliers) =>
        suppliers.length === 0 ? null : (
          <section class="card">
            <h2>Postbacks</h2>
            <table class="rows">
              <thead>
                <tr>
                  <th scope="col">Supplier</th>
                  <th scope="col">State</th>
                  <th scope="col" class="end">
                    Retrying
                  </th>
                  <th scope="col" class="end">
                    Given up
                  </th>
                </tr>
              </thead>
              <tbody>
                {suppliers.map(({ supplierId, name, postbacks: { retrying, exhausted, health } }) => (
                  <tr key={supplierId}>
                    <th scope="row">
                      <Link href={`/${projectId}/suppliers/${encodeURIComponent(supplierId)}`}>{name}</Link>
                    </th>
                    <td data-label="State">
                      <Badge value={health.state} />
                    </td>
                    <td class="end" data-label="Retrying">
                      {formatCount(retrying)}
                    </td>
                    <td class="end" data-label="Given up">
                      {formatCount(exhausted)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )
      }
    </Shown>
  );
}

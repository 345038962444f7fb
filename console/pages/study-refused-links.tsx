/** Visits by links that opened nothing: why a supplier delivers nobody. */
import type { RefusedLink } from '../../src/contract/study-report.js';
import { formatCount, formatTime } from '../parts/words.js';

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

export const StudyRefusedLinks = ({ links }: { links: readonly RefusedLink[] }) => (
  <section class="card">
    <h2>Invalid links</h2>
    <p class="muted">
      These visits reached no gate and are no entries. Anyone can send an invalid link, so a supplier may not be its
      sender.
    </p>
    <table class="rows dense">
      <thead>
        <tr>
          <th scope="col">Supplier in the link</th>
          <th scope="col">Problem</th>
          <th scope="col" class="end">
            Visits
          </th>
          <th scope="col">Last visit</th>
        </tr>
      </thead>
      <tbody>
        {links.map(({ supplierId, name, reason, visits, lastAt }) => (
          <tr key={`${supplierId} ${reason}`}>
            <th scope="row">{name ?? (supplierId === null ? 'No known supplier' : 'A deleted supplier')}</th>
            <td data-label="Problem">{reasons[reason] ?? reason}</td>
            <td class="end" data-label="Visits">
              {formatCount(visits)}
            </td>
            <td data-label="Last visit">
              <time dateTime={lastAt}>{formatTime(lastAt)}</time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

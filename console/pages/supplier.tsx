/** The postbacks to one supplier: whether they go out, each with its attempts, and sending again. */
import { useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import type { PostbackHealthPage } from '../../src/contract/postback-health.js';
import { query, useRead } from '../api.js';
import { AdminOnly, RoleNotice } from '../parts/role.js';
import { Empty, Shown } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { formatCount } from '../parts/words.js';
import { StateFilter } from './webhook.js';
import { Deliveries } from './webhook-deliveries.js';
import { Health, SendAgain } from './webhook-health.js';

export function SupplierPage({ projectId, supplierId }: { projectId: string; supplierId: string }) {
  const path = `/suppliers/${encodeURIComponent(supplierId)}`;
  const known = useRead<PostbackHealthPage>(`/postbacks${query({ supplierId })}`, 'audience');
  const [search, setSearch] = useSearchParams();
  const filter = { state: search.get('state') ?? '', sessionId: '' };
  const [sent, setSent] = useState(0);
  const noteSent = (): void => {
    known.reload();
    setSent((each) => each + 1);
  };
  return (
    <>
      <p class="back">
        <Link href={`/${projectId}/suppliers`}>← Suppliers</Link>
      </p>
      <Shown of={known} what="the supplier">
        {({ suppliers: [supplier] }) =>
          supplier === undefined ? (
            <Empty title="No postbacks">
              <p>This supplier has no postback address. Set its postbackUrl through the API.</p>
            </Empty>
          ) : (
            <>
              <Title text={`Postbacks to ${supplier.name}`} reload={noteSent} />
              <Health health={supplier.postbacks.health} />
              <p class="facts">
                <span>{formatCount(supplier.postbacks.retrying)} retrying</span>
                <span>{formatCount(supplier.postbacks.exhausted)} given up</span>
              </p>
              <RoleNotice />
              <AdminOnly>
                <SendAgain path={path} of="audience" done={noteSent} />
              </AdminOnly>
              <form class="filters" onSubmit={(event) => event.preventDefault()}>
                <StateFilter
                  state={filter.state}
                  set={(state) => setSearch(state === '' ? {} : { state }, { replace: true })}
                />
              </form>
              <Deliveries
                key={filter.state}
                {...{ projectId, path, filter, sent, noteSent, settled: known.reload }}
                of="audience"
              />
            </>
          )
        }
      </Shown>
    </>
  );
}

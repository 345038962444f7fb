/** Webhooks of the project: where events go, and whether they go out. */
import { Link } from 'wouter-preact';
import type { WebhookReply } from '../../src/contract/webhook.js';
import { query, useRead } from '../api.js';
import { stateColumn, timeColumn } from '../parts/columns.js';
import { Empty, Shown } from '../parts/states.js';
import { Table, type Column } from '../parts/table.js';
import { Title } from '../parts/title.js';

/** Most webhooks of a project. */
const webhooksMax = 50;

export function WebhooksPage({ projectId }: { projectId: string }) {
  const webhooks = useRead<{ webhooks: readonly WebhookReply[] }>(
    `/projects/${projectId}/webhooks${query({ limit: webhooksMax })}`,
  );
  return (
    <>
      <Title text="Webhooks" reload={webhooks.reload} />
      <Shown of={webhooks} what="webhooks">
        {({ webhooks: listed }) =>
          listed.length === 0 ? (
            <Empty title="No webhook yet">
              <p>Register an address with POST /projects/{projectId}/webhooks. Events are then sent to it.</p>
            </Empty>
          ) : (
            <Table columns={columnsOf(projectId)} rows={listed} keyOf={({ webhookId }) => webhookId} />
          )
        }
      </Shown>
    </>
  );
}

const columnsOf = (projectId: string): readonly Column<WebhookReply>[] => [
  {
    name: 'Webhook',
    cell: ({ webhookId, url, description }) => (
      <>
        <Link href={`/${projectId}/webhooks/${encodeURIComponent(webhookId)}`}>{description ?? url}</Link>
        {description !== null && <span class="muted small clamped">{url}</span>}
      </>
    ),
  },
  stateColumn(({ health }) => health.state, 'Deliveries'),
  { name: 'Events', look: 'codes', cell: ({ events }) => events.join(', ') },
  timeColumn('Registered', ({ createdAt }) => createdAt),
];

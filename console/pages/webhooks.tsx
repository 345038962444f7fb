/** Webhooks of the project: where events go, and whether they go out. */
import { Link } from 'wouter-preact';
import type { WebhookReply } from '../../src/contract/webhook.js';
import { query, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { Empty, Shown } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { formatTime } from '../parts/words.js';

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
            <WebhookTable projectId={projectId} webhooks={listed} />
          )
        }
      </Shown>
    </>
  );
}

interface TableProps {
  readonly projectId: string;
  readonly webhooks: readonly WebhookReply[];
}

const WebhookTable = ({ projectId, webhooks }: TableProps) => (
  <table class="rows">
    <thead>
      <tr>
        <th scope="col">Webhook</th>
        <th scope="col">Deliveries</th>
        <th scope="col">Events</th>
        <th scope="col">Registered</th>
      </tr>
    </thead>
    <tbody>
      {webhooks.map(({ webhookId, url, description, health, events, createdAt }) => (
        <tr key={webhookId}>
          <th scope="row">
            <Link href={`/${projectId}/webhooks/${encodeURIComponent(webhookId)}`}>{description ?? url}</Link>
            {description !== null && <span class="muted small clamped">{url}</span>}
          </th>
          <td data-label="Deliveries">
            <Badge value={health.state} />
          </td>
          <td data-label="Events" class="codes">
            {events.join(', ')}
          </td>
          <td data-label="Registered">
            <time dateTime={createdAt}>{formatTime(createdAt)}</time>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

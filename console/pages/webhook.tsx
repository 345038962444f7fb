/** One webhook: whether its deliveries go out, what was sent with every attempt, and sending again. */
import { useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import type { AttemptState, WebhookReply } from '../../src/contract/webhook.js';
import { useRead } from '../api.js';
import { AdminOnly, RoleNotice } from '../parts/role.js';
import { Shown } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { deliveryStateNames } from '../parts/words.js';
import { Deliveries } from './webhook-deliveries.js';
import { Health, SendAgain } from './webhook-health.js';

const attemptStates = ['PENDING', 'SUCCEEDED', 'FAILED', 'EXHAUSTED'] as const satisfies readonly AttemptState[];
export function WebhookPage({ projectId, webhookId }: { projectId: string; webhookId: string }) {
  const path = `/projects/${projectId}/webhooks/${encodeURIComponent(webhookId)}`;
  const webhook = useRead<WebhookReply>(path);
  const [search, setSearch] = useSearchParams();
  const filter = { state: search.get('state') ?? '', sessionId: search.get('sessionId') ?? '' };
  const [sent, setSent] = useState(0);
  const noteSent = (): void => {
    webhook.reload();
    setSent((each) => each + 1);
  };
  return (
    <>
      <p class="back">
        <Link href={`/${projectId}/webhooks`}>← Webhooks</Link>
      </p>
      <Shown of={webhook} what="the webhook">
        {(shown) => (
          <>
            <Title text={shown.description ?? shown.url} reload={noteSent} />
            {shown.description !== null && <p class="muted small clamped">{shown.url}</p>}
            <Health health={shown.health} />
            <RoleNotice />
            <AdminOnly>
              <SendAgain path={path} done={noteSent} hasTest />
            </AdminOnly>
            <Filters {...filter} set={(next) => setSearch({ ...filter, ...next }, { replace: true })} />
            <Deliveries
              key={JSON.stringify(filter)}
              {...{ projectId, path, filter, sent, noteSent, settled: webhook.reload }}
            />
          </>
        )}
      </Shown>
    </>
  );
}

interface Filter {
  readonly state: string;
  readonly sessionId: string;
}

const Filters = ({ state, sessionId, set }: Filter & { set: (next: Partial<Filter>) => void }) => (
  <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
    <StateFilter state={state} set={(next) => set({ state: next })} />
    <label>
      <span>Session id</span>
      <input
        type="search"
        maxLength={256}
        value={sessionId}
        onChange={({ currentTarget }) => set({ sessionId: currentTarget.value.trim() })}
      />
    </label>
  </form>
);

export const StateFilter = ({ state, set }: { state: string; set: (state: string) => void }) => (
  <label>
    <span>State</span>
    <select value={state} onChange={({ currentTarget }) => set(currentTarget.value)}>
      <option value="">All</option>
      {attemptStates.map((each) => (
        <option key={each} value={each}>
          {deliveryStateNames[each]}
        </option>
      ))}
    </select>
  </label>
);

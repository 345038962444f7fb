/** One webhook: whether its deliveries go out, what was sent with every attempt, and sending again. */
import { useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import type { AttemptState, RecoveryReply, WebhookReply } from '../../src/contract/webhook.js';
import { call, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { AdminOnly, RoleNotice } from '../parts/role.js';
import { Failed, Shown } from '../parts/states.js';
import { Title } from '../parts/title.js';
import { formatTime, plural, readable } from '../parts/words.js';
import { Deliveries } from './webhook-deliveries.js';

const attemptStates = ['PENDING', 'SUCCEEDED', 'FAILED', 'EXHAUSTED'] as const satisfies readonly AttemptState[];
const hourMs = 3_600_000;
const periods = {
  1: 'the last hour',
  24: 'the last 24 hours',
  168: 'the last 7 days',
  720: 'the last 30 days',
} as const;

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
              <SendAgain path={path} done={noteSent} />
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
    <label>
      <span>State</span>
      <select value={state} onChange={({ currentTarget }) => set({ state: currentTarget.value })}>
        <option value="">All</option>
        {attemptStates.map((each) => (
          <option key={each} value={each}>
            {readable(each.toLowerCase())}
          </option>
        ))}
      </select>
    </label>
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

function Health({ health: { state, reason, since, nextTryAt } }: Pick<WebhookReply, 'health'>) {
  if (reason === null)
    return (
      <p class="facts">
        <Badge value={state} />
      </p>
    );
  return (
    <div class="notice warn" role="status">
      <p>
        <Badge value={state} /> {reason}
      </p>
      <p class="small">
        {since !== null && <>Since {formatTime(since)}. </>}
        {nextTryAt !== null && <>Next try {formatTime(nextTryAt)}.</>}
      </p>
    </div>
  );
}

/** Sends again what failed in a period, or a test event. Both need the role admin or owner. */
function SendAgain({ path, done }: { path: string; done: () => void }) {
  const [hours, setHours] = useState<keyof typeof periods>(24);
  const [result, setResult] = useState<{ text: string; isError: boolean } | null>(null);
  const run = async (work: () => Promise<string>): Promise<void> => {
    try {
      setResult({ text: await work(), isError: false });
      done();
    } catch (error) {
      setResult({ text: (error as Error).message, isError: true });
    }
  };
  const recover = async (): Promise<string> => {
    const since = new Date(Date.now() - hours * hourMs).toISOString();
    const { requeued } = await call<RecoveryReply>(`${path}/recover`, { method: 'POST', body: { since } });
    if (requeued === 0) return 'No delivery failed in this period.';
    return `${plural(requeued, 'delivery is', 'deliveries are')} sent again.`;
  };
  const test = async (): Promise<string> => {
    await call(`${path}/test`, { method: 'POST' });
    return 'A test event is on its way. It appears in the list.';
  };
  return (
    <>
      <p class="actions">
        <label class="inline">
          <span>Failed in</span>
          <select
            value={hours}
            onChange={({ currentTarget }) => setHours(Number(currentTarget.value) as keyof typeof periods)}
          >
            {Object.entries(periods).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => void run(recover)}>
          Send all again
        </button>
        <button type="button" class="quiet" onClick={() => void run(test)}>
          Send a test event
        </button>
      </p>
      {result?.isError === true && <Failed message={result.text} />}
      {result?.isError === false && (
        <div class="notice good" role="status">
          <p>{result.text}</p>
        </div>
      )}
    </>
  );
}

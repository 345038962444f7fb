/** The deliveries of a webhook, the newest first, each with its attempts. */
import { useState } from 'preact/hooks';
import type { DeliveryAttempt, DeliveryReply } from '../../src/contract/webhook.js';
import { call, query, usePages, useRead } from '../api.js';
import { Badge } from '../parts/badge.js';
import { Empty, Failed, Older, Shown } from '../parts/states.js';
import { formatTime } from '../parts/words.js';

const pageSize = 25;

interface DeliveryPage {
  readonly deliveries: readonly DeliveryReply[];
  readonly nextCursor: string | null;
}

/** `path` is that of the webhook; an empty state shows all. */
export function Deliveries({ path, state }: { path: string; state: string }) {
  const list = `${path}/deliveries${query({ limit: pageSize, state })}`;
  const first = useRead<DeliveryPage>(list);
  return (
    <Shown of={first} what="deliveries">
      {(page) => <DeliveryList path={path} list={list} first={page} isFiltered={state !== ''} />}
    </Shown>
  );
}

interface ListProps {
  readonly path: string;
  readonly list: string;
  readonly first: DeliveryPage;
  readonly isFiltered: boolean;
}

function DeliveryList({ path, list, first, isFiltered }: ListProps) {
  const { pages, ...more } = usePages<DeliveryPage>(list, first);
  const deliveries = pages.flatMap((page) => page.deliveries);
  if (deliveries.length === 0)
    return (
      <Empty title={isFiltered ? 'No delivery has this state' : 'Nothing was sent yet'}>
        <p>{isFiltered ? 'Choose another state.' : 'A delivery appears here as soon as its event happens.'}</p>
      </Empty>
    );
  return (
    <section class="card">
      <h2>Deliveries</h2>
      <ol class="list deliveries">
        {deliveries.map((delivery) => (
          <Delivery key={delivery.deliveryId} path={path} {...delivery} />
        ))}
      </ol>
      <Older of={more} what="deliveries" />
    </section>
  );
}

function Delivery({
  path,
  deliveryId,
  event,
  sessionId,
  state,
  createdAt,
  nextAttemptAt,
  payload,
  attempts,
}: DeliveryReply & { readonly path: string }) {
  const problem = attempts.find(({ error: each }) => each !== null)?.error ?? null;
  return (
    <li>
      <details>
        <summary>
          <Badge value={state.toLowerCase()} /> {event} <span class="muted small">{formatTime(createdAt)}</span>
          {problem !== null && <span class="muted small reason">{problem}</span>}
        </summary>
        <dl class="pairs">
          <div>
            <dt>Session</dt>
            <dd>
              <code>{sessionId}</code>
            </dd>
          </div>
          {nextAttemptAt !== null && (
            <div>
              <dt>Next attempt</dt>
              <dd>{formatTime(nextAttemptAt)}</dd>
            </div>
          )}
        </dl>
        <ol class="list">
          {attempts.map((attempt) => (
            <Attempt key={attempt.attempt} {...attempt} />
          ))}
        </ol>
        <h3>Payload</h3>
        {payload === null ? (
          <p class="muted">Deleted, as the retention or an erasure demands.</p>
        ) : (
          <pre tabIndex={0}>
            <code>{JSON.stringify(payload, null, 2)}</code>
          </pre>
        )}
        <Replay path={`${path}/deliveries/${deliveryId}/replay`} isGone={payload === null} />
      </details>
    </li>
  );
}

function Replay({ path, isGone }: { path: string; isGone: boolean }) {
  const [isSent, setSent] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const replay = async (): Promise<void> => {
    setError(null);
    try {
      await call(path, { method: 'POST' });
      setSent(true);
    } catch (failure) {
      setError((failure as Error).message);
    }
  };
  return (
    <>
      <p class="actions">
        <button type="button" class="quiet" disabled={isSent || isGone} onClick={() => void replay()}>
          {isSent ? 'Sent again' : 'Send this one again'}
        </button>
      </p>
      {error !== null && <Failed message={error} />}
    </>
  );
}

const Attempt = ({ attempt, state, statusCode, durationMs, error, responseBody, startedAt }: DeliveryAttempt) => (
  <li>
    <span>
      Attempt {attempt}: <Badge value={state.toLowerCase()} /> {statusCode !== null && `HTTP ${statusCode}`}{' '}
      {error !== null && <span class="muted">{error}</span>}
    </span>
    <span class="muted small">
      {durationMs !== null && `${durationMs} ms `}
      {startedAt !== null && formatTime(startedAt)}
    </span>
    {responseBody !== null && responseBody !== '' && (
      <pre class="whole" tabIndex={0}>
        <code>{responseBody}</code>
      </pre>
    )}
  </li>
);

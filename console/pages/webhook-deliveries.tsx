/** The deliveries of a webhook, the newest first, each with its attempts. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { DeliveryAttempt, DeliveryReply } from '../../src/contract/webhook.js';
import { call, query, usePages, useRead, type Read } from '../api.js';
import { Badge } from '../parts/badge.js';
import { AdminOnly } from '../parts/role.js';
import { Empty, Failed, Older, Shown } from '../parts/states.js';
import { deliveryStateNames, formatTime } from '../parts/words.js';

const pageSize = 25;

interface DeliveryPage {
  readonly deliveries: readonly DeliveryReply[];
  readonly nextCursor: string | null;
}

/** Sessions of test deliveries, which no page shows. */
const testSessions = 'sess_test_';
const watchEveryMs = 1_000;
const watchMsMax = 10_000;

interface DeliveriesProps {
  readonly projectId: string;
  /** Path of the webhook, or of the supplier. */
  readonly path: string;
  /** Postbacks of suppliers are of the audience API. */
  readonly of?: 'audience' | undefined;
  /** Empty ones show all. */
  readonly filter: { readonly state: string; readonly sessionId: string };
  /** Grows when something was sent: the list is then read again until it has arrived. */
  readonly sent: number;
  readonly noteSent: () => void;
  readonly settled: () => void;
}

export function Deliveries({ filter, sent, settled, ...shared }: DeliveriesProps) {
  const list = `${shared.path}/deliveries${query({ limit: pageSize, ...filter })}`;
  const first = useRead<DeliveryPage>(list, shared.of);
  const isFiltered = filter.state !== '' || filter.sessionId !== '';
  useWatch(first, sent, settled);
  return (
    <Shown of={first} what="deliveries">
      {(page) => <DeliveryList {...shared} list={list} first={page} isFiltered={isFiltered} />}
    </Shown>
  );
}

/** Reads again every second, for as long as a listed delivery waits and at most for 10 seconds. */
function useWatch({ data, loading, reload }: Read<DeliveryPage>, sent: number, settled: () => void): void {
  const latest = useRef({ isOver: false, loading });
  const isOver = data?.deliveries.every(({ state }) => state === 'SUCCEEDED' || state === 'EXHAUSTED') ?? false;
  latest.current = { isOver, loading };
  useEffect(() => {
    if (sent === 0) return;
    reload();
    const endsAt = Date.now() + watchMsMax;
    const timer = setInterval(() => {
      if (latest.current.loading) return;
      if (!latest.current.isOver && Date.now() < endsAt) return reload();
      clearInterval(timer);
      settled();
    }, watchEveryMs);
    return () => clearInterval(timer);
  }, [sent]);
}

interface ListProps extends Pick<DeliveriesProps, 'projectId' | 'path' | 'of' | 'noteSent'> {
  readonly list: string;
  readonly first: DeliveryPage;
  readonly isFiltered: boolean;
}

function DeliveryList({ list, first, isFiltered, ...shared }: ListProps) {
  const { pages, ...more } = usePages<DeliveryPage>(list, first, shared.of);
  const deliveries = pages.flatMap((page) => page.deliveries);
  if (deliveries.length === 0)
    return (
      <Empty title={isFiltered ? 'No delivery matches' : 'Nothing was sent yet'}>
        <p>
          {isFiltered ? 'Choose another state or session.' : 'A delivery appears here as soon as its event happens.'}
        </p>
      </Empty>
    );
  return (
    <section class="card">
      <h2>Deliveries</h2>
      <ol class="list deliveries">
        {deliveries.map((delivery) => (
          <Delivery key={delivery.deliveryId} {...shared} {...delivery} />
        ))}
      </ol>
      <Older of={more} what="deliveries" />
    </section>
  );
}

function Delivery({
  projectId,
  path,
  of,
  noteSent,
  deliveryId,
  event,
  sessionId,
  state,
  createdAt,
  nextAttemptAt,
  payload,
  attempts,
}: DeliveryReply & Pick<ListProps, 'projectId' | 'path' | 'of' | 'noteSent'>) {
  const hasFailed = state === 'FAILED' || state === 'EXHAUSTED';
  const problem = hasFailed ? (attempts.find((attempt) => attempt.state !== 'PENDING')?.error ?? null) : null;
  return (
    <li>
      <details>
        <summary>
          <Badge value={state.toLowerCase()} text={deliveryStateNames[state]} /> {event}{' '}
          <span class="muted small">{formatTime(createdAt)}</span> <code class="muted">{sessionId}</code>
          {state === 'FAILED' && nextAttemptAt !== null && (
            <span class="muted small">Next attempt {formatTime(nextAttemptAt)}</span>
          )}
          {problem !== null && <span class="muted small reason">{problem}</span>}
        </summary>
        <About {...{ projectId, sessionId, nextAttemptAt, payload }} />
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
        <Replay path={`${path}/deliveries/${deliveryId}/replay`} isGone={payload === null} {...{ of, noteSent }} />
      </details>
    </li>
  );
}

type AboutProps = Pick<DeliveryReply, 'sessionId' | 'nextAttemptAt' | 'payload'> & Pick<ListProps, 'projectId'>;

function About({ projectId, sessionId, nextAttemptAt, payload }: AboutProps) {
  const respondentId = payload?.data['respondent_id'] ?? payload?.data['rid'];
  return (
    <dl class="pairs">
      <div>
        <dt>Session</dt>
        <dd>
          {sessionId.startsWith(testSessions) ? (
            'Made up for a test'
          ) : (
            <Link class="id" href={`/${projectId}/sessions/${encodeURIComponent(sessionId)}`}>
              {sessionId}
            </Link>
          )}
        </dd>
      </div>
      {typeof respondentId === 'string' && (
        <div>
          <dt>Respondent</dt>
          <dd>
            <code>{respondentId}</code>
          </dd>
        </div>
      )}
      {nextAttemptAt !== null && (
        <div>
          <dt>Next attempt</dt>
          <dd>{formatTime(nextAttemptAt)}</dd>
        </div>
      )}
    </dl>
  );
}

interface ReplayProps extends Pick<ListProps, 'path' | 'of' | 'noteSent'> {
  readonly isGone: boolean;
}

function Replay({ path, of, isGone, noteSent }: ReplayProps) {
  const [isSent, setSent] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const replay = async (): Promise<void> => {
    setError(null);
    try {
      await call(path, { method: 'POST', of });
      setSent(true);
      noteSent();
    } catch (failure) {
      setError((failure as Error).message);
    }
  };
  return (
    <>
      <p class="actions">
        <AdminOnly>
          <button type="button" class="quiet" disabled={isSent || isGone} onClick={() => void replay()}>
            {isSent ? 'Sent again' : 'Send this one again'}
          </button>
        </AdminOnly>
      </p>
      {error !== null && <Failed message={error} />}
    </>
  );
}

const Attempt = ({ attempt, state, statusCode, durationMs, error, responseBody, startedAt }: DeliveryAttempt) => (
  <li>
    <span>
      Attempt {attempt}: <Badge value={state === 'EXHAUSTED' ? 'failed' : state.toLowerCase()} />{' '}
      {statusCode !== null && `HTTP ${statusCode}`} {error !== null && <span class="muted">{error}</span>}
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

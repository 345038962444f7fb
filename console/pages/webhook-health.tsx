/** Whether deliveries go out, and sending again what failed: of a webhook, or of the postbacks to a supplier. */
import { useState } from 'preact/hooks';
import type { RecoveryReply, WebhookReply } from '../../src/contract/webhook.js';
import { call } from '../api.js';
import { Badge } from '../parts/badge.js';
import { Failed } from '../parts/states.js';
import { formatTime, plural } from '../parts/words.js';

const hourMs = 3_600_000;
const periods = {
  1: 'the last hour',
  24: 'the last 24 hours',
  168: 'the last 7 days',
  720: 'the last 30 days',
} as const;

export function Health({ health: { state, reason, since, nextTryAt } }: Pick<WebhookReply, 'health'>) {
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

interface SendAgainProps {
  readonly path: string;
  readonly of?: 'audience' | undefined;
  readonly done: () => void;
  /** Whether a test event can be sent. */
  readonly hasTest?: boolean;
}

/** Sends again what failed in a period, or a test event. Both need the role admin or owner. */
export function SendAgain({ path, of, done, hasTest = false }: SendAgainProps) {
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
    const { requeued } = await call<RecoveryReply>(`${path}/recover`, {
      ...{ method: 'POST', body: { since }, of },
    });
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
        {hasTest && (
          <button type="button" class="quiet" onClick={() => void run(test)}>
            Send a test event
          </button>
        )}
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

/**
 * Reports what the respondent does while a session goes on: behaviour, and the questions that the page observes. It is fire and forget: no
 * verdict waits for it, and nothing that becomes of it reaches the page. Bounded: one report under way, each waits longer than the one before,
 * a hundred in all; none after the session's time, or once the service refused one.
 */
import type { Activity as Report } from '../../src/contract/monitoring.js';
import type { SessionReply } from '../../src/contract/session.js';
import type { QuestionSnapshot } from '../lite/api.js';
import { messageBytesMax } from '../lite/fit.js';
import { readSharedQuestions } from '../lite/shared-questions.js';
import { createUpdates, type Updates } from '../lite/updates.js';
import type { DeviceWatch } from './device.js';
import { leftMsOf } from './lifetime.js';

const requestMs = 5_000;
const settleMs = 100;
const questionsMax = 50;

export type Followed = Pick<SessionReply, 'sessionId' | 'clientSecret' | 'expiresAt'>;

export interface Activity {
  /** Reports go to this session from now on. */
  follow(session: Followed): void;
  /** Ends reports for good. */
  stop(): void;
}

/** `onEnd` is called once, when there is nothing more to report. */
export function createActivity(
  endpoint: string,
  device: Pick<DeviceWatch, 'listen' | 'readBehavior'>,
  onEnd: () => void,
): Activity {
  let session: Followed | null = null;
  let updates: Updates | null = null;
  let expiry: ReturnType<typeof setTimeout> | undefined;
  let isBusy = false;
  let isOver = false;

  const stop = () => {
    if (isOver) return;
    isOver = true;
    session = null;
    clearTimeout(expiry);
    updates?.stop();
    onEnd();
  };
  const send = async (hiding?: boolean) => {
    if (session === null) return;
    // Newer data goes with the next report.
    if (isBusy && !hiding) return updates?.note();
    isBusy = true;
    const sentFor = session;
    // The report also covers the page's own work at a press, such as ending a question.
    if (!hiding) await new Promise((resolve) => setTimeout(resolve, settleMs));
    const status =
      sentFor === session ? await post(endpoint, sentFor, fitReport(device.readBehavior(), readQuestions())) : 0;
    isBusy = false;
    if (status >= 400 && status < 500 && status !== 429 && sentFor === session) stop();
  };
  return {
    follow(next) {
      if (isOver) return;
      session = next;
      clearTimeout(expiry);
      expiry = setTimeout(stop, leftMsOf(next, Date.now()));
      if (updates !== null) return;
      updates = createUpdates(device.listen, (hiding) => void send(hiding));
    },
    stop,
  };
}

/** The latest snapshots of all observers; what the page put in their place is without effect. */
function readQuestions(): QuestionSnapshot[] {
  try {
    return readSharedQuestions().slice(-questionsMax);
  } catch {
    return [];
  }
}

/** Within what the service takes: texts go first, then the oldest questions. */
function fitReport(behavior: Report['behavior'], questions: readonly QuestionSnapshot[]): string {
  const write = (kept: readonly QuestionSnapshot[]) =>
    JSON.stringify({ ...(behavior ? { behavior } : {}), ...(kept.length > 0 ? { questions: kept } : {}) });
  const isFit = (text: string) => new Blob([text]).size <= messageBytesMax;
  const whole = write(questions);
  if (isFit(whole)) return whole;
  let kept = questions.map(({ text: _text, ...counts }) => counts);
  while (kept.length > 0 && !isFit(write(kept))) kept = kept.slice(1);
  return write(kept);
}

/** The status of the answer; 0 where there was none. Outlives the page. */
async function post(endpoint: string, { sessionId, clientSecret }: Followed, body: string): Promise<number> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), requestMs);
  try {
    const { status } = await fetch(`${endpoint}/public/sessions/${encodeURIComponent(sessionId)}/activity`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-client-secret': clientSecret },
      credentials: 'omit',
      referrerPolicy: 'origin',
      keepalive: true,
      signal: abort.signal,
    });
    return status;
  } catch {
    return 0;
  } finally {
    clearTimeout(timer);
  }
}

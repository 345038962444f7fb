/** Starts and ends senders of webhooks that run in processes of their own (sender-main.ts). */
import { commandEnvironment } from './process.js';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type t from 'tap';

export interface SenderSettings {
  readonly databaseUrl: string;
  readonly kafkaBrokers: string;
  /** The prefix of the topics. */
  readonly prefix: string;
  readonly leaseMs: number;
  readonly timeoutMs: number;
}

export interface SenderProcess {
  /** Resolves to the exit code, or to the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null>;
}

/** Resolves when it delivers; `fault` ("step@n") ends it there. */
export async function startSender(
  test: Pick<typeof t, 'teardown'>,
  settings: SenderSettings,
  fault = '',
): Promise<SenderProcess> {
  const child = fork(new URL('./sender-main.js', import.meta.url), {
    env: { ...commandEnvironment, SENDER_SETTINGS: JSON.stringify(settings), SENDER_FAULT: fault },
  });
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string | null);
  const end = (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null> => {
    child.kill(signal);
    return ended;
  };
  test.teardown(() => end('SIGKILL'));
  const failed = ended.then((how) => Promise.reject(new Error(`the sender ended before it ran: ${how}`)));
  failed.catch(() => undefined);
  await Promise.race([once(child, 'message'), failed]);
  return { ended, end };
}

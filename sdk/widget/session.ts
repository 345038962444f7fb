/** A session without a mount: created before anything is shown, run once. */
import type { VHMountResult, VHSession } from './api.js';
import { abortError } from './errors.js';
import { errorOf, explainRefusal } from './finish.js';
import { settled, stop, type Mounting } from './mounting.js';
import type { OpenSession } from './run.js';

/** Throws a VerifyError where the service refused or could not be reached; what was begun for the mount has ended then. */
export async function createFirst(mounting: Mounting): Promise<OpenSession> {
  const { config, options, service, activity, signal } = mounting;
  try {
    if (mounting.created !== null) return mounting.created;
    const said =
      'kind' in config ? config : await service.createSession(options, options.previousSessionId ?? null, signal);
    if (said.kind === 'reply') explainRefusal(mounting, said);
    if (said.kind !== 'said') throw errorOf(said);
    activity.follow(said.value);
    return { session: said.value, originMs: performance.now() };
  } catch (error) {
    stop(mounting);
    throw error;
  }
}

export function sessionOf(
  { session }: OpenSession,
  abort: AbortController,
  mounting: Mounting,
  runAt: (target: Element | string) => Promise<VHMountResult>,
): VHSession {
  let running: Promise<VHMountResult> | undefined;
  return {
    sessionId: session.sessionId,
    expiresAt: session.expiresAt,
    start: (target = document.body) => (running ??= settled(mounting, runAt(target))),
    cancel() {
      abort.abort(abortError());
      stop(mounting);
    },
  };
}

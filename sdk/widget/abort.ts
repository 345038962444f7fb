/** Waits that can be called off. Whatever listens to a signal stops listening when it has no use for it any more: a page's signal may outlive a hundred mounts. */

/** Calls `act` once: when the signal aborts, or now where it has. The function returned forgets it. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}

/** The result of the work, or the signal's reason, whichever is first: a closed interface never answers. */
export function settle<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the caller's own reason
    const forget = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(forget);
  });
}

/** Waits, or rejects with the signal's reason. */
export function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return settle(waited, signal).finally(() => clearTimeout(timer));
}

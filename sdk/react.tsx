/**
 * The SDK as a React component and hook. Renders an empty element on the server; the mount begins in the browser, and is called off when the
 * component goes.
 */
import { useEffect, useRef, useState, type ReactElement, type RefObject } from 'react';
import type { MountOptions, ScoreDispatch, VHMountResult } from './widget/api.js';
import { packagedSdk } from './widget/packaged.js';
import { reportFailure } from './widget/page-console.js';

export type * from './widget/api.js';

export interface VerifyHumanProps extends Omit<MountOptions, 'interaction' | 'onResult'> {
  /** How captcha mode is started. */
  readonly interactionType?: 'checkbox' | 'slider' | undefined;
  /** Score mode: the signed envelope. Returning false keeps the page where it is. */
  readonly onResult?: ((dispatch: ScoreDispatch) => unknown) | undefined;
  /** Called with the result of `mount`. */
  readonly onVerified?: ((result: VHMountResult) => unknown) | undefined;
  /** Called with the error of `mount`. */
  readonly onError?: ((error: unknown) => unknown) | undefined;
  readonly className?: string | undefined;
}

export interface VerifyHumanState {
  /** For the element that the interface goes into. */
  readonly ref: RefObject<HTMLDivElement>;
  /** failed: a try has failed; while the interface offers another, the next one can still verify. */
  readonly status: 'running' | 'verified' | 'failed';
  readonly result: VHMountResult | null;
  readonly error: unknown;
  /** Mounts again, as a retry of the session that failed where there was one. */
  readonly retry: () => void;
}

type Settled = Pick<VerifyHumanState, 'status' | 'result' | 'error'>;
const running: Settled = { status: 'running', result: null, error: null };

/** Mounts into `ref` once it is rendered, and again when an option changes; callbacks may change freely. */
export function useVerifyHuman({
  interactionType,
  className: _className,
  onResult,
  onVerified,
  onError,
  ...options
}: VerifyHumanProps): VerifyHumanState {
  // The types of React 18 need this form; those of 19 accept it.
  const ref = useRef<HTMLDivElement>(null);
  const callbacks = useRef({ onResult, onVerified, onError });
  const [settled, setSettled] = useState<Settled>(running);
  const [again, setAgain] = useState<{ readonly previousSessionId: string | undefined } | null>(null);
  const key = JSON.stringify({ ...options, interaction: interactionType, ...again });
  useEffect(() => {
    callbacks.current = { onResult, onVerified, onError };
  });
  useEffect(() => {
    const abort = new AbortController();
    // A strict-mode rehearsal is over before the microtask, and creates no session.
    queueMicrotask(() => {
      if (abort.signal.aborted || ref.current === null) return;
      setSettled(running);
      const given = JSON.parse(key) as MountOptions;
      void settleMount(ref.current, given, abort.signal, callbacks, setSettled);
    });
    return () => abort.abort();
  }, [key, again]);

  // A failure of the way to the service names no session: what was to be tried again still is.
  const retry = () =>
    setAgain({
      previousSessionId: failedSessionOf(settled.error) ?? again?.previousSessionId ?? options.previousSessionId,
    });
  return { ref, ...settled, retry };
}

type Callbacks = Pick<VerifyHumanProps, 'onResult' | 'onVerified' | 'onError'>;

async function settleMount(
  element: Element,
  options: MountOptions,
  signal: AbortSignal,
  callbacks: { readonly current: Callbacks },
  settle: (settled: Settled) => void,
): Promise<void> {
  const notify = (name: 'onVerified' | 'onError', work: () => unknown) => {
    try {
      work();
    } catch (thrown) {
      reportFailure(name, thrown);
    }
  };
  try {
    const onResult = (dispatch: ScoreDispatch) => callbacks.current.onResult?.(dispatch);
    const onFailedTry = (error: unknown) => signal.aborted || settle({ status: 'failed', result: null, error });
    const result = await packagedSdk.mount(element, { ...options, onResult }, signal, onFailedTry);
    if (signal.aborted) return;
    settle({ status: 'verified', result, error: null });
    notify('onVerified', () => callbacks.current.onVerified?.(result));
  } catch (error) {
    if (signal.aborted) return;
    settle({ status: 'failed', result: null, error });
    notify('onError', () => callbacks.current.onError?.(error));
  }
}

const failedSessionOf = (error: unknown): string | undefined =>
  (error as { context?: { sessionId?: string } } | null)?.context?.sessionId;

/** One respondent's verification, in place. */
export function VerifyHuman(props: VerifyHumanProps): ReactElement {
  const { ref } = useVerifyHuman(props);
  return <div ref={ref} className={props.className} />;
}

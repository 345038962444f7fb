/**
 * The question before a change that is asked about. It stays open while the change runs and shows why it failed, so that it can be tried
 * again. The focus begins on what changes nothing, and returns to where it was.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Failed } from './states.js';

interface ConfirmationProps {
  readonly title: string;
  /** The button that runs the change. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly cancel?: string;
  /** Rejects with a sentence if the change failed. */
  readonly run: () => Promise<void>;
  /** Removes this question from the page. */
  readonly close: () => void;
  readonly children: ComponentChildren;
}

export function Confirmation({
  title,
  action,
  isDangerous = false,
  cancel = 'Cancel',
  run,
  close,
  children,
}: ConfirmationProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [state, setState] = useState<{ busy: boolean; error: string | null }>({ busy: false, error: null });
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    if (state.error !== null) button.current?.focus();
  }, [state.error]);
  const confirm = async (): Promise<void> => {
    setState({ busy: true, error: null });
    try {
      await run();
      dialog.current?.close();
    } catch (error) {
      setState({ busy: false, error: (error as Error).message });
    }
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      aria-busy={state.busy}
      // Browsers without closedby go by the cancel event, which Chromium overrides at the second Escape.
      {...(state.busy ? { closedby: 'none' } : {})}
      onCancel={(event) => state.busy && event.preventDefault()}
      onClose={close}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
      {state.error !== null && <Failed message={state.error} />}
      <p class="actions">
        <button
          ref={button}
          type="button"
          class={isDangerous ? 'danger' : ''}
          disabled={state.busy}
          onClick={() => void confirm()}
        >
          {state.busy ? 'Working…' : action}
        </button>
        <button type="button" class="quiet" autoFocus disabled={state.busy} onClick={() => dialog.current?.close()}>
          {cancel}
        </button>
      </p>
    </dialog>
  );
}

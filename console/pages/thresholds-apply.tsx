/** Applies the chosen thresholds after a confirmation, and takes them back. */
import { useRef, useState } from 'preact/hooks';
import type { ProjectReply } from '../../src/contract/project.js';
import { call } from '../api.js';
import { Failed } from '../parts/states.js';
import type { Pair } from './thresholds.js';

interface ApplyProps {
  readonly project: ProjectReply;
  readonly sourceId: string | null;
  readonly current: Pair;
  readonly chosen: Pair;
  readonly choose: (pair: Pair) => void;
  readonly reload: () => void;
}

/** A merge patch: null resets to the inherited value. */
type Patch = { readonly reviewLow: number | null; readonly blockThreshold: number | null };

const asText = ({ reviewLow, blockThreshold }: Pair): string =>
  `review from ${reviewLow}, block from ${blockThreshold}`;

export function Apply({ project, sourceId, current, chosen, choose, reload }: ApplyProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [done, setDone] = useState<{ readonly before: Patch; readonly shown: Pair } | null>(null);
  const [error, setError] = useState<string | null>(null);
  const write = async (patch: Patch): Promise<boolean> => {
    const liteConfig = sourceId === null ? patch : { perSource: { [sourceId]: patch } };
    try {
      await call(`/projects/${project.projectId}`, { method: 'PATCH', body: { config: { liteConfig } } });
      setError(null);
      reload();
      return true;
    } catch (failure) {
      setError((failure as Error).message);
      return false;
    }
  };
  const apply = async (): Promise<void> => {
    dialog.current?.close();
    if (await write(chosen)) setDone({ before: ownOf(project, sourceId), shown: current });
  };
  const undo = async (): Promise<void> => {
    if (done === null || !(await write(done.before))) return;
    choose(done.shown);
    setDone(null);
  };
  const isChanged = chosen.reviewLow !== current.reviewLow || chosen.blockThreshold !== current.blockThreshold;
  const whom = sourceId ?? 'the whole project';
  return (
    <>
      <p class="actions">
        <button type="button" disabled={!isChanged} onClick={() => dialog.current?.showModal()}>
          Apply…
        </button>
        <button type="button" class="quiet" disabled={!isChanged} onClick={() => choose(current)}>
          Back to {current.reviewLow} and {current.blockThreshold}
        </button>
      </p>
      {error !== null && <Failed message={error} />}
      {done !== null && (
        <div class="notice good" role="status">
          <p>Applied to {whom}. New scores use it within a second.</p>
          <button type="button" onClick={() => void undo()}>
            Undo
          </button>
        </div>
      )}
      <dialog ref={dialog} aria-labelledby="apply-title">
        <h2 id="apply-title">Apply to {whom}?</h2>
        <p>Current: {asText(current)}.</p>
        <p>New: {asText(chosen)}.</p>
        <p class="muted">New scores use these thresholds. Existing verdicts stay the same.</p>
        <p class="actions">
          <button type="button" onClick={() => void apply()}>
            Apply
          </button>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </dialog>
    </>
  );
}

/** The settings of this level itself, which an undo restores. */
function ownOf({ config: { liteConfig } }: ProjectReply, sourceId: string | null): Patch {
  const own = sourceId === null ? liteConfig : liteConfig?.perSource?.[sourceId];
  return { reviewLow: own?.reviewLow ?? null, blockThreshold: own?.blockThreshold ?? null };
}

/** Applies the chosen thresholds after a confirmation, and takes them back. */
import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../src/contract/project.js';
import { call } from '../api.js';
import { Confirmation } from '../parts/confirmation.js';
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

interface Applied {
  readonly before: Patch;
  readonly shown: Pair;
}

export function Apply({ project, sourceId, current, chosen, choose, reload }: ApplyProps) {
  const [asked, ask] = useState<'apply' | 'undo' | null>(null);
  const [done, setDone] = useState<Applied | null>(null);
  const write = async (patch: Patch): Promise<void> => {
    const liteConfig = sourceId === null ? patch : { perSource: { [sourceId]: patch } };
    await call(`/projects/${project.projectId}`, { method: 'PATCH', body: { config: { liteConfig } } });
    reload();
  };
  const apply = async (): Promise<void> => {
    await write(chosen);
    setDone({ before: ownOf(project, sourceId), shown: current });
  };
  const undo = async ({ before, shown }: Applied): Promise<void> => {
    await write(before);
    choose(shown);
    setDone(null);
  };
  const close = (): void => ask(null);
  const isChanged = chosen.reviewLow !== current.reviewLow || chosen.blockThreshold !== current.blockThreshold;
  const whom = sourceId ?? 'the whole project';
  return (
    <>
      <p class="actions">
        <button type="button" disabled={!isChanged} onClick={() => ask('apply')}>
          Apply…
        </button>
        <button type="button" class="quiet" disabled={!isChanged} onClick={() => choose(current)}>
          Back to {current.reviewLow} and {current.blockThreshold}
        </button>
      </p>
      {done !== null && (
        <div class="notice good" role="status">
          <p>Applied to {whom}. New scores use it within a second.</p>
          <button type="button" onClick={() => ask('undo')}>
            Undo…
          </button>
        </div>
      )}
      {asked === 'apply' && (
        <Question title={`Apply to ${whom}?`} action="Apply" from={current} to={chosen} run={apply} close={close} />
      )}
      {asked === 'undo' && done !== null && (
        <Question
          title={`Undo for ${whom}?`}
          action="Undo"
          from={current}
          to={done.shown}
          run={() => undo(done)}
          close={close}
        />
      )}
    </>
  );
}

interface QuestionProps {
  readonly title: string;
  readonly action: string;
  readonly from: Pair;
  readonly to: Pair;
  readonly run: () => Promise<void>;
  readonly close: () => void;
}

const Question = ({ from, to, ...asked }: QuestionProps) => (
  <Confirmation {...asked}>
    <p>Current: {asText(from)}.</p>
    <p>New: {asText(to)}.</p>
    <p class="muted">New scores use these thresholds. Existing verdicts stay the same.</p>
  </Confirmation>
);

/** The settings of this level itself, which an undo restores. */
function ownOf({ config: { liteConfig } }: ProjectReply, sourceId: string | null): Patch {
  const own = sourceId === null ? liteConfig : liteConfig?.perSource?.[sourceId];
  return { reviewLow: own?.reviewLow ?? null, blockThreshold: own?.blockThreshold ?? null };
}

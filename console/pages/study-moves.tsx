/** Moves a study: launch, pause, resume, close and cancel. What cannot be taken back is asked first. Needs the role admin or owner. */
import { useRef, useState } from 'preact/hooks';
import { possibleActions, type StudyAction } from '../../src/contract/study-moves.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import { call } from '../api.js';
import { Failed } from '../parts/states.js';
import { readable } from '../parts/words.js';

const finalActions: Partial<Readonly<Record<StudyAction, string>>> = {
  close: 'No new respondent gets in. People who hold a place may finish. A closed study cannot be opened again.',
  cancel:
    'No new respondent gets in, and respondents are not counted any more. A cancelled study cannot be opened again.',
};

interface MovesProps {
  readonly path: string;
  readonly study: StudyReply;
  readonly moved: () => void;
}

export function StudyMoves({ path, study, moved }: MovesProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [asked, ask] = useState<StudyAction | null>(null);
  const [error, setError] = useState<string | null>(null);
  const move = async (action: StudyAction): Promise<void> => {
    dialog.current?.close();
    try {
      await call(`${path}/${action}`, { method: 'POST', of: 'audience' });
      setError(null);
      moved();
    } catch (failure) {
      setError((failure as Error).message);
    }
  };
  const choose = (action: StudyAction): void => {
    if (finalActions[action] === undefined) return void move(action);
    ask(action);
    dialog.current?.showModal();
  };
  const actions = possibleActions(study.status);
  return (
    <>
      {actions.length > 0 && (
        <p class="actions">
          {actions.map((action, index) => (
            <button key={action} type="button" class={index === 0 ? '' : 'quiet'} onClick={() => choose(action)}>
              {readable(action)}
              {finalActions[action] === undefined ? '' : '…'}
            </button>
          ))}
        </p>
      )}
      {error !== null && <Failed message={error} />}
      <dialog ref={dialog} aria-labelledby="move-title">
        <h2 id="move-title">
          {readable(asked ?? '')} {study.name}?
        </h2>
        <p>{asked !== null && finalActions[asked]}</p>
        <p class="actions">
          <button type="button" class="danger" onClick={() => asked !== null && void move(asked)}>
            {readable(asked ?? '')} the study
          </button>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
        </p>
      </dialog>
    </>
  );
}

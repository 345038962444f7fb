/** Moves a study: launch, pause, resume, close and cancel. What cannot be taken back is asked first. Needs the role admin or owner. */
import { useState } from 'preact/hooks';
import { possibleActions, type StudyAction } from '../../src/contract/study-moves.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import { call } from '../api.js';
import { Confirmation } from '../parts/confirmation.js';
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
  const [asked, ask] = useState<StudyAction | null>(null);
  const [error, setError] = useState<string | null>(null);
  const move = async (action: StudyAction): Promise<void> => {
    await call(`${path}/${action}`, { method: 'POST', of: 'audience' });
    setError(null);
    moved();
  };
  const choose = (action: StudyAction): void => {
    if (finalActions[action] !== undefined) return ask(action);
    move(action).catch((failure: Error) => setError(failure.message));
  };
  const actions = possibleActions(study.status);
  return (
    <>
      {actions.length > 0 && (
        <p class="actions">
          {actions.map((action, index) => (
            <button
              key={action}
              type="button"
              class={`${index === 0 ? '' : 'quiet'} ${action === 'cancel' ? 'apart' : ''}`}
              onClick={() => choose(action)}
            >
              {readable(action)}
              {finalActions[action] === undefined ? '' : '…'}
            </button>
          ))}
        </p>
      )}
      {error !== null && <Failed message={error} />}
      {asked !== null && (
        <Confirmation
          title={`${readable(asked)} ${study.name}?`}
          action={`${readable(asked)} the study`}
          isDangerous
          cancel="Keep it"
          run={() => move(asked)}
          close={() => ask(null)}
        >
          <p>{finalActions[asked]}</p>
        </Confirmation>
      )}
    </>
  );
}

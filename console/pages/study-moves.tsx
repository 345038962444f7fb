/**
 * Moves a study: launch, pause, resume, close and cancel. The last two cannot be taken back: each is asked first, and the question names
 * what becomes of the respondents inside. Needs the role admin or owner.
 */
import { useState } from 'preact/hooks';
import { possibleActions, type StudyAction } from '../../src/contract/study-moves.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import { call } from '../api.js';
import { Confirmation } from '../parts/confirmation.js';
import { Failed } from '../parts/states.js';
import { plural, readable } from '../parts/words.js';

interface FinalMove {
  /** The button’s text: "Cancel" alone could be read as "leave this page". */
  readonly label: string;
  readonly keep: string;
  readonly isDangerous: boolean;
  /** For respondents in the verification or the survey. */
  readonly consequence: string;
}

const finalMoves: Partial<Readonly<Record<StudyAction, FinalMove>>> = {
  close: { label: 'Close…', keep: 'Keep it open', isDangerous: false, consequence: 'may still finish and count' },
  cancel: {
    label: 'Cancel study…',
    keep: 'Do not cancel',
    isDangerous: true,
    consequence: 'will not count, even if they finish',
  },
};

function insideText({ funnel }: StudyReply['progress'], consequence: string): string {
  const inside = funnel.verifying + funnel.in_survey;
  return inside === 0
    ? 'No respondent is inside.'
    : `${plural(inside, 'respondent who is', 'respondents who are')} inside ${consequence}.`;
}

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
    if (finalMoves[action] !== undefined) return ask(action);
    move(action).catch((failure: Error) => setError(failure.message));
  };
  const actions = possibleActions(study.status);
  const final = asked === null ? undefined : finalMoves[asked];
  return (
    <>
      {actions.length > 0 && (
        <p class="actions">
          {actions.map((action, index) => (
            <button
              key={action}
              type="button"
              class={`${index === 0 ? '' : 'quiet'} ${finalMoves[action]?.isDangerous === true ? 'apart risky' : ''}`}
              onClick={() => choose(action)}
            >
              {finalMoves[action]?.label ?? readable(action)}
            </button>
          ))}
        </p>
      )}
      {error !== null && <Failed message={error} />}
      {asked !== null && final !== undefined && (
        <Confirmation
          title={`${readable(asked)} ${study.name}?`}
          action={`${readable(asked)} the study`}
          isDangerous={final.isDangerous}
          cancel={final.keep}
          run={() => move(asked)}
          close={() => ask(null)}
        >
          <p>No new respondent gets in. {insideText(study.progress, final.consequence)} This cannot be undone.</p>
        </Confirmation>
      )}
    </>
  );
}

/**
 * Where a study can go from where it is. Pure.
 *
 *     draft ──launch──▶ fielding ◀──pause, resume──▶ paused
 *       │                  ├──────close──────────────┴──▶ completed
 *       └──────cancel──────┴──────cancel─────────────┴──▶ cancelled
 */
import type { StudyAction, StudyState } from '../contract/study.js';
import { Fault } from '../errors.js';

const transitions: Readonly<Record<StudyState, Partial<Readonly<Record<StudyAction, StudyState>>>>> = {
  draft: { launch: 'fielding', cancel: 'cancelled' },
  fielding: { pause: 'paused', close: 'completed', cancel: 'cancelled' },
  paused: { resume: 'fielding', close: 'completed', cancel: 'cancelled' },
  completed: {},
  cancelled: {},
};

/** What can be done with a study in this state. */
export const possibleActions = (state: StudyState): readonly StudyAction[] =>
  Object.keys(transitions[state]) as StudyAction[];

/** The state that an action leads to. Throws CONFLICT, which names the state and what is possible in it. */
export function stateAfter(state: StudyState, action: StudyAction): StudyState {
  const next = transitions[state][action];
  if (next !== undefined) return next;
  const possible = possibleActions(state);
  const hint = possible.length === 0 ? 'Nothing can be done with it any more' : `Possible now: ${possible.join(', ')}`;
  throw new Fault('CONFLICT', `The study is ${state}, and ${action} does not apply. ${hint}.`, {
    context: { state, possible },
  });
}

/** Whether who holds a place may go on: to the survey, and back from it. */
export const letsHoldersFinish = (state: StudyState): boolean => state !== 'draft' && state !== 'cancelled';

/** The states of a study, and the actions that lead from one to another. */
export const studyStates = ['draft', 'fielding', 'paused', 'completed', 'cancelled'] as const;
export type StudyState = (typeof studyStates)[number];

export const studyActions = ['launch', 'pause', 'resume', 'close', 'cancel'] as const;
export type StudyAction = (typeof studyActions)[number];

export const studyMoves: Readonly<Record<StudyState, Partial<Readonly<Record<StudyAction, StudyState>>>>> = {
  draft: { launch: 'fielding', cancel: 'cancelled' },
  fielding: { pause: 'paused', close: 'completed', cancel: 'cancelled' },
  paused: { resume: 'fielding', close: 'completed', cancel: 'cancelled' },
  completed: {},
  cancelled: {},
};

/** The actions that a study allows in this state. */
export const possibleActions = (state: StudyState): readonly StudyAction[] =>
  Object.keys(studyMoves[state]) as StudyAction[];

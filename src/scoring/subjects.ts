/**
 * The subjects of history, project-wide whatever the study: the respondent, the source, the sub-source. One home for how their references
 * are made, because scores and outcomes must meet in them: for the project, or for an organization key its organization.
 */
import type { Ref } from '../contract/facts.js';
import type { ScoreInput } from '../contract/score.js';
import type { MakeRef } from '../crypto/master-key.js';
import type { HistorySubjects } from '../record/types.js';

export const respondentSubject = (makeRef: MakeRef, holder: string, respondentId: string): Ref =>
  makeRef(holder, 'history:respondent', respondentId);

/** Subjects that a request names. A respondentId equal to the sessionId names nobody. */
export function historySubjectsOf(request: ScoreInput, holder: string, makeRef: MakeRef): HistorySubjects {
  const { respondentId, sessionId, sourceId, subSourceId } = request;
  return {
    respondent:
      respondentId === undefined || respondentId === sessionId
        ? null
        : respondentSubject(makeRef, holder, respondentId),
    source: sourceId === undefined ? null : makeRef(holder, 'history:source', sourceId),
    subSource:
      subSourceId === undefined ? null : makeRef(holder, 'history:subSource', `${sourceId ?? ''}\n${subSourceId}`),
  };
}

/**
 * The subjects of history, project-wide whatever the study: the respondent, the source, the sub-source. One home for how their references
 * are made, because scores and outcomes must meet in them.
 */
import type { Ref } from '../contract/facts.js';
import type { ScoreRequest } from '../contract/score.js';
import type { MakeRef } from '../crypto/master-key.js';

export interface HistorySubjects {
  readonly respondent: Ref | null;
  readonly source: Ref | null;
  readonly subSource: Ref | null;
}

export const respondentSubject = (makeRef: MakeRef, namespace: string, respondentId: string): Ref =>
  makeRef(namespace, 'history:respondent', respondentId);

/** Subjects that a request names. A respondentId equal to the sessionId names nobody. */
export function historySubjectsOf(request: ScoreRequest, namespace: string, makeRef: MakeRef): HistorySubjects {
  const { respondentId, sessionId, sourceId, subSourceId } = request;
  return {
    respondent:
      respondentId === undefined || respondentId === sessionId
        ? null
        : respondentSubject(makeRef, namespace, respondentId),
    source: sourceId === undefined ? null : makeRef(namespace, 'history:source', sourceId),
    subSource:
      subSourceId === undefined ? null : makeRef(namespace, 'history:subSource', `${sourceId ?? ''}\n${subSourceId}`),
  };
}

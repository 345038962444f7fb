/** Records of scoring about a respondent. A receipt shows what was measured of them and the verdict; counts and history of others stay out. */
import type { RecordSource, RespondentNames } from '../../administration/respondent-records.js';
import { openFacts, openReceipt } from '../../record/record.js';
import type { Row } from '../../stores/database/port.js';
import { ofSubjects } from './respondent-erasure.js';

const subjects = ({ namespaces, subjects }: RespondentNames) => [namespaces, subjects] as const;
const subjectsAndSessions = (names: RespondentNames) => [...subjects(names), names.sessionRefs] as const;
const isTheirs = `(${ofSubjects} OR (namespace = ANY($1::text[]) AND session_ref = ANY($3::text[])))`;
const session = "namespace || ' ' || session_ref";

export const scoringRecords: readonly RecordSource[] = [
  {
    kind: 'scored_session',
    table: 'session_index',
    id: session,
    columns: [
      ...['session_id', 'study_id', 'source_id', 'receipt_id', 'first_scored_at', 'scored_at', 'changed_at'],
      ...['score', 'recommendation', 'verdict_class', 'duplicate_band', 'top_reason'],
    ],
    where: isTheirs,
    values: subjectsAndSessions,
    isReserved: true,
  },
  {
    kind: 'receipt',
    table: 'receipts',
    id: 'receipt_id',
    columns: ['scored_at', 'record'],
    where: ofSubjects,
    values: subjects,
    isReserved: true,
    render: ({ scoredAt, record }) => renderReceipt(scoredAt as Date, record as Uint8Array),
  },
  {
    kind: 'outcome',
    table: 'outcomes',
    id: 'statement_no::text',
    columns: ['type', 'occurred_at', 'reason_class', 'event_id', 'received_at'],
    where: `namespace = ANY($1::text[]) AND (respondent_ref = ANY($2::text[]) OR session_ref = ANY($3::text[]))`,
    values: subjectsAndSessions,
    isReserved: true,
  },
  {
    kind: 'adjudication',
    table: 'adjudications',
    id: session,
    columns: ['fraud', 'clawback', 'at'],
    where: ofSubjects,
    values: subjects,
    isReserved: true,
  },
  {
    kind: 'history',
    table: 'history',
    id: "namespace || ' ' || subject_ref",
    columns: ['days'],
    where: "namespace = ANY($1::text[]) AND subject_ref = ANY($2::text[]) AND days <> '{}'::jsonb",
    values: subjects,
    isReserved: true,
  },
];

function renderReceipt(scoredAt: Date, record: Uint8Array): Row {
  const { sessionId, studyId, sourceId, verdict } = openReceipt(record);
  const { userAgent, declaredCountry, address, probe } = openFacts(record);
  const { score, recommendation, verdictClass, duplicateBand, independence, classification, modelVersion } = verdict;
  return {
    ...{ sessionId, studyId, sourceId, scoredAt, userAgent, declaredCountry, address, probe },
    verdict: { score, recommendation, verdictClass, duplicateBand, independence, classification, modelVersion },
  };
}

/** Places of a respondent in studies. */
import type { RecordSource } from '../administration/respondent-records.js';
import { ofRespondent } from './reservation-erasure.js';

export const placeRecords: RecordSource = {
  kind: 'place',
  table: 'study_places',
  id: 'place_id',
  columns: [
    ...['study_id', 'respondent_id', 'source_id', 'entry', 'state', 'screened_for', 'verified', 'counted'],
    ...['country', 'gender', 'age', 'profession', 'score', 'recommendation', 'reason', 'duplicate_band', 'receipt_id'],
    ...['entered_at', 'surveyed_at', 'returned_at', 'returned_by', 'completion', 'refused_for', 'reversed_by'],
    ...['reversed_at', 'reversal_note', 'exit_status'],
  ],
  where: ofRespondent,
  // The name that suppliers send, which comes first.
  values: ({ projectId, respondentIds }) => [projectId, respondentIds[0] ?? ''],
};

/** Links that were made for a respondent. */
import { ofRespondent } from './hosted-links.js';
import type { RecordSource } from './respondent-records.js';

export const linkRecords: RecordSource = {
  kind: 'link',
  table: 'hosted_links',
  id: 'link_id',
  columns: [
    ...['mode', 'study_id', 'respondent_id', 'data_collector', 'metadata', 'return_url', 'uses', 'sessions'],
    ...['created_at', 'expires_at', 'deleted_at'],
  ],
  where: ofRespondent,
  values: ({ projectId, respondentIds }) => [projectId, respondentIds],
};

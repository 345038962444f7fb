/** Events of a respondent’s sessions that webhooks keep for delivery. */
import { parsed, type RecordSource } from '../administration/respondent-records.js';
import { ofSessions } from './payload-erasure.js';

export const webhookRecords: RecordSource = {
  kind: 'webhook_event',
  table: 'webhook_events',
  id: 'event_id',
  columns: ['session_id', 'body'],
  where: ofSessions,
  values: ({ projectId, sessionIds }) => [projectId, sessionIds],
  render: parsed('body'),
};

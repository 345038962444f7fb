/** Records of verification about a respondent. Secrets and hashes of requests stay out, and of a face everything but that there is one. */
import { parsed, type RecordSource } from '../../administration/respondent-records.js';
import { ofRespondent } from '../sessions/session-store.js';
import { ofSessions } from '../uniqueness/fingerprint-store.js';
import { flagsOf } from '../monitoring/flag-store.js';

export const verificationRecords: readonly RecordSource[] = [
  {
    kind: 'session',
    table: 'verification_sessions',
    id: 'session_id',
    columns: [
      ...['mode', 'study_id', 'respondent_id', 'data_collector', 'metadata', 'consent', 'root_session_id'],
      ...['retry_count', 'created_at', 'expires_at', 'completed_at', 'status', 'result', 'step_up', 'passive_signals'],
    ],
    where: ofRespondent,
    values: ({ projectId, respondentIds }) => [projectId, respondentIds],
  },
  {
    kind: 'fingerprint',
    table: 'fingerprints',
    id: 'fingerprint_id',
    columns: [
      ...['session_id', 'study_id', 'data_collector', 'status', 'completed_at', 'country'],
      ...['sealed IS NOT NULL AS has_face', 'evidence', 'device_ref IS NOT NULL AS has_device'],
    ],
    where: ofSessions,
    values: ({ organizationId, sessionIds }) => [organizationId, sessionIds],
  },
  {
    kind: 'flag',
    table: 'session_flags',
    id: 'event_id',
    columns: ['event_type', 'event', 'flagged_at'],
    where: flagsOf,
    values: ({ projectId, sessionRefs }) => [projectId, sessionRefs],
    render: parsed('event'),
  },
];

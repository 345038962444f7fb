/** The audit trail: who wrote what, and when. Entries hold no secret. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum, Timestamp } from './common.js';

export const actorKinds = ['dashboard', 'key', 'client', 'operator'] as const;

export const auditActions = [
  'organization.created',
  'organization.updated',
  'project.created',
  'project.updated',
  'project.signing_secret_rotated',
  'respondent.erased',
  'key.created',
  'key.rotated',
  'key.limits_changed',
  'key.revoked',
  'receipt.explained',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.tested',
  'webhook.delivery_replayed',
  'webhook.recovered',
  'link.created',
  'link.deleted',
  'traffic.invented',
  'client.created',
  'client.rotated',
  'client.revoked',
  'study.created',
  'study.changed',
  'study.moved',
  'study.survey_key_rotated',
  'study.reconciled',
  'supplier.created',
  'supplier.updated',
  'supplier.deleted',
  'supplier.secret_rotated',
  'supplier.postback_replayed',
] as const;
export type AuditAction = (typeof auditActions)[number];

export const AuditEntry = Type.Object({
  entryId: Type.String(),
  at: Timestamp,
  actor: Type.Object({
    kind: StringEnum(actorKinds),
    id: Type.String({ description: 'Subject of the dashboard token, id of the key or OAuth client, or "operator".' }),
    role: Nullable(Type.String({ description: 'Role of a dashboard user.' })),
  }),
  action: StringEnum(auditActions),
  subject: Type.Object({
    kind: StringEnum([
      'organization',
      'project',
      'key',
      'receipt',
      'webhook',
      'link',
      'client',
      'study',
      'supplier',
    ] as const),
    id: Type.String(),
  }),
  detail: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Changed values; the shape depends on the action.',
  }),
  requestId: Nullable(Type.String()),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditPage = Type.Object({ entries: Type.Array(AuditEntry), nextCursor: Nullable(Type.String()) });

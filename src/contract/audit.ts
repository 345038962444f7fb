/** The audit trail: who wrote what, and when. Entries hold no secret. */
import { Type, type Static } from 'typebox';
import { CalendarDay, Nullable, StringEnum, Timestamp } from './common.js';
import { ListQuery, pageFields } from './paging.js';

export const actorKinds = ['dashboard', 'key', 'client', 'operator'] as const;

export const auditActions = [
  'organization.created',
  'organization.updated',
  'project.created',
  'project.updated',
  'project.signing_secret_rotated',
  'respondent.erased',
  'respondent.exported',
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
  'supplier.postbacks_recovered',
] as const;
export type AuditAction = (typeof auditActions)[number];

export const AuditEntry = Type.Object({
  entryId: Type.String(),
  at: Timestamp,
  actor: Type.Object({
    kind: StringEnum(actorKinds),
    id: Type.String({ description: 'Subject of the dashboard token, id of the key or OAuth client, or "operator".' }),
    name: Nullable(Type.String({ description: 'Present name of the key or OAuth client; null for others.' })),
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
    name: Nullable(
      Type.String({
        description: 'Present name, or the description or URL of a webhook; null if it has none or is deleted.',
      }),
    ),
  }),
  detail: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'Changed values; the shape depends on the action. project.updated: before and after by JSON pointer, texts cut at 200 characters.',
  }),
  requestId: Nullable(Type.String()),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditQuery = ListQuery({
  ...pageFields,
  from: CalendarDay('Only entries of this day or later.'),
  to: CalendarDay('Only entries of this day or earlier.'),
  action: Type.Optional(StringEnum(auditActions)),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditPage = Type.Object({ entries: Type.Array(AuditEntry), nextCursor: Nullable(Type.String()) });
export type AuditPage = Static<typeof AuditPage>;

/** Webhooks as their owners see them: registrations, and the log of what was sent to them. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum, Timestamp, strict } from './common.js';
import type { MergePatch } from './merge-patch.js';
import { ListQuery, pageFields } from './paging.js';
import { deliveredTypes } from './postback.js';
import { eventTypes } from './session-event.js';

export const payloadVersions = ['v1', 'v2'] as const;
export type PayloadVersion = (typeof payloadVersions)[number];

export const webhookModes = ['live', 'test'] as const;
export type WebhookMode = (typeof webhookModes)[number];

export const attemptStates = ['PENDING', 'SUCCEEDED', 'FAILED', 'EXHAUSTED'] as const;
export type AttemptState = (typeof attemptStates)[number];

/** Registrations of one project, for each mode. */
export const webhooksPerProjectMax = 50;
/** Hours that a replaced secret may go on signing the additional header. */
export const overlapHoursMax = 168;
/** Exhausted deliveries that the health of a webhook counts. */
export const missedCountMax = 1_000;
/** Deliveries that one call of recover starts again. */
export const recoverMax = 10_000;

export const webhookDefaults = {
  events: ['verification.completed'],
  payloadVersion: 'v2',
  description: null,
  enabled: true,
  includeTest: false,
} as const;

const url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'Absolute HTTPS address that events are POSTed to. It must be reachable from the internet.',
});
const events = Type.Array(StringEnum(eventTypes), {
  minItems: 1,
  maxItems: eventTypes.length,
  uniqueItems: true,
  description: 'Event types that are sent. Default: verification.completed alone.',
});
const payloadVersion = StringEnum(payloadVersions, {
  description: 'Shape of the payload. Default v2; v1 is for receivers that were built for it.',
});
const description = Type.String({ maxLength: 500, description: 'Free text. Default none.' });
const enabled = Type.Boolean({
  description: 'false: new events are not sent, and deliveries under way wait until it is true again. Default true.',
});
const includeTest = Type.Boolean({
  description:
    'Also sends events of test and demo sessions, which carry is_demo. Default false; always true in a webhook of test mode.',
});

export const WebhookCreation = Type.Object(
  {
    url,
    events: Type.Optional(events),
    payloadVersion: Type.Optional(payloadVersion),
    description: Type.Optional(Nullable(description)),
    enabled: Type.Optional(enabled),
    includeTest: Type.Optional(includeTest),
  },
  strict,
);
export type WebhookCreation = Static<typeof WebhookCreation>;

/** The form of a change before null is allowed for every field. */
export const WebhookFields = Type.Object({ url, events, payloadVersion, description, enabled, includeTest }, strict);
export type WebhookChange = MergePatch<Static<typeof WebhookFields>>;

export const WebhookHealth = Type.Object(
  {
    state: StringEnum(['working', 'failing', 'parked', 'disabled'] as const, {
      description:
        'failing: deliveries are exhausted, and none of them was sent again. parked: it failed for so long that its deliveries wait; none is discarded.',
    }),
    reason: Nullable(Type.String({ description: 'Reason why it is failing or parked, and what to do.' })),
    since: Nullable({
      ...Timestamp,
      description: 'Time since when it is parked, or of the oldest exhausted delivery.',
    }),
    nextTryAt: Nullable(Timestamp),
  },
  { description: 'Whether deliveries go out.' },
);

const webhookFields = {
  webhookId: Type.String(),
  mode: StringEnum(webhookModes, {
    description: 'test: a test key created it. It gets events of test and demo sessions only.',
  }),
  url: Type.String(),
  events: Type.Array(StringEnum(eventTypes)),
  payloadVersion: StringEnum(payloadVersions),
  description: Nullable(Type.String()),
  enabled: Type.Boolean(),
  includeTest: Type.Boolean(),
  createdAt: Timestamp,
  health: WebhookHealth,
};

export const WebhookReply = Type.Object(webhookFields);
export type WebhookReply = Static<typeof WebhookReply>;

const secret = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Signs every delivery. It is in this answer and nowhere else.',
});
export const CreatedWebhookReply = Type.Object({ ...webhookFields, secret });
export type CreatedWebhookReply = Static<typeof CreatedWebhookReply>;

export const WebhookPage = Type.Object({ webhooks: Type.Array(WebhookReply), nextCursor: Nullable(Type.String()) });

export const SecretRotation = Type.Object(
  {
    overlapHours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: overlapHoursMax,
        description:
          'Hours that webhook-signature also carries a signature of the old secret. X-Service-Signature changes over at once in any case. Default 0.',
      }),
    ),
  },
  strict,
);
export const SecretReply = Type.Object({ secret });

export const DeliveryRef = Type.Object({ deliveryId: Type.String() });

export const Recovery = Type.Object(
  {
    since: { ...Timestamp, description: 'Start of the period of last attempts.' },
    until: Type.Optional({ ...Timestamp, description: 'End of that period. Default: now.' }),
  },
  strict,
);
export type Recovery = Static<typeof Recovery>;
export const RecoveryReply = Type.Object({
  requeued: Type.Integer({
    minimum: 0,
    description: `Deliveries that were started again, at most ${recoverMax} a call: repeat the call until it is 0.`,
  }),
});
export type RecoveryReply = Static<typeof RecoveryReply>;

export const DeliveryQuery = ListQuery({
  ...pageFields,
  state: Type.Optional(StringEnum(attemptStates)),
  event: Type.Optional(StringEnum(eventTypes)),
  sessionId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

/** Filters the postbacks to a supplier. */
export const PostbackQuery = ListQuery({ ...pageFields, state: Type.Optional(StringEnum(attemptStates)) });
export type PostbackQuery = Static<typeof PostbackQuery>;

export const DeliveryAttempt = Type.Object({
  attempt: Type.Integer({ minimum: 1, description: 'Attempt number, as in X-Service-Attempt.' }),
  state: StringEnum(attemptStates),
  statusCode: Nullable(Type.Integer({ description: 'null: no answer came.' })),
  responseBody: Nullable(Type.String({ description: 'First 16 KiB of the answer, as text.' })),
  durationMs: Nullable(Type.Integer({ minimum: 0 })),
  error: Nullable(Type.String({ description: 'The problem and the next step.' })),
  startedAt: Nullable(Timestamp),
});
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

const deliveredType = StringEnum(deliveredTypes, { description: 'place.ended: of postbacks to suppliers alone.' });
/** `{ event, data }`; what is in the data is the table of docs/reference/webhooks.md. */
const SentPayload = Type.Object(
  { event: deliveredType, data: Type.Record(Type.String(), Type.Unknown()) },
  {
    description: 'Request body in the current payloadVersion; null after the respondent’s erasure or the retention.',
  },
);

export const DeliveryReply = Type.Object({
  deliveryId: Type.String(),
  event: deliveredType,
  sessionId: Type.String({ description: 'Place of the postback.' }),
  state: StringEnum(attemptStates, {
    description: 'State of the latest attempt. FAILED: another attempt follows at nextAttemptAt.',
  }),
  createdAt: Timestamp,
  nextAttemptAt: Nullable(Timestamp),
  payload: Nullable(SentPayload),
  attempts: Type.Array(DeliveryAttempt, { description: 'Latest first, at most 20.' }),
});
export type DeliveryReply = Static<typeof DeliveryReply>;

export const DeliveryPage = Type.Object({ deliveries: Type.Array(DeliveryReply), nextCursor: Nullable(Type.String()) });
export type DeliveryPage = Static<typeof DeliveryPage>;

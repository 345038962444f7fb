/** Outcome events: what became of a session. Later scores read them; a retraction takes one back. */
import { Type, type Static } from 'typebox';
import { CallerId, Count, ErrorIssue, StringEnum } from './common.js';

export const outcomeTypes = [
  'herring_result',
  'dq',
  'speeder',
  'buyer_reject',
  'reconciliation',
  'ban',
  'quality_term',
  'complete',
  'custom',
] as const;
export type OutcomeType = (typeof outcomeTypes)[number];

/** Types that take a complete back. */
export const rejectingTypes = [
  'buyer_reject',
  'reconciliation',
  'quality_term',
] as const satisfies readonly OutcomeType[];

/** fraud: duplicate or security. fit: screen-out, ineligible, quota full. quality: poor answers. unknown: no reason given. */
export const reasonClasses = ['fraud', 'fit', 'quality', 'unknown'] as const;
export type ReasonClass = (typeof reasonClasses)[number];

/** Begins the ids of the events that the service reports of places in studies. */
export const placeEventIds = 'vh-place-';

/** Name in `detail` that makes a custom event a retraction. */
export const retractionName = 'retraction';

const OccurredAt = Type.String({
  format: 'date-time',
  maxLength: 40,
  description: 'Time of the outcome, not of the upload; at most one day ahead.',
});
const Reason = StringEnum(reasonClasses, {
  description: 'Only fraud raises risk. Absent means unknown, which is neutral; a ban without a class weighs as fraud.',
});

const Retracted = Type.Object(
  { type: StringEnum(outcomeTypes), occurredAt: OccurredAt },
  { description: 'Event that a retraction reverses; custom for an earlier retraction.' },
);

export const OutcomeDetail = Type.Object(
  {
    respondentId: Type.Optional(CallerId('Respondent, if the session was scored without one.')),
    reasonClass: Type.Optional(Reason),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Name of the custom event; "retraction" reverses an event.',
      }),
    ),
    of: Type.Optional(Retracted),
  },
  { additionalProperties: true },
);

/** A custom event says what it is; a retraction names what it takes back. */
const customCarriesName = {
  if: { properties: { type: { const: 'custom' } }, required: ['type'] },
  then: {
    required: ['detail'],
    properties: {
      detail: {
        required: ['name'],
        properties: { name: {} },
        if: { properties: { name: { const: retractionName } }, required: ['name'] },
        then: { required: ['of'], properties: { of: {} } },
      },
    },
  },
};

const EventId = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 128,
    description:
      'Your id of the event. The same id with other content replaces the event; with the same content, it is a duplicate. Not one that begins with vh-place-, which the service reserves.',
  }),
);

/** One event of the per-session form. */
export const SessionOutcomeEvent = Type.Object(
  {
    type: StringEnum(outcomeTypes),
    occurredAt: OccurredAt,
    projectId: Type.Optional(CallerId('Project whose key scored the session; required with an organization key.')),
    reasonClass: Type.Optional(Reason),
    eventId: EventId,
    detail: Type.Optional(OutcomeDetail),
  },
  { additionalProperties: true, ...customCarriesName },
);

/** One event of the bulk form. */
export const OutcomeEvent = Type.Object(
  { sessionId: CallerId('The session as it was scored.'), ...SessionOutcomeEvent.properties },
  { additionalProperties: true, ...customCarriesName },
);
export type OutcomeEvent = Static<typeof OutcomeEvent>;

export const bulkEventsMax = 1_000;
export const sessionEventsMax = 100;

export const OutcomeReply = Type.Object({
  received: Count('Events in the request.'),
  accepted: Count('New events and corrections that this request stored.'),
  corrected: Count('Accepted events that correct an earlier event or eventId.'),
  duplicates: Count('Events that were stated like this before.'),
  rejected: Count('Events that were not stored, malformed or refused by the store; `issues` says why.'),
  unmatched: Count(
    'Accepted events of sessions without a score so far; they are kept, and count once the session is scored.',
  ),
  sessions: Count('Distinct sessions among the valid events.'),
  issues: Type.Optional(
    Type.Array(ErrorIssue, {
      description: 'Problems of the request: rejected events, accepted corrections and unknown fields.',
    }),
  ),
});
export type OutcomeReply = Static<typeof OutcomeReply>;

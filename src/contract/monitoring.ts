/** Monitoring during a session: what a mount reports of the respondent’s behaviour, a claim that may be forged, and flags. */
import { Type, type Static } from 'typebox';
import { CallerId, Nullable, StringEnum, Timestamp } from './common.js';
import { ListQuery, pageFields } from './paging.js';
import { ProbeBody, QuestionSnapshot, type ProbeTransport } from './probe.js';
import type { Monitoring } from './project-parts.js';
import { flagEventTypes } from './session-event.js';

export const activityQuestionsMax = 50;

export const Activity = Type.Object({
  questions: Type.Optional(
    Type.Array(QuestionSnapshot, {
      maxItems: activityQuestionsMax,
      description: 'Snapshots of the question observer, as they stand now.',
    }),
  ),
  behavior: Type.Optional({
    ...ProbeBody.properties.beh,
    description: 'Behaviour since the mount, as the probe measures it.',
  }),
});
export type Activity = Static<typeof Activity>;

export const ActivityReply = Type.Object({ sessionId: Type.String(), accepted: Type.Boolean() });

/** An observation from any source. */
export interface Observation {
  readonly behavior: ProbeBody['beh'];
  readonly questions: readonly QuestionSnapshot[];
  /** The user agent as the page read it; null if the page did not report it. */
  readonly pageAgent: string | null;
  readonly transport: ProbeTransport;
}

export type RaisedFlag =
  | {
      readonly kind: 'anomaly';
      readonly type: string;
      readonly score: number;
      readonly threshold: number;
      readonly detail: string;
    }
  | {
      readonly kind: 'question';
      readonly questionId: string;
      readonly metric: keyof NonNullable<Monitoring['question']>;
      readonly value: number;
      readonly threshold: number;
    };

export const FlagQuery = ListQuery({
  ...pageFields,
  sessionId: Type.Optional(CallerId('Flags of this session.')),
  event: Type.Optional(StringEnum(flagEventTypes)),
});

const threshold = Type.Number({ description: 'The project’s when the flag was raised.' });

export const FlagReply = Type.Object({
  flagId: Type.String({ description: 'The event’s id, which webhooks repeat.' }),
  event: StringEnum(flagEventTypes),
  sessionId: Type.String(),
  respondentId: Nullable(Type.String({ description: 'null: the session came from the probe, which knows none.' })),
  sourceId: Nullable(Type.String({ description: 'Source of the session’s score; null: none, or not scored.' })),
  flaggedAt: Timestamp,
  anomaly: Nullable(
    Type.Object(
      {
        type: Type.String({ description: 'Code of a finding.' }),
        score: Type.Number({ minimum: 0, maximum: 1 }),
        threshold,
        detail: Type.String(),
      },
      { description: 'Set for monitoring.flagged.' },
    ),
  ),
  question: Nullable(
    Type.Object(
      {
        questionId: Type.String(),
        metric: Type.String({ description: 'Name of a threshold in config.monitoring.question.' }),
        value: Type.Number(),
        threshold,
      },
      { description: 'Set for question.flagged.' },
    ),
  ),
});
export type FlagReply = Static<typeof FlagReply>;

export const FlagPage = Type.Object({ flags: Type.Array(FlagReply), nextCursor: Nullable(Type.String()) });
export type FlagPage = Static<typeof FlagPage>;

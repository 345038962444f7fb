/** Monitoring during a session: what a mount reports of the respondent’s behaviour, a claim that may be forged, and flags. */
import { Type, type Static } from 'typebox';
import { ProbeBody, QuestionSnapshot, type ProbeTransport } from './probe.js';
import type { Monitoring } from './project-parts.js';

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
export type ActivityReply = Static<typeof ActivityReply>;

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

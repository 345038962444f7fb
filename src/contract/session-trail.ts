/** The trail of scored sessions: visits of the probe, receipts with their verdicts, and outcomes; and lists of sessions. */
import { Type, type Static } from 'typebox';
import { CallerId, Nullable, Percent, StringEnum, Timestamp } from './common.js';
import { outcomeTypes, reasonClasses, rejectingTypes } from './outcome.js';
import { ListQuery, pageFields } from './paging.js';
import { duplicateBands, recommendations, verdictClasses } from './score.js';

/** Most receipts and outcomes listed of one session, newest first. */
export const trailReceiptsMax = 50;
export const trailOutcomesMax = 200;
/** Sessions that a page of a list looks through for a text. */
export const textSessionsMax = 20_000;

const ProjectOfKey = Type.Optional(
  CallerId(
    'The project to look in: needed with an organization key, an access token or a dashboard token, which belong to none.',
  ),
);

export const SessionReceipt = Type.Object({
  receiptId: Type.String(),
  scoredAt: Timestamp,
  score: Percent('Risk.'),
  recommendation: StringEnum(recommendations),
  verdictClass: StringEnum(verdictClasses),
  duplicateBand: StringEnum(duplicateBands),
  studyId: Nullable(Type.String()),
  sourceId: Nullable(Type.String()),
  supersedes: Nullable(Type.String({ description: 'The receipt that the session got before this one.' })),
  topReason: Nullable(Type.String({ description: 'Code of the foremost finding against; null if there is none.' })),
});
export type SessionReceipt = Static<typeof SessionReceipt>;

/** Grounds of a recommendation. A rule replaces the score. */
export const decidedBys = ['thresholds', 'agent_policy', 'failed_step_up', 'dispositive_signal'] as const;

export const Decision = Type.Object({
  by: StringEnum(decidedBys, {
    description:
      'thresholds: the score was compared with them. agent_policy: verifiedAgentPolicy decided. failed_step_up: the requested step-up was failed. dispositive_signal: a signal of dispositiveSignals raised the score to the block band.',
  }),
  reviewLow: Type.Number({ description: 'The threshold in force at the score.' }),
  blockThreshold: Type.Number({ description: 'The threshold in force at the score.' }),
  stepUpThreshold: Nullable(
    Type.Number({ description: 'The threshold in force at the score; null: step-up was off.' }),
  ),
  text: Type.String({ description: 'The decision in one sentence.' }),
});
export type Decision = Static<typeof Decision>;

/** A receipt in the trail of its session. */
export const TrailReceipt = Type.Object({ ...SessionReceipt.properties, decision: Decision });
export type TrailReceipt = Static<typeof TrailReceipt>;

export const SessionProbe = Type.Object({
  receivedAt: Nullable(Timestamp),
  origin: Nullable(
    Type.String({ description: 'Origin of the page; null: the browser sent none, as from a sandboxed frame.' }),
  ),
  loads: Type.Integer({ minimum: 0, description: 'Page loads that described the browser.' }),
  messages: Type.Integer({
    minimum: 0,
    description: 'Messages that are kept: of each page its load and its newest update.',
  }),
});
export type SessionProbe = Static<typeof SessionProbe>;

export const SessionOutcome = Type.Object({
  type: StringEnum(outcomeTypes),
  occurredAt: Timestamp,
  reasonClass: Nullable(StringEnum(reasonClasses)),
  eventId: Nullable(Type.String()),
  matched: Type.Boolean({ description: 'false: no score of this session is known; the event waits for one.' }),
  retracted: Type.Boolean({ description: 'true: a retraction took the event back.' }),
});
export type SessionOutcome = Static<typeof SessionOutcome>;

export const SessionRejection = Type.Object({
  type: StringEnum(rejectingTypes),
  occurredAt: Timestamp,
  reasonClass: StringEnum(reasonClasses),
});
export type SessionRejection = Static<typeof SessionRejection>;

export const SessionTrailReply = Type.Object({
  sessionId: Type.String(),
  probes: Type.Array(SessionProbe, {
    description:
      'The probe’s visits by origin, for 24 hours. Empty: none came under this session id and the project’s probe key.',
  }),
  receipts: Type.Array(TrailReceipt, {
    description: `Newest first, at most ${trailReceiptsMax}. A score stands here within about a second.`,
  }),
  outcomes: Type.Array(SessionOutcome, { description: `Newest first, at most ${trailOutcomesMax}.` }),
  rejection: Nullable({
    ...SessionRejection,
    description: 'The outcome that rejects the session now, fraud first; null: none, or it was retracted.',
  }),
});
export type SessionTrailReply = Static<typeof SessionTrailReply>;

export const SessionTrailQuery = ListQuery({ projectId: ProjectOfKey });

export const SessionListQuery = ListQuery({
  ...pageFields,
  projectId: ProjectOfKey,
  studyId: Type.Optional(CallerId('Sessions of this study.')),
  sourceId: Type.Optional(CallerId('Sessions of this source.')),
  recommendation: Type.Optional(StringEnum(recommendations)),
  duplicateBand: Type.Optional(StringEnum(duplicateBands)),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Scored last at this time or later.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Scored last before this time.' })),
  sharing: Type.Optional(
    CallerId(
      'Other sessions of the respondent or on the device of this session, by its latest receipt. A page looks through as many as for a text.',
    ),
  ),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: `Sessions with this text in their id, with this receiptId or respondentId, or with this code as topReason. A page looks through ${textSessionsMax} sessions; follow nextCursor, also after an empty page.`,
    }),
  ),
});
export type SessionListQuery = Static<typeof SessionListQuery>;

export const ScoredSession = Type.Object({
  sessionId: Type.String(),
  lastScoredAt: Timestamp,
  receipt: SessionReceipt,
});
export type ScoredSession = Static<typeof ScoredSession>;

export const ScoredSessionPage = Type.Object({
  sessions: Type.Array(ScoredSession),
  nextCursor: Nullable(Type.String()),
});
export type ScoredSessionPage = Static<typeof ScoredSessionPage>;

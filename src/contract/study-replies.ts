/** Studies as the audience API shows them: with their progress, their respondents, and what suppliers see of them. */
import { Type, type Static } from 'typebox';
import { Count, Nullable, Percent, StringEnum, Timestamp, type SessionMode } from './common.js';
import { reasonClasses } from './outcome.js';
import { duplicateBands, recommendations } from './score.js';
import type { VerdictScores } from './verdict.js';
import { screenOutReasons, screenOutRules, ScreenOuts, StudyFunnel } from './study-report.js';
import { entryModes, qualities, returnModes, SampleSize, StudyLimits, StudyQuota, Suppliers } from './study.js';
import { studyStates } from './study-moves.js';

export const StudyProgress = Type.Object({
  entered: Count('Respondents who entered.'),
  screened_out: Count('Respondents who were screened out before the survey.'),
  screenOutReason: ScreenOuts,
  verified: Count('Verified respondents who hold a place or completed.'),
  completed: Count('Verified respondents who completed the survey.'),
  unconfirmed: Count('Completes that hold their place and do not count until they are confirmed.'),
  reversed: Count('Completes that were rejected later; they hold no place.'),
  sample_size: SampleSize,
  places_left: Count('Places that a respondent could take now.'),
  funnel: StudyFunnel,
  quotas: Type.Array(
    Type.Object({
      name: Type.String(),
      limit: Count('Maximum of this quota.'),
      held: Count('Places taken.'),
      verified: Count('Verified of these.'),
      completed: Count('Completes that count, of these.'),
    }),
  ),
});
export type StudyProgress = Static<typeof StudyProgress>;

export const StudyReply = Type.Object({
  studyId: Type.String(),
  projectId: Type.String({ description: 'The project whose thresholds and history score the respondents.' }),
  status: StringEnum(studyStates),
  name: Type.String(),
  survey_url: Type.String(),
  audience: Type.Object({
    countries: Type.Array(Type.String()),
    language: Type.String(),
    sample_size: SampleSize,
    quotas: Type.Array(StudyQuota),
    suppliers: Suppliers,
    entry: StringEnum(entryModes),
    limits: StudyLimits,
  }),
  survey: Type.Object({ returns: StringEnum(returnModes), minimumSeconds: Type.Integer() }),
  verification: Type.Object({ service_check: Type.Boolean(), minimum_quality: StringEnum(qualities) }),
  entryUrl: Type.String({
    description: 'For suppliers, who add rid and src; see docs/reference/suppliers.md for the rest.',
  }),
  createdAt: Timestamp,
  progress: StudyProgress,
});
export type StudyReply = Static<typeof StudyReply>;

const surveyKey = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Signs returns and authorizes POST /studies/{studyId}/returns. It is in this answer and nowhere else.',
});
export const CreatedStudyReply = Type.Object({ ...StudyReply.properties, surveyKey });
export type CreatedStudyReply = Static<typeof CreatedStudyReply>;
export const SurveyKeyReply = Type.Object({ surveyKey, previousSecretUntil: Nullable(Timestamp) });

export const StudyPage = Type.Object({ studies: Type.Array(StudyReply), nextCursor: Nullable(Type.String()) });

export const completions = ['confirmed', 'unconfirmed', 'too_fast', 'reversed'] as const;
export type Completion = (typeof completions)[number];
/** A complete is rejected by the buyer (dispute), by a later return of the survey or the owner, or by an outcome event of the session. */
export const reversedBys = ['dispute', 'return', 'outcome'] as const;
export type ReversedBy = (typeof reversedBys)[number];
export const respondentStatuses = [
  'entering',
  'screened_out',
  'verifying',
  'in_survey',
  'completed',
  'terminated',
  'released',
] as const;
export type RespondentStatus = (typeof respondentStatuses)[number];

const Group = (what: string) =>
  Nullable(
    Type.String({
      description: `Same for respondents whose places the same ${what} took; see the report. null: unknown.`,
    }),
  );

export const RespondentReply = Type.Object({
  sessionId: Type.String({
    description: 'Session id of the score and token; the place id of returns and reconciliation.',
  }),
  respondentId: Type.String({ description: 'rid as the supplier sent it.' }),
  sourceId: Type.String({ description: 'src as the supplier sent it.' }),
  supplierId: Nullable({ ...Type.String(), description: 'Supplier, also if it was renamed or deleted; null: none.' }),
  entry: StringEnum(entryModes, { description: 'signed: the supplier’s signature proves the respondentId.' }),
  status: StringEnum(respondentStatuses),
  completion: Nullable(
    StringEnum(completions, {
      description:
        'Standing of a complete. confirmed: by the survey or the owner. unconfirmed: only by the browser. too_fast: before minimumSeconds. reversed: rejected later.',
    }),
  ),
  screenOutReason: Nullable(StringEnum(screenOutReasons)),
  screenOutRule: Nullable(
    StringEnum(screenOutRules, {
      description:
        'Rule of the study that decided. Of the reason quality: score, if minimum_quality refuses the recommendation, program or verification. Otherwise the same as screenOutReason.',
    }),
  ),
  refusedFor: Nullable(
    StringEnum(reasonClasses, {
      description: 'Reason that the survey or the buyer refused the interview; null: not refused.',
    }),
  ),
  reversedBy: Nullable(
    StringEnum(reversedBys, {
      description:
        'Origin of a later rejection that stands. dispute: the buyer, by reconciliation. return: the survey, by a later return. outcome: an outcome event of the session. null: not rejected, or it was withdrawn.',
    }),
  ),
  reversalNote: Nullable({ ...Type.String(), description: 'Note of the dispute.' }),
  score: Percent('Risk at the entry.'),
  recommendation: Nullable(
    StringEnum(recommendations, { description: 'Recommendation of the score; null: the respondent left before it.' }),
  ),
  reason: Nullable({
    ...Type.String(),
    description:
      'Code of the foremost finding against the respondent, or the one that makes their browser a program, listed in docs/reference/findings.md; null: none.',
  }),
  duplicateBand: StringEnum(duplicateBands),
  country: Nullable(Type.String({ description: 'By address, else as the supplier declared it; null: not known.' })),
  receiptId: Type.String({ description: 'Receipt of the score. Read its evidence with any key that lists the study.' }),
  enteredAt: Timestamp,
  returnedAt: Nullable(Timestamp),
  seconds: Nullable(Count('From the first way to the survey until the return.')),
  deviceGroup: Group('browser'),
  addressGroup: Group('address, or /64 of IPv6,'),
  networkGroup: Group('/48 of IPv6'),
  token: Type.Optional(
    Nullable(Type.String({ description: 'The vh_token that the survey was given; with token=on alone.' })),
  ),
});
export type RespondentReply = Static<typeof RespondentReply>;

export const RespondentPage = Type.Object({
  respondents: Type.Array(RespondentReply),
  nextCursor: Nullable(Type.String()),
});

export const SupplyPage = Type.Object({
  studies: Type.Array(
    Type.Object({
      studyId: Type.String(),
      countries: Type.Array(Type.String()),
      language: Type.String(),
      placesLeft: Count('Places that a respondent could take now.'),
      entry: StringEnum(entryModes, {
        description: 'signed: the link needs exp and sig; see docs/how-to/connect-suppliers.md.',
      }),
      entryUrl: Type.String({ description: 'Add ?rid=<your id of the respondent>&src=<your name>.' }),
    }),
  ),
  nextCursor: Nullable(Type.String()),
});

type ReservationScores = { readonly [name in keyof VerdictScores]: number | null };

export const noScores: ReservationScores = {
  ...{ liveness: null, uniqueness: null, authenticity: null, overall: null, quality: null, fraud: null },
};

/** Claims of the vh_token that a study’s survey is given; times are Unix seconds. */
export interface ReservationClaims {
  readonly iss: string;
  /** The project; of a test study with :test behind it. */
  readonly aud: string;
  /** The session, which is the quota reservation in the study. */
  readonly sub: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly purpose: 'study_place';
  readonly mode: SessionMode;
  readonly project_id: string;
  readonly study_id: string;
  readonly respondent_id: string;
  readonly source_id: string;
  /** review: the gate would have a person look. */
  readonly status: 'pass' | 'review';
  readonly risk_overall: number;
  /** Scores of the place’s verification, as its page may know them; all null if none was part of the place. */
  readonly scores: ReservationScores;
}

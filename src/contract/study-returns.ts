/** Returns from the survey of a study, reported from server to server. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum, Timestamp } from './common.js';
import { completions, respondentStatuses } from './study-replies.js';

export const returnStatuses = ['complete', 'terminate', 'quality'] as const;
export type ReturnStatus = (typeof returnStatuses)[number];

export const StudyReturn = Type.Object({
  place: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'sub of the vh_token, and sessionId of respondents.',
  }),
  status: StringEnum(returnStatuses, {
    description:
      'complete: the interview is whole. terminate: the respondent does not qualify. quality: the survey refused the answers. Both free the place.',
  }),
  at: Type.Optional({
    ...Timestamp,
    description: 'When the interview ended, after it began. Default: the first return, else now.',
  }),
  ignoreMinimumSeconds: Type.Optional(
    Type.Boolean({
      description: 'true: a complete counts however soon it came. Only with an API key. Default false.',
    }),
  ),
});
export type StudyReturn = Static<typeof StudyReturn>;

export const ReturnReply = Type.Object({
  place: Type.String(),
  status: StringEnum(respondentStatuses),
  completion: Nullable(StringEnum(completions)),
  changed: Type.Boolean({ description: 'false: an earlier answer stands.' }),
});
export type ReturnReply = Static<typeof ReturnReply>;

/** Everything that is held about a respondent, one record after another. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum } from './common.js';

/** In the order of an export. */
export const respondentRecordKinds = [
  'session',
  'fingerprint',
  'scored_session',
  'receipt',
  'outcome',
  'adjudication',
  'history',
  'flag',
  'place',
  'link',
  'webhook_event',
] as const;
export type RespondentRecordKind = (typeof respondentRecordKinds)[number];

export const RespondentRecord = Type.Object({
  kind: StringEnum(respondentRecordKinds),
  id: Type.String({ description: 'Unique among the records of its kind.' }),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The stored values. Names of other respondents, secrets and face descriptors are left out.',
  }),
});
export type RespondentRecord = Static<typeof RespondentRecord>;

export const RespondentExport = Type.Object({
  records: Type.Array(RespondentRecord, { description: 'Grouped by kind.' }),
  nextCursor: Nullable(Type.String()),
});
export type RespondentExport = Static<typeof RespondentExport>;

/** What became of the respondents of a study, in counts: for a study, a supplier, or a day. */
import { Type, type Static } from 'typebox';
import { Count, Nullable, StringEnum } from './common.js';

export const screenOutReasons = ['full', 'duplicate', 'quality', 'targeting', 'limit'] as const;
export type ScreenOutReason = (typeof screenOutReasons)[number];

const screenOutMeanings: Readonly<Record<ScreenOutReason, string>> = {
  full: 'No place was left, or none for people like them.',
  duplicate: 'They took part already under another id.',
  quality: 'The gate or the verification refused them.',
  targeting: 'They are outside of the study’s countries.',
  limit: 'Their address, browser or supplier had taken its places.',
};

/** Where each respondent is: every one who entered counts in one of these, but for verified. */
export const StudyFunnel = Type.Object({
  entered: Count('Respondents who came.'),
  undecided: Count('Of them, those who left before the gate decided.'),
  screened_out: Type.Object(
    Object.fromEntries(screenOutReasons.map((reason) => [reason, Count(screenOutMeanings[reason])])) as Record<
      ScreenOutReason,
      ReturnType<typeof Count>
    >,
  ),
  verifying: Count('On the hosted verification page.'),
  in_survey: Count('In the survey.'),
  released: Count('Did not come back in time; the place is free.'),
  terminated: Count('Ended by the survey, which refused them or had no place left.'),
  unconfirmed: Count('Completes that only the browser reported and that do not count.'),
  too_fast: Count('Completes sooner than minimumSeconds.'),
  completed: Count('Completes that count.'),
  reversed: Count('Completes that were rejected later.'),
  verified: Count('Verified respondents who hold a place or completed.'),
});
export type StudyFunnel = Static<typeof StudyFunnel>;

export const reportGroupings = ['supplier', 'day'] as const;
export type ReportGrouping = (typeof reportGroupings)[number];

const figures = {
  ...StudyFunnel.properties,
  median_seconds: Nullable(
    Type.Integer({
      description: 'Median time in the survey of completes that count, within 2.5%. null: none counts.',
    }),
  ),
  same_device: Count('Places taken from a browser that had taken one before, in the whole study.'),
  same_address: Count('Places taken from an address, or a /64 of IPv6, that had taken one before.'),
  same_network: Count('Places taken from a /48 of IPv6 that had taken one before.'),
};

export const claimantKinds = ['device', 'address', 'network'] as const;
export type ClaimantKind = (typeof claimantKinds)[number];
export const reportGroupsMax = 100;

export const StudyReport = Type.Object({
  studyId: Type.String(),
  by: StringEnum(reportGroupings),
  total: Type.Object(figures),
  suppliers: Type.Optional(
    Type.Array(
      Type.Object({
        supplierId: Nullable({ ...Type.String(), description: 'null: src names no supplier of the organization.' }),
        sourceId: Nullable({ ...Type.String(), description: 'null also for a deleted supplier.' }),
        name: Nullable(Type.String()),
        ...figures,
      }),
      { description: 'With by=supplier, most respondents first.' },
    ),
  ),
  days: Type.Optional(
    Type.Array(Type.Object({ day: Type.String({ description: 'Day of the entry in UTC.' }), ...figures }), {
      description: 'With by=day: what became of those who entered on the day.',
    }),
  ),
  groups: Type.Array(
    Type.Object({
      kind: StringEnum(claimantKinds, {
        description: 'device: the same browser. address: the same address, or /64. network: the same /48.',
      }),
      group: Type.String({ description: 'As in deviceGroup, addressGroup and networkGroup of respondents.' }),
      places: Count('Places taken.'),
      completed: Count('Of them, completes that count.'),
    }),
    { description: `Who took more than one place, largest first; at most ${reportGroupsMax}.` },
  ),
});
export type StudyReport = Static<typeof StudyReport>;

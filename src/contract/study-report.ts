/** Counts of a study’s respondents: for the study, a supplier, or a day. */
import { Type, type Static } from 'typebox';
import { Count, Nullable, StringEnum, Timestamp } from './common.js';
import { linkProblems } from './supplier.js';

export const screenOutReasons = ['full', 'duplicate', 'quality', 'targeting', 'limit'] as const;
export type ScreenOutReason = (typeof screenOutReasons)[number];
/** The same, with what quality may mean. */
export const screenOutRules = [
  ...(['score', 'program', 'verification'] as const),
  ...(['full', 'duplicate', 'targeting', 'limit'] as const satisfies readonly ScreenOutReason[]),
] as const;
export type ScreenOutRule = (typeof screenOutRules)[number];

/** Respondents who were screened out before the survey, by reason. */
export const ScreenOuts = Type.Object({
  full: Count('The study or their quotas were full.'),
  duplicate: Count('They had already taken part under another id.'),
  quality: Count('The gate or the verification refused them.'),
  targeting: Count('They are outside of the study’s countries.'),
  limit: Count('Their IP address, browser or supplier reached its limit.'),
  gate: Count('Part of quality: refused by the gate.'),
  verification: Count('Part of quality: refused by the verification.'),
});
export type ScreenOuts = Static<typeof ScreenOuts>;

/** Counts of respondents who were not screened out, by stage. With the screened out, and without verified, they add up to everyone who entered. */
export const StudyFunnel = Type.Object({
  undecided: Count('Respondents who left before the gate decided.'),
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

export const reportGroupings = ['supplier', 'source', 'day'] as const;
export type ReportGrouping = (typeof reportGroupings)[number];

const { undecided, verifying, in_survey: inSurvey, released, terminated, ...ended } = StudyFunnel.properties;

/** The figures of a report, in the order of the columns of CSV. */
export const ReportFigures = Type.Object({
  entries: Count('Respondents who came.'),
  screenedOut: ScreenOuts,
  verified: ended.verified,
  completed: ended.completed,
  unconfirmed: ended.unconfirmed,
  tooFast: ended.too_fast,
  reversed: ended.reversed,
  medianSeconds: Nullable(
    Type.Integer({
      description: 'Median time in the survey of completes that count, within 2.5%. null: none counts.',
    }),
  ),
  ...{ undecided, verifying, inSurvey, released, terminated },
  unsent: Count(
    'Places whose last status was not posted back, because the respondent was erased or the supplier deleted.',
  ),
  sameDevice: Count('Places taken from a browser that had taken one before, in the whole study.'),
  sameAddress: Count('Places taken from an address, or a /64 of IPv6, that had taken one before.'),
  sameNetwork: Count('Places taken from a /48 of IPv6 that had taken one before.'),
});
export type ReportFigures = Static<typeof ReportFigures>;

/** Sources of open links that a study counts apart; those that come later count together. */
export const openSourcesMax = 100;

/** A supplier, a source or a day of a report. */
export const ReportRow = Type.Object({
  supplierId: Nullable({
    ...Type.String(),
    description: 'null: of open links that belong to no supplier; and of a day.',
  }),
  sourceId: Nullable({
    ...Type.String(),
    description: `The supplier’s; by source, also the \`src\` of open links. null: a deleted supplier, open links together, or sources beyond the first ${openSourcesMax}.`,
  }),
  name: Nullable({ ...Type.String(), description: 'Name of the supplier.' }),
  day: Nullable({ ...Type.String(), description: 'Day of the entry in UTC; null of a supplier.' }),
  ...ReportFigures.properties,
});
export type ReportRow = Static<typeof ReportRow>;

export const claimantKinds = ['device', 'address', 'network'] as const;
export type ClaimantKind = (typeof claimantKinds)[number];
export const reportGroupsMax = 100;

export const reportRefusedLinksMax = 100;

/** Visits by links that opened nothing. */
export const RefusedLink = Type.Object({
  supplierId: Nullable({ ...Type.String(), description: 'The supplier that `src` names; null: none.' }),
  sourceId: Nullable(Type.String()),
  name: Nullable({ ...Type.String(), description: 'Name of the supplier.' }),
  reason: StringEnum(linkProblems, { description: 'The foremost problem, as in the check of a link.' }),
  visits: Count('Visits. They are no entries.'),
  lastAt: { ...Timestamp, description: 'When the last ones were counted.' },
});
export type RefusedLink = Static<typeof RefusedLink>;

/** The report of a study: a row for each supplier, source or day, and the whole. */
export const StudyReport = Type.Object({
  studyId: Type.String(),
  by: StringEnum(reportGroupings),
  rows: Type.Array(ReportRow, {
    description: 'Suppliers or sources, most respondents first; or what became of those who entered on a day, by day.',
  }),
  totals: ReportFigures,
  groups: Type.Array(
    Type.Object({
      kind: StringEnum(claimantKinds, {
        description: 'device: the same browser. address: the same address, or /64. network: the same /48.',
      }),
      group: Type.String({ description: 'Group id, as in deviceGroup, addressGroup and networkGroup of respondents.' }),
      places: Count('Places taken.'),
      completed: Count('Completes of the group that count.'),
    }),
    { description: `Groups with more than one place, largest first; at most ${reportGroupsMax}.` },
  ),
  refusedLinks: Type.Array(RefusedLink, {
    description: `Visits by invalid links, most first; at most ${reportRefusedLinksMax}. A few seconds late. Anyone can send an invalid link.`,
  }),
});
export type StudyReport = Static<typeof StudyReport>;

/** Studies of the audience API. Names with an underscore are those of the request as research tools send it. */
import { Type, type Static } from 'typebox';
import { CallerId, Nullable, StringEnum, strict } from './common.js';
import { CountryCode } from './country.js';

export const qualities = ['standard', 'strict'] as const;

export const sampleSizeMax = 1_000_000;
export const quotasMax = 50;
export const ageMax = 130;
/** Longest gender or profession, in characters. */
export const trait = { minLength: 1, maxLength: 64 } as const;

export const entryModes = ['signed', 'open'] as const;
export type EntryMode = (typeof entryModes)[number];
export const returnModes = ['confirmed', 'browser'] as const;
export type ReturnMode = (typeof returnModes)[number];
export const minimumSecondsDefault = 30;
export const studySuppliersMax = 100;

const Age = (description: string) => Type.Integer({ minimum: 0, maximum: ageMax, description });

export const StudyQuota = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'Identifies the quota in the progress.' }),
    country: Type.Optional(CountryCode('One of the countries of the study.')),
    gender: Type.Optional(Type.String({ ...trait, description: 'Value as suppliers send it; case does not matter.' })),
    ageMin: Type.Optional(Age('Least age.')),
    ageMax: Type.Optional(Age('Greatest age.')),
    profession: Type.Optional(
      Type.String({ ...trait, description: 'Value as suppliers send it; case does not matter.' }),
    ),
    limit: Type.Integer({ minimum: 0, maximum: sampleSizeMax, description: 'Maximum respondents of this quota.' }),
  },
  {
    additionalProperties: false,
    description:
      'Quotas of the sample. A respondent counts in every quota whose conditions hold. Unknown values count as met, so no quota overfills.',
  },
);
export type StudyQuota = Static<typeof StudyQuota>;

const Limit = (description: string) => Type.Integer({ minimum: 1, maximum: sampleSizeMax, description });
const limits = {
  perAddress: Limit(
    'Places that one address may take, or one /64 of IPv6; a /48 may take twice as many. Default: 3 on networks of homes and data centers, none on carriers and campuses. On others it is a tenth of the sample, at least 10, for a /48 as well.',
  ),
  perDevice: Limit('Places that one browser may take. Default 1.'),
  heldPerSupplier: Limit(
    'Places that respondents of one supplier may hold. An unconfirmed complete that does not count is held. Default: no limit.',
  ),
};

export const StudyLimits = Type.Partial(Type.Object(limits), {
  additionalProperties: false,
  description: 'Limits of places, checked at the entry. A place that was taken and never used counts, too.',
});
export type StudyLimits = Static<typeof StudyLimits>;

export const SampleSize = Type.Integer({ minimum: 1, maximum: sampleSizeMax, description: 'Respondents wanted.' });
const Quotas = Type.Array(StudyQuota, { maxItems: quotasMax });
const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Shown to respondents on the pages of the entry; suppliers do not see it in lists.',
});

export const Suppliers = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
  maxItems: studySuppliersMax,
  uniqueItems: true,
  description: 'supplierId of each that may send respondents. Default: every supplier of the organization may.',
});

const entry = StringEnum(entryModes, {
  description:
    'signed: only links with a supplier’s signature. open: links without one, too; their rid is unproven, and they belong to no supplier that the study does not name. Default signed if the study names suppliers, else open.',
});
const survey = Type.Partial(
  Type.Object({
    returns: StringEnum(returnModes, {
      description:
        'confirmed: a complete counts once the survey’s server or its signature says so. browser: the respondent’s browser suffices. Default browser if the study names no supplier, else confirmed.',
    }),
    minimumSeconds: Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: `Least time in the survey. A complete that comes sooner is too_fast and does not count. Default ${minimumSecondsDefault}.`,
    }),
  }),
).properties;

const verification = Type.Partial(
  Type.Object({
    service_check: Type.Boolean({
      description: 'Whether every respondent is also verified on the hosted page. Default false; true if strict.',
    }),
    minimum_quality: StringEnum(qualities, {
      description:
        'standard (default): the gate recommended allow or review, and any required verification passed. strict: allow, or step_up, and a biometric pass.',
    }),
  }),
).properties;

export const StudyCreation = Type.Object(
  {
    name: Name,
    survey_url: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description:
        'URL of the survey, with vh_token and vh_return added. Use HTTPS; in development, http://localhost is allowed.',
    }),
    projectId: Type.Optional(
      CallerId('With an organization key: the project that scores. Default: the organization’s first.'),
    ),
    audience: Type.Object(
      {
        countries: Type.Array(CountryCode('An assigned ISO 3166-1 alpha-2 code.'), {
          minItems: 1,
          maxItems: 250,
          description: 'Countries to field in.',
        }),
        language: Type.String({ minLength: 2, maxLength: 35, description: 'BCP 47 tag of the survey’s language.' }),
        sample_size: SampleSize,
        quotas: Type.Optional(Quotas),
        suppliers: Type.Optional(Suppliers),
        entry: Type.Optional(entry),
        limits: Type.Optional(StudyLimits),
      },
      strict,
    ),
    survey: Type.Optional(Type.Object(survey, strict)),
    verification: Type.Optional(Type.Object(verification, strict)),
  },
  strict,
);
export type StudyCreation = Static<typeof StudyCreation>;

/** Named with an impossible schema, so that it is refused, in words of its own, and not taken without effect. */
const refused = (description: string) => Type.Optional(Type.Unsafe<never>({ not: {}, description }));
const settled = refused('can’t be changed. Create a new study.');

const LimitsPatch = Type.Partial(
  Type.Object({
    perAddress: Nullable(limits.perAddress),
    perDevice: Nullable(limits.perDevice),
    heldPerSupplier: Nullable(limits.heldPerSupplier),
  }),
  { additionalProperties: false },
);

/** A merge: omitted fields stay, a list replaces the list, null for quotas removes them. Fields that a study keeps for good are refused. */
export const StudyPatch = Type.Object(
  {
    name: Type.Optional(Name),
    audience: Type.Optional(
      Type.Object(
        {
          sample_size: Type.Optional(SampleSize),
          quotas: Type.Optional(Nullable(Quotas)),
          suppliers: Type.Optional(Nullable(Suppliers)),
          limits: Type.Optional(Nullable(LimitsPatch)),
          countries: settled,
          language: settled,
          entry: settled,
        },
        strict,
      ),
    ),
    survey_url: settled,
    survey: settled,
    verification: settled,
    projectId: settled,
    status: refused('is changed by POST /studies/{studyId}/launch, pause, resume, close or cancel.'),
    sample_size: refused('belongs in `audience`. Move it there.'),
    quotas: refused('belongs in `audience`. Move it there.'),
  },
  strict,
);
export type StudyPatch = Static<typeof StudyPatch>;

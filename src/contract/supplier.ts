/** Suppliers of an organization: who sends respondents into studies, how their links are signed, and where respondents go back to. */
import { Type, type Static } from 'typebox';
import { CallerId, Nullable, StringEnum, Timestamp, strict } from './common.js';
import { CountryCode } from './country.js';
import type { MergePatch } from './merge-patch.js';
import { ageMax } from './study.js';

/** How a respondent’s visit ends, as it is reported to suppliers. */
export const exitStatuses = ['complete', 'full', 'screened_out', 'quality', 'duplicate', 'finished'] as const;
export type ExitStatus = (typeof exitStatuses)[number];

/** An address may contain these in braces. */
export const placeholders = ['rid', 'status', 'place', 'study', 'sig'] as const;

/** A redirect may end with one of these: a hash over the whole address before it, with the secret of the supplier. `_amp`: with the separator of the hash. */
export const addressHashes = ['hmac_sha1', 'hmac_sha1_amp', 'hmac_sha256', 'hmac_sha256_amp', 'sha1'] as const;
export type AddressHash = (typeof addressHashes)[number];

export const suppliersPerOrganizationMax = 500;
/** Hours that a replaced secret stays valid. */
export const graceHours = { default: 24, max: 720 } as const;
export const invitationsMax = 1_000;
export const invitationDays = { default: 14, max: 365 } as const;

const address = (description: string) => Type.String({ minLength: 1, maxLength: 2_048, description });

const redirectMeanings: Readonly<Record<ExitStatus, string>> = {
  complete: 'The interview counts.',
  full: 'The study or a quota is full, or closed.',
  screened_out: 'The respondent does not qualify.',
  quality: 'The gate, the verification or the survey refused the respondent. Default: screened_out.',
  duplicate: 'The respondent has already taken part under another id. Default: screened_out.',
  finished: 'The respondent has finished this study before.',
};
const redirectFields = Object.fromEntries(
  exitStatuses.map((status) => [status, address(redirectMeanings[status])]),
) as Record<ExitStatus, ReturnType<typeof address>>;

export const SupplierRedirects = Type.Partial(Type.Object(redirectFields), {
  additionalProperties: false,
  description:
    'Redirect URLs at the end, by status. Use HTTPS; in development, http://localhost is allowed. Placeholders: {rid}, {status}, {place}, {study}, {sig}, and one hash at the end: {hmac_sha1}, {hmac_sha256}, {sha1}. Without a URL, the respondent sees a page of the service.',
});
export type SupplierRedirects = Static<typeof SupplierRedirects>;

const sourceId = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^[^\\x00-\\x1f]+$',
  description: 'src in the links of this supplier.',
});
const fields = {
  name: Type.String({ minLength: 1, maxLength: 200, description: 'For people.' }),
  sourceId,
  projectId: CallerId('The project whose key the supplier reads /supply/studies with. Default none.'),
  redirects: SupplierRedirects,
  postbackUrl: address(
    'Receives each status of a respondent from server to server, as a POST with a signature. HTTPS. Placeholders as in redirects, without hashes. Default none.',
  ),
};

export const SupplierCreation = Type.Object(
  {
    name: fields.name,
    sourceId,
    projectId: Type.Optional(fields.projectId),
    redirects: Type.Optional(fields.redirects),
    postbackUrl: Type.Optional(fields.postbackUrl),
  },
  strict,
);
export type SupplierCreation = Static<typeof SupplierCreation>;

/** The form of a change before null is allowed for every field. */
export const SupplierFields = Type.Object(fields, strict);
export type SupplierChange = MergePatch<Static<typeof SupplierFields>>;

const supplier = {
  supplierId: Type.String(),
  name: Type.String(),
  sourceId: Type.String(),
  projectId: Nullable(Type.String()),
  redirects: SupplierRedirects,
  postbackUrl: Nullable(Type.String()),
  previousSecretUntil: Nullable({ ...Timestamp, description: 'When the replaced secret ends; null: there is none.' }),
  createdAt: Timestamp,
};
export const SupplierReply = Type.Object(supplier);
export type SupplierReply = Static<typeof SupplierReply>;

const secret = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description });
export const CreatedSupplierReply = Type.Object({
  ...supplier,
  entrySecret: secret('Signs entry links, redirects and postbacks. It is in this answer and nowhere else.'),
});
export type CreatedSupplierReply = Static<typeof CreatedSupplierReply>;

export const SupplierPage = Type.Object({ suppliers: Type.Array(SupplierReply), nextCursor: Nullable(Type.String()) });

export const Rotation = Type.Object(
  {
    overlapHours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: graceHours.max,
        description: `Hours that the old secret stays valid with the new one; 0 after a leak. Default ${graceHours.default}.`,
      }),
    ),
  },
  strict,
);

export const EntrySecretReply = Type.Object({
  entrySecret: secret('Signs from now on. It is in this answer and nowhere else.'),
  previousSecretUntil: supplier.previousSecretUntil,
});
export type EntrySecretReply = Static<typeof EntrySecretReply>;

/** Values as they stand in the link and under its signature. */
const linkValue = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\x00-\\x1f]+$', description }));
export const Invited = Type.Object(
  {
    rid: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '^(?!\\.{1,2}$)[^\\x00-\\x1f]+$',
      description: 'The supplier’s id of the respondent. Not `.` or `..`, which change the path of an address.',
    }),
    country: Type.Optional(CountryCode('Country of the respondent.')),
    age: Type.Optional(Type.Integer({ minimum: 0, maximum: ageMax, description: 'In years.' })),
    gender: linkValue('Value as in the quotas; case does not matter.'),
    profession: linkValue('Value as in the quotas; case does not matter.'),
  },
  { additionalProperties: false },
);
export type Invited = Static<typeof Invited>;

export const Invitations = Type.Object(
  {
    supplierId: Type.String({ minLength: 1, maxLength: 128 }),
    respondents: Type.Array(Invited, { minItems: 1, maxItems: invitationsMax }),
    expiresInDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: invitationDays.max,
        description: `Days that the links are valid. Default ${invitationDays.default}.`,
      }),
    ),
  },
  strict,
);
export type Invitations = Static<typeof Invitations>;

export const InvitationsReply = Type.Object({
  expiresAt: Timestamp,
  invitations: Type.Array(Type.Object({ rid: Type.String(), url: Type.String() })),
});
export type InvitationsReply = Static<typeof InvitationsReply>;

/** The page that tries links shows redirects in full for a `rid` that begins like this, which suppliers give to nobody. */
export const triedRidPrefix = 'vh-try';

export const linkProblems = [
  'not_an_entry_link',
  'study_unknown',
  'study_not_open',
  'respondent_finished',
  'respondent_of_other_source',
  'value_missing',
  'value_repeated',
  'value_too_long',
  'value_unreadable',
  'line_feed',
  'supplier_unknown',
  'supplier_not_in_study',
  'signature_missing',
  'signature_wrong',
  'expired',
  'country_not_in_study',
] as const;
export type LinkProblem = (typeof linkProblems)[number];

export const LinkCheck = Type.Object({ url: Type.String({ minLength: 1, maxLength: 8_192 }) });
export const LinkCheckReply = Type.Object({
  ok: Type.Boolean({
    description: 'Whether a respondent who opens the link now reaches the gate, or goes on where they were.',
  }),
  entry: StringEnum(['signed', 'open'] as const, { description: 'open: the link has no signature.' }),
  expiresAt: Nullable(Timestamp),
  signedWith: Nullable(StringEnum(['current', 'previous'] as const, { description: 'Secret that signed the link.' })),
  signedText: Nullable(
    Type.String({ description: 'The text that the signature has to cover, lines joined with a line feed.' }),
  ),
  problems: Type.Array(Type.Object({ code: StringEnum(linkProblems), message: Type.String() })),
});
export type LinkCheckReply = Static<typeof LinkCheckReply>;

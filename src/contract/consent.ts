/** The controller of the respondents’ data, and the terms in the consent of the widget. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum } from './common.js';

const controller = { minLength: 1, maxLength: 200 } as const;

/** The settings of an organization. Null resets a field to its default. */
export const ConsentSettings = Type.Partial(
  Type.Object({
    controller: Nullable(
      Type.String({ ...controller, description: 'Controller of the data. Default: the organization’s name.' }),
    ),
    privacyUrl: Nullable(
      Type.String({ minLength: 1, maxLength: 2_048, description: 'Absolute web address of your privacy page.' }),
    ),
  }),
  {
    additionalProperties: false,
    description:
      'Controller that the consent names. Branding that the tier includes (companyName, privacyUrl) overrides it.',
  },
);
export type ConsentSettings = Static<typeof ConsentSettings>;

export const consentWarnings = ['consent_incomplete'] as const;
export const Warnings = Type.Array(
  StringEnum(consentWarnings, {
    description: 'consent_incomplete: no privacy page is set, so the consent links to none.',
  }),
);

/** Everything that the consent says of a project. */
export const ConsentTerms = Type.Object({
  controller: Type.String(),
  privacyUrl: Nullable(Type.String()),
  comparedWith: StringEnum(['own', 'study', 'project', 'group'] as const, {
    description: 'Faces to compare with: only the same respondent’s, or all faces of that scope.',
  }),
  faceReuse: Type.Boolean({
    description: 'Whether it is compared with those of the organization’s last 24 hours, too.',
  }),
  reEligibilityDays: Nullable(
    Type.Integer({
      description: 'Days until a participant may take part again; null: as long as the participation is kept.',
    }),
  ),
  pictures: Type.Boolean({
    description: 'Whether a few small gray pictures of the face are sent, checked and not kept.',
  }),
  keptDays: Type.Integer({ description: 'Days after which measurements of the face are deleted at the latest.' }),
});
export type ConsentTerms = Static<typeof ConsentTerms>;

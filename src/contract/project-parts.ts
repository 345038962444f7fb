/**
 * The objects inside a project: thresholds, score mode, branding, deduplication, monitoring.
 */
import { Type, type Static } from 'typebox';
import { CallerId, StringEnum } from './common.js';

export const unit = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

/** Gates of the decision engine by security level; a dashboard writes one of these rows into customThresholds. */
export const securityLevels = {
  relaxed: { liveness: 0.4, uniqueness: 0.7, authenticity: 0.55, screenDetection: 0.45 },
  balanced: { liveness: 0.65, uniqueness: 0.85, authenticity: 0.7, screenDetection: 0.6 },
  strict: { liveness: 0.75, uniqueness: 0.9, authenticity: 0.8, screenDetection: 0.7 },
  maximum: { liveness: 0.85, uniqueness: 0.95, authenticity: 0.9, screenDetection: 0.8 },
} as const;

export const Thresholds = Type.Object(
  {
    liveness: Type.Optional(unit('Default: config.livenessThreshold.')),
    uniqueness: Type.Optional(unit('Default: config.uniquenessThreshold.')),
    authenticity: Type.Optional(unit('Default 0.70.')),
    screenDetection: Type.Optional(unit('Default 0.60.')),
  },
  { additionalProperties: false, description: 'Thresholds used as given, in place of a security level.' },
);
export type Thresholds = Static<typeof Thresholds>;

const redirectUrl = (which: string) =>
  Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: `Where a respondent who ${which} goes. Both URLs must be set for redirects to happen. HTTPS; http://localhost too in development.`,
  });

export const ScoreModeConfig = Type.Object(
  {
    blockAboveRisk: Type.Optional(unit('Blocks at this overall risk and above. Default none.')),
    blockBelowUniqueness: Type.Optional(unit('Blocks at this uniqueness and below. Default none.')),
    blockOnFraudSignals: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }), {
        maxItems: 100,
        uniqueItems: true,
        description: 'Types of fraud signals that block. Default none.',
      }),
    ),
    minEvidenceQuality: Type.Optional(unit('Least quality of camera and signals. Default none.')),
    exposeBreakdown: Type.Optional(
      Type.Boolean({ description: 'Adds each signal’s contribution to the envelope. Default false.' }),
    ),
    redirectPassUrl: Type.Optional(redirectUrl('passes')),
    redirectFailUrl: Type.Optional(redirectUrl('fails')),
  },
  { additionalProperties: false },
);
export type ScoreModeConfig = Static<typeof ScoreModeConfig>;

export const tiers = ['free', 'starter', 'professional', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];

const color = (description: string) =>
  Type.String({ pattern: '^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$', description: `${description} as #rgb or #rrggbb.` });

export const Branding = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: 'Default true once any other field is set.' })),
    companyName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Shown in place of the service’s name.' }),
    ),
    primaryColor: Type.Optional(color('Buttons and accents,')),
    backgroundColor: Type.Optional(color('Background,')),
    fontFamily: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9 ,\'"_-]{1,200}$', description: 'CSS font family. Professional and up.' }),
    ),
    privacyUrl: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_048, description: 'Absolute web address. Professional and up.' }),
    ),
    supportEmail: Type.Optional(Type.String({ format: 'email', maxLength: 254, description: 'Professional and up.' })),
    logoUrl: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_048, description: 'Absolute web address. Enterprise.' }),
    ),
    hidePoweredBy: Type.Optional(Type.Boolean({ description: 'Enterprise. Default false.' })),
  },
  { additionalProperties: false },
);
export type Branding = Static<typeof Branding>;

/** Least tier for a branding field; those not named are for all. */
export const brandingTiers: Readonly<Partial<Record<keyof Branding, Tier>>> = {
  fontFamily: 'professional',
  privacyUrl: 'professional',
  supportEmail: 'professional',
  logoUrl: 'enterprise',
  hidePoweredBy: 'enterprise',
};

export const Deduplication = Type.Object(
  {
    scope: Type.Optional(
      StringEnum(['project', 'group'] as const, {
        description:
          'Whose participants count as the same study: this project’s, or those of all projects with the same groupId. Default project.',
      }),
    ),
    groupId: Type.Optional(CallerId('Name of the group within the organization; needed with scope group.')),
    perDataCollector: Type.Optional(
      Type.Boolean({ description: 'Whether each data collector is apart from the others. Default false.' }),
    ),
    reEligibilityDays: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 7,
        maximum: 365,
        description: 'After so many days a participant may take part again; null: never. Default null.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Deduplication = Static<typeof Deduplication>;

const count = (description: string) => Type.Integer({ minimum: 0, maximum: 10_000, description });
const duration = (description: string) => Type.Integer({ minimum: 0, maximum: 86_400_000, description });

export const Monitoring = Type.Object(
  {
    anomalyThreshold: Type.Optional(
      unit('An anomaly in the session’s behaviour whose score is above it is flagged. Default none.'),
    ),
    question: Type.Optional(
      Type.Object(
        {
          minTimeMs: Type.Optional(duration('Flags an answer given faster, in milliseconds. Default none.')),
          maxTimeMs: Type.Optional(duration('Flags an answer given more slowly, in milliseconds. Default none.')),
          maxPastes: Type.Optional(count('Flags more pastes. Default none.')),
          maxFocusExits: Type.Optional(count('Flags leaving the page more often. Default none.')),
          minMouseMoves: Type.Optional(count('Flags fewer movements of the pointer. Default none.')),
          minKeys: Type.Optional(count('Flags fewer keys. Default none.')),
        },
        {
          additionalProperties: false,
          description: 'Limits on one question’s behaviour; those of least values hold for ended questions.',
        },
      ),
    ),
  },
  { additionalProperties: false },
);
export type Monitoring = Static<typeof Monitoring>;

/** The objects inside a project: thresholds, score mode, branding, deduplication, monitoring. */
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

export const Thresholds = Type.Partial(
  Type.Object({
    liveness: unit('Default: config.livenessThreshold.'),
    uniqueness: unit('Default: config.uniquenessThreshold.'),
    authenticity: unit('Default 0.70.'),
    screenDetection: unit('Default 0.60.'),
  }),
  { additionalProperties: false, description: 'Thresholds used as given, in place of a security level.' },
);
export type Thresholds = Static<typeof Thresholds>;

const redirectUrl = (which: string) =>
  Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: `Redirect URL of a respondent who ${which}. Redirects need both URLs. Use HTTPS; in development, http://localhost is allowed.`,
  });

export const ScoreModeConfig = Type.Partial(
  Type.Object({
    blockAboveRisk: unit('Blocks at this overall risk and above. Default none.'),
    blockBelowUniqueness: unit('Blocks at this uniqueness and below. Default none.'),
    blockOnFraudSignals: Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 100,
      uniqueItems: true,
      description: 'Types of fraud signals that block, of those that docs/reference/verdict.md lists. Default none.',
    }),
    minEvidenceQuality: unit('Minimum quality of camera and signals. Default none.'),
    exposeBreakdown: Type.Boolean({ description: 'Adds each signal’s contribution to the envelope. Default false.' }),
    redirectPassUrl: redirectUrl('passes'),
    redirectFailUrl: redirectUrl('fails'),
  }),
  { additionalProperties: false },
);
export type ScoreModeConfig = Static<typeof ScoreModeConfig>;

export const tiers = ['free', 'starter', 'professional', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];

const color = (description: string) =>
  Type.String({ pattern: '^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$', description: `${description} as #rgb or #rrggbb.` });

export const Branding = Type.Partial(
  Type.Object({
    enabled: Type.Boolean({ description: 'Whether branding is on. Default true if any other field is set.' }),
    companyName: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name shown instead of the service’s name.',
    }),
    primaryColor: color('Buttons and accents,'),
    backgroundColor: color('Background,'),
    fontFamily: Type.String({
      pattern: '^[A-Za-z0-9 ,\'"_-]{1,200}$',
      description: 'CSS font family. Professional and up.',
    }),
    privacyUrl: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'Absolute web address. Professional and up.',
    }),
    supportEmail: Type.String({ format: 'email', maxLength: 254, description: 'Professional and up.' }),
    logoUrl: Type.String({ minLength: 1, maxLength: 2_048, description: 'Absolute web address. Enterprise.' }),
    hidePoweredBy: Type.Boolean({ description: 'Enterprise. Default false.' }),
  }),
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

export const deviceRules = ['note', 'fail'] as const;
export type DeviceRule = (typeof deviceRules)[number];

export const Deduplication = Type.Partial(
  Type.Object({
    scope: StringEnum(['project', 'study', 'group'] as const, {
      description:
        'Scope in which a person counts once: this project, the same studyId within it, or all projects with the same groupId. Default project.',
    }),
    groupId: CallerId('Name of the group within the organization; needed with scope group.'),
    perDataCollector: Type.Boolean({
      description: 'Whether each data collector has a separate scope. Default false.',
    }),
    reEligibilityDays: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 7,
      maximum: 365,
      description: 'Days until a participant may take part again; null: never. Default null.',
    }),
    face: StringEnum(['fail', 'note'] as const, {
      description: 'A face under another name, for a named respondent: a duplicate, or `face_seen`. Default fail.',
    }),
    faceReuse: StringEnum(['on', 'off'] as const, {
      description: 'Whether `face_reused` is looked for. Default on.',
    }),
    device: StringEnum(deviceRules, {
      description:
        'Treatment of another respondent on a known device: a note among the fraud signals, or a duplicate. Default note.',
    }),
  }),
  { additionalProperties: false },
);
export type Deduplication = Static<typeof Deduplication>;

const count = (description: string) => Type.Integer({ minimum: 0, maximum: 10_000, description });
const duration = (description: string) => Type.Integer({ minimum: 0, maximum: 86_400_000, description });

export const Monitoring = Type.Partial(
  Type.Object({
    anomalyThreshold: unit('An anomaly in the session’s behaviour whose score is above it is flagged. Default none.'),
    question: Type.Partial(
      Type.Object({
        minTimeMs: duration('Flags an answer given faster, in milliseconds. Default none.'),
        maxTimeMs: duration('Flags an answer given more slowly, in milliseconds. Default none.'),
        maxPastes: count('Flags more pastes. Default none.'),
        maxFocusExits: count('Flags leaving the page more often. Default none.'),
        minMouseMoves: count('Flags fewer movements of the pointer. Default none.'),
        minKeys: count('Flags fewer keys. Default none.'),
      }),
      {
        additionalProperties: false,
        description: 'Limits on the behavior in one question. Minimum values apply to completed questions.',
      },
    ),
  }),
  { additionalProperties: false },
);
export type Monitoring = Static<typeof Monitoring>;

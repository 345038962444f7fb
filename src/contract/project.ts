/** A project and its configuration. Stored is what was set; replies fill in the defaults of the tables below. */
import { Type, type Static } from 'typebox';
import { LiteConfig } from './calibration.js';
import { CallerId, ErrorIssue, Nullable, StringEnum, Timestamp, strict } from './common.js';
import { ConsentTerms, Warnings } from './consent.js';
import { evidenceFramesModes } from './evidence-frames.js';
import { Branding, Deduplication, Monitoring, ScoreModeConfig, Thresholds, unit } from './project-parts.js';

/** From the least strict to the strictest. */
export const widgetModes = ['invisible', 'captcha', 'standard'] as const;
export type WidgetMode = (typeof widgetModes)[number];
export const demandedAssurances = ['device_only', 'biometric'] as const;
export type DemandedAssurance = (typeof demandedAssurances)[number];
export const degradedModes = ['FAIL_CLOSED', 'FAIL_OPEN_FLAGGED', 'FAIL_OPEN_TRUSTED'] as const;
export const userDisclosures = ['NEUTRAL', 'TRANSPARENT', 'CUSTOM'] as const;
export const verificationModes = ['block', 'score'] as const;
export const riskAggregators = ['off', 'shadow', 'on'] as const;

/** The longest time in which a changed verdict is reported. */
export const verdictChangedDaysMax = 90;

export const OriginPatterns = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
  maxItems: 200,
  description: 'Allowed origins: https://host, host, *.domain or localhost:*.',
});

export const ProjectConfig = Type.Partial(
  Type.Object({
    widgetMode: StringEnum(widgetModes, {
      description: 'Interface and signals of the widget. Default standard.',
    }),
    lockWidgetMode: Type.Boolean({
      description: 'Whether the page can’t choose another widgetMode. Default false.',
    }),
    minimumAssurance: StringEnum(demandedAssurances, {
      description:
        'Minimum assurance of a pass. With biometric, a session without a camera check fails. Default device_only.',
    }),
    challengeEnabled: Type.Boolean({
      description:
        'Whether weak passive signals may lead to a camera challenge, and captures have movements. Those that are required, or whose pictures are checked, always have. Default true.',
    }),
    maxRetries: Type.Integer({
      minimum: 0,
      maximum: 10,
      description: 'Maximum retries of a failed session. Default 3.',
    }),
    livenessThreshold: unit('Pass gate of liveness. Default 0.65.'),
    uniquenessThreshold: unit('Pass gate of uniqueness. Default 0.85.'),
    allowedDomains: OriginPatterns,
    degradedMode: StringEnum(degradedModes, {
      description: 'Policy of the widget if the verify endpoint is unreachable. Default FAIL_OPEN_FLAGGED.',
    }),
    escalateOnSuspicion: Type.Boolean({
      description:
        'Whether a weak passive score in the invisible mode leads to a hidden camera check instead of a failure. Default false.',
    }),
    riskAggregator: StringEnum(riskAggregators, {
      description: 'Whether the unified risk is shown: off, shadow (computed, shown as null) or on. Default off.',
    }),
    demographics: Type.Boolean({
      description:
        'Whether the camera check also estimates age, gender and skin tone. The consent then says so. Default false.',
    }),
    evidenceFrames: StringEnum(evidenceFramesModes, {
      description:
        'Whether a few small gray pictures of the face are sent, checked and then deleted: off or sampled. Default off.',
    }),
    demoKeys: Type.Boolean({
      description:
        'Whether anyone with the site key can create demo keys, which score and verify in demo mode. With false, existing ones end too. Default true.',
    }),
    deduplication: Deduplication,
    monitoring: Monitoring,
    liteConfig: LiteConfig,
    verdictChangedDays: Type.Integer({
      minimum: 0,
      maximum: verdictChangedDaysMax,
      description:
        'Days after a score in which a change of its verdict is reported as verdict.changed; 0: never. Sessions count that are scored while it is set. Default 0.',
    }),
  }),
  { additionalProperties: false },
);
export type ProjectConfig = Static<typeof ProjectConfig>;

const settable = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  description: Type.Optional(Type.String({ maxLength: 2_000 })),
  externalId: Type.Optional(
    CallerId('Your id of the project, unique in the organization. Provisioning is idempotent by it.'),
  ),
  verificationMode: Type.Optional(
    StringEnum(verificationModes, {
      description: 'block: the service decides pass or fail. score: your backend decides. Default block.',
    }),
  ),
  config: Type.Optional(ProjectConfig),
  customThresholds: Type.Optional(Thresholds),
  scoreModeConfig: Type.Optional(ScoreModeConfig),
  userDisclosure: Type.Optional(
    StringEnum(userDisclosures, {
      description: 'Wording of the disclosure, apart from biometric consent. Default NEUTRAL.',
    }),
  ),
  userDisclosureCustomText: Type.Optional(
    Type.String({ maxLength: 280, description: 'Plain text, shown escaped. Required with CUSTOM.' }),
  ),
};

/** A project stores any of these settings. */
export const ProjectFields = Type.Object(
  { ...settable, branding: Type.Optional(Branding) },
  { additionalProperties: false },
);
export type ProjectFields = Static<typeof ProjectFields>;

const AllowedOrigins = { ...OriginPatterns, description: 'Another name for config.allowedDomains.' };
const alias = { allowedOrigins: Type.Optional(AllowedOrigins) };

const issuing = Type.Partial(
  Type.Object({
    issueApiKey: Type.Boolean({
      description: 'Also return a live key of the project, created by the first such call. Default false.',
    }),
    rotateApiKey: Type.Boolean({
      description: 'Replace the project’s current issued key and return the new one. Default false.',
    }),
  }),
).properties;

/** The fields that a caller may change, and the other name for the origins. */
export const ProjectChange = Type.Object({ ...ProjectFields.properties, ...alias }, { additionalProperties: false });
export type ProjectChange = Static<typeof ProjectChange>;

export const ProjectCreation = Type.Object(
  { ...ProjectChange.properties, ...issuing },
  { additionalProperties: false },
);
export type ProjectCreation = Static<typeof ProjectCreation>;

/** Creation without branding. The impossible schema of branding gives its refusal a separate message. */
export const ProjectProvisioning = Type.Object(
  {
    ...settable,
    ...alias,
    ...issuing,
    branding: Type.Optional(
      Type.Unsafe<never>({
        not: {},
        description: 'isn’t allowed here. Set it with PATCH /projects/{projectId} afterwards.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Replies show these parts. They are additive, so that a client of today reads the replies of tomorrow. */
export const ProjectConfigReply = Type.Object(ProjectConfig.properties);
export const ThresholdsReply = Type.Object(Thresholds.properties, { description: 'Thresholds that were set.' });
export const EffectiveSettings = Type.Object(
  {
    thresholds: Type.Required(Type.Object(Thresholds.properties), {
      description: 'Custom thresholds, else those of config, else the Balanced preset.',
    }),
    liteConfig: LiteConfig,
  },
  { description: 'Effective settings, including inherited ones. Read-only.' },
);
export const ScoreModeReply = Type.Object(ScoreModeConfig.properties);
export const BrandingReply = Type.Object(Branding.properties);

export const ProjectReply = Type.Object({
  projectId: Type.String(),
  siteKey: Type.String({ description: 'Public key for the browser; the same value as projectId.' }),
  probeKey: Type.String({ description: 'Public key of the on-page probe.' }),
  organizationId: Type.String(),
  externalId: Nullable(Type.String()),
  name: Type.String(),
  description: Nullable(Type.String()),
  createdAt: Timestamp,
  verificationMode: StringEnum(verificationModes),
  config: ProjectConfigReply,
  allowedOrigins: AllowedOrigins,
  customThresholds: ThresholdsReply,
  scoreModeConfig: ScoreModeReply,
  userDisclosure: StringEnum(userDisclosures),
  userDisclosureCustomText: Nullable(Type.String()),
  branding: Nullable(BrandingReply),
  effective: EffectiveSettings,
  warnings: Type.Optional(Warnings),
  notes: Type.Optional(
    Type.Array(ErrorIssue, {
      description: 'Warnings about valid values that may be mistakes, such as a source of perSource without scores.',
    }),
  ),
});
export type ProjectReply = Static<typeof ProjectReply>;

const readOnly = Type.Unsafe<unknown>({
  type: ['string', 'object', 'array'],
  items: {},
  description: 'Read-only; may come back as it was read.',
});

/** A change, or a project as it was read. */
export const ProjectPatch = Type.Object(
  {
    ...Object.fromEntries(Object.keys(ProjectReply.properties).map((name) => [name, readOnly])),
    ...ProjectChange.properties,
  },
  { additionalProperties: false },
);
export type ProjectPatch = Partial<ProjectChange>;

/** A project with, where asked for, its issued key. */
export const ProvisioningReply = Type.Object({
  ...ProjectReply.properties,
  apiKey: Type.Optional(
    Nullable(Type.String({ description: 'Secret of the key, shown only once; null if the key was issued before.' })),
  ),
  apiKeyId: Type.Optional(Type.String()),
  apiKeyPrefix: Type.Optional(Type.String()),
  apiKeyIssued: Type.Optional(Type.Boolean({ description: 'Whether this call made the key.' })),
});
export type ProvisioningReply = Static<typeof ProvisioningReply>;

/** The widget reads this when it mounts. Nothing here is secret. */
export const PublicConfig = Type.Object({
  siteKey: Type.String(),
  verificationMode: StringEnum(verificationModes),
  widgetMode: StringEnum(widgetModes),
  minimumAssurance: StringEnum(demandedAssurances),
  challengeEnabled: Type.Boolean(),
  escalateOnSuspicion: Type.Boolean(),
  evidenceFrames: StringEnum(evidenceFramesModes, { description: 'sampled: pictures are sent; the consent says so.' }),
  maxRetries: Type.Integer(),
  degradedMode: StringEnum(degradedModes),
  demographics: Type.Boolean({ description: 'Whether age, gender and skin tone are estimated.' }),
  userDisclosure: StringEnum(userDisclosures),
  userDisclosureCustomText: Nullable(Type.String()),
  branding: Nullable(
    Type.Object(Branding.properties, {
      description: 'Branding that the organization’s tier includes; null if there is none or it is off.',
    }),
  ),
  consent: ConsentTerms,
  warnings: Warnings,
  models: Type.Object({ baseUrl: Type.String() }),
});
export type PublicConfig = Static<typeof PublicConfig>;

export const OriginCheck = Type.Object({
  allowed: Type.Boolean(),
  origin: Nullable(Type.String({ description: 'Value of the request’s `Origin` header.' })),
  decidedBy: StringEnum(['project', 'organization', 'environment'] as const, {
    description: 'Owner of the list that decided; environment if both lists are empty.',
  }),
});
export type OriginCheck = Static<typeof OriginCheck>;

export const SigningSecretRotation = Type.Object(
  {
    revokePrevious: Type.Optional(
      Type.Boolean({
        description:
          'Tokens that the previous secret signed fail at once. Default false: they verify until they expire.',
      }),
    ),
  },
  strict,
);

export const SigningSecretReply = Type.Object({
  projectId: Type.String(),
  version: Type.Integer(),
  rotatedAt: Timestamp,
});

/** Default of every configuration field that has one. */
export const configDefaults = {
  widgetMode: 'standard',
  lockWidgetMode: false,
  minimumAssurance: 'device_only',
  challengeEnabled: true,
  maxRetries: 3,
  livenessThreshold: 0.65,
  uniquenessThreshold: 0.85,
  allowedDomains: [],
  degradedMode: 'FAIL_OPEN_FLAGGED',
  escalateOnSuspicion: false,
  riskAggregator: 'off',
  demographics: false,
  demoKeys: true,
  deduplication: {
    scope: 'project',
    perDataCollector: false,
    reEligibilityDays: null,
    device: 'note',
    face: 'fail',
    faceReuse: 'on',
  },
  evidenceFrames: 'off',
  monitoring: { question: {} },
  liteConfig: {},
  verdictChangedDays: 0,
} as const satisfies ProjectConfig;

/** Defaults of the fields next to `config`. */
export const projectDefaults = {
  verificationMode: 'block',
  userDisclosure: 'NEUTRAL',
  scoreModeConfig: { exposeBreakdown: false },
} as const satisfies Partial<ProjectFields>;

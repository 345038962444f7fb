/**
 * A project and its configuration. What is stored is partial (only what was set); replies show the resolved form, with
 * every default filled in from `projectDefaults`.
 */
import { Type, type Static, type TSchema } from 'typebox';
import { LiteConfig } from './calibration.js';
import { StringEnum, Timestamp } from './common.js';

export const widgetModes = ['invisible', 'captcha', 'standard'] as const;
export const degradedModes = ['FAIL_CLOSED', 'FAIL_OPEN_FLAGGED', 'FAIL_OPEN_TRUSTED'] as const;
export const userDisclosures = ['NEUTRAL', 'TRANSPARENT', 'CUSTOM'] as const;

const unit = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const OriginPatterns = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
  maxItems: 200,
  description: 'Allowed origins: https://host, host, *.domain or localhost:*.',
});

export const ProjectConfig = Type.Object(
  {
    widgetMode: Type.Optional(StringEnum(widgetModes, { description: 'Which interface and signals the widget uses. Default standard.' })),
    challengeEnabled: Type.Optional(Type.Boolean({ description: 'Whether weak passive signals may lead to a camera challenge. Default true.' })),
    maxRetries: Type.Optional(Type.Integer({ minimum: 0, maximum: 10, description: 'Retries before a session has failed for good. Default 3.' })),
    livenessThreshold: Type.Optional(unit('Pass gate of liveness. Default 0.65.')),
    uniquenessThreshold: Type.Optional(unit('Pass gate of uniqueness. Default 0.85.')),
    allowedDomains: Type.Optional(OriginPatterns),
    degradedMode: Type.Optional(StringEnum(degradedModes, { description: 'What the widget does when verification is out of reach. Default FAIL_OPEN_FLAGGED.' })),
    liteConfig: Type.Optional(LiteConfig),
  },
  { additionalProperties: false },
);
export type ProjectConfig = Static<typeof ProjectConfig>;

/** What a caller may set on a project. */
export const ProjectFields = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 2_000 })),
    config: Type.Optional(ProjectConfig),
  },
  { additionalProperties: false },
);
export type ProjectFields = Static<typeof ProjectFields>;

export const ProjectReply = Type.Object(
  {
    projectId: Type.String(),
    siteKey: Type.String({ description: 'Public key for the browser; the same value as projectId.' }),
    probeKey: Type.String({ description: 'Public key of the on-page probe.' }),
    organizationId: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    createdAt: Timestamp,
    config: Type.Object(ProjectConfig.properties),
  },
);
export type ProjectReply = Static<typeof ProjectReply>;

/** Default of every configuration field that has one. */
export const configDefaults = {
  widgetMode: 'standard',
  challengeEnabled: true,
  maxRetries: 3,
  livenessThreshold: 0.65,
  uniquenessThreshold: 0.85,
  allowedDomains: [],
  degradedMode: 'FAIL_OPEN_FLAGGED',
  liteConfig: {},
} as const satisfies ProjectConfig;

/**
 * The merge-patch form (RFC 7396) of a schema: nothing is required and every value may be null, which goes back to the default.
 * Works on the JSON Schema itself, so that one definition serves both.
 */
export function mergePatchOf(schema: TSchema): TSchema {
  const { required: _required, ...rest } = schema as unknown as Record<string, unknown>;
  return nullableValues(rest) as unknown as TSchema;
}

function nullableValues(schema: Record<string, unknown>): Record<string, unknown> {
  const mapped: Record<string, unknown> = { ...schema };
  for (const holder of ['properties', 'patternProperties']) {
    const children = schema[holder] as Record<string, Record<string, unknown>> | undefined;
    if (children !== undefined) mapped[holder] = Object.fromEntries(Object.entries(children).map(([name, child]) => [name, nullable(child)]));
  }
  if (typeof schema['additionalProperties'] === 'object') mapped['additionalProperties'] = nullable(schema['additionalProperties'] as Record<string, unknown>);
  return mapped;
}

function nullable(schema: Record<string, unknown>): Record<string, unknown> {
  const { required: _required, ...inner } = nullableValues(schema);
  const enumeration = Array.isArray(inner['enum']) ? { enum: [...(inner['enum'] as unknown[]), null] } : {};
  return { ...inner, type: [inner['type'], 'null'], ...enumeration };
}

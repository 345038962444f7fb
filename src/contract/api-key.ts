/** API keys as their owners see them. A secret stands in a reply once, when the key is made or replaced. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum, Timestamp, strict } from './common.js';

export const rateLimitDefaults = { perMinute: 6_000, perDay: 2_000_000 } as const;

/** Ceilings of a demo key. */
export const demoRateLimits = { perMinute: 60, perDay: 1_000 } as const;

export const perMinuteMax = 100_000_000;
export const perDayMax = 10_000_000_000;
export const expiresInDaysMax = 365;

const perMinute = Type.Integer({ minimum: 1, maximum: perMinuteMax, description: 'Calls in a minute.' });
const perDay = Type.Integer({ minimum: 1, maximum: perDayMax, description: 'Calls in a day of UTC.' });

export const RateLimits = Type.Object({ perMinute, perDay });
export type RateLimits = Static<typeof RateLimits>;

const introspection = {
  keyId: Type.String(),
  organizationId: Type.String(),
  scope: StringEnum(['project', 'organization'] as const),
  projectId: Nullable(Type.String({ description: 'null for a key of organization scope.' })),
  projectName: Nullable(Type.String()),
  isTest: Type.Boolean(),
  isDemo: Type.Boolean(),
  diagnosticsEnabled: Type.Boolean(),
  scopes: Type.Array(Type.String()),
  rateLimit: RateLimits,
  expiresAt: Type.Optional(Timestamp),
};

export const KeyIntrospection = Type.Object(introspection);
export type KeyIntrospection = Static<typeof KeyIntrospection>;

export const keyStates = ['active', 'revoked', 'expired'] as const;

export const KeyRecord = Type.Object({
  ...introspection,
  name: Type.String(),
  prefix: Type.String({ description: 'First characters of the secret, to distinguish keys.' }),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
  state: StringEnum(keyStates),
});
export type KeyRecord = Static<typeof KeyRecord>;

export const KeyPage = Type.Object({ apiKeys: Type.Array(KeyRecord), nextCursor: Nullable(Type.String()) });

/** A key together with its secret. */
export const MintedKeyReply = Type.Object({
  ...introspection,
  name: Type.String(),
  apiKey: Type.String({ description: 'The secret. It cannot be read again.' }),
  apiKeyPrefix: Type.String(),
});
export type MintedKeyReply = Static<typeof MintedKeyReply>;

const expiresInDays = Type.Optional(
  Type.Integer({ minimum: 1, maximum: expiresInDaysMax, description: 'Days until the key expires.' }),
);

export const KeyCreation = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    expiresInDays,
    scopes: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        minItems: 1,
        maxItems: 32,
        uniqueItems: true,
        description: 'Default: all that this kind of key may have.',
      }),
    ),
    isTest: Type.Optional(Type.Boolean({ description: 'Default false.' })),
    diagnosticsEnabled: Type.Optional(
      Type.Boolean({ description: 'Lets callers ask for diagnostics of a verification. Default false.' }),
    ),
    rateLimits: Type.Optional(Type.Partial(RateLimits)),
  },
  strict,
);
export type KeyCreation = Static<typeof KeyCreation>;

export const KeyRotation = Type.Object(
  { expiresInDays },
  { ...strict, description: 'Without expiresInDays the new key expires when the old one would have.' },
);
export type KeyRotation = Static<typeof KeyRotation>;

export const KeyChange = Type.Object({ rateLimits: Type.Partial(RateLimits, { minProperties: 1 }) }, strict);
export type KeyChange = Static<typeof KeyChange>;

export const DemoKeyReply = Type.Object({
  apiKey: Type.String(),
  keyId: Type.String(),
  apiKeyPrefix: Type.String(),
  projectId: Type.String(),
  isTest: Type.Literal(true),
  isDemo: Type.Literal(true),
  expiresAt: Timestamp,
});
export type DemoKeyReply = Static<typeof DemoKeyReply>;

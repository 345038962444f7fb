/** OAuth clients of an organization and the scopes of their access tokens. A reply holds a secret once, when it is made. */
import { Type, type Static } from 'typebox';
import { Nullable, StringEnum, Timestamp, strict } from './common.js';

/** The permissions of an access token, each with the API key scope for the same. */
export const oauthScopes = {
  'lite:score': { meaning: 'Score sessions.', keyScope: 'lite:write' },
  'lite:read': {
    meaning: 'Read evidence of the client’s scores and simulate thresholds.',
    keyScope: 'lite:read',
  },
  'receipts:read': {
    meaning: 'Read all scores of a project: sessions, evidence and reports.',
    keyScope: 'lite:read',
  },
  'verifications:read': { meaning: 'Validate verification tokens.', keyScope: 'verifications:read' },
  'projects:write': { meaning: 'Create, list, read and change projects.', keyScope: 'projects:write' },
  'analytics:read': { meaning: 'List projects and read their analytics.', keyScope: 'analytics:read' },
  'audience:write': { meaning: 'Create and run studies and follow their progress.', keyScope: 'audience:write' },
} as const;
export type OAuthScope = keyof typeof oauthScopes;
export const oauthScopeNames = Object.keys(oauthScopes) as readonly OAuthScope[];

/** Seconds that an access token is good for. */
export const accessTokenSeconds = 900;

/** Signatures that a client’s assertion may carry. */
export const assertionAlgorithms = ['EdDSA', 'Ed25519', 'ES256', 'RS256', 'PS256'] as const;
export const clientKeysMax = 5;
export const clientsMax = 100;

const part = Type.Optional(Type.String({ minLength: 1, maxLength: 2_048, pattern: '^[A-Za-z0-9_-]+$' }));

/** Further members (use, alg, x5c) are taken and not kept; private ones are refused. */
export const ClientKeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: StringEnum(['OKP', 'EC', 'RSA'] as const),
        kid: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
        crv: Type.Optional(StringEnum(['Ed25519', 'P-256'] as const)),
        x: part,
        y: part,
        n: part,
        e: part,
      }),
      { minItems: 1, maxItems: clientKeysMax },
    ),
  },
  { description: 'Public keys (RFC 7517): Ed25519, P-256, or RSA of 2,048 bits and more.' },
);
export type ClientKeySet = Static<typeof ClientKeySet>;

const name = Type.String({ minLength: 1, maxLength: 200 });
const scopes = Type.Array(StringEnum(oauthScopeNames), {
  minItems: 1,
  maxItems: oauthScopeNames.length,
  uniqueItems: true,
});

export const OAuthClientCreation = Type.Object(
  {
    name,
    scopes,
    jwks: Type.Optional(ClientKeySet),
  },
  strict,
);
export type OAuthClientCreation = Static<typeof OAuthClientCreation>;

export const OAuthClientRotation = Type.Object(
  {
    jwks: Type.Optional(ClientKeySet),
  },
  strict,
);
export type OAuthClientRotation = Static<typeof OAuthClientRotation>;

const common = { clientId: Type.String(), name: Type.String(), scopes: Type.Array(StringEnum(oauthScopeNames)) };

/** A client together with its secret. */
export const MadeOAuthClient = Type.Object({
  ...common,
  clientSecret: Type.Optional(
    Type.String({
      description: 'Secret of the client, shown only once. Absent if the client signs with a private key.',
    }),
  ),
  createdAt: Timestamp,
});
export type MadeOAuthClient = Static<typeof MadeOAuthClient>;

export const OAuthClientRecord = Type.Object({
  ...common,
  authentication: StringEnum(['client_secret_basic', 'private_key_jwt'] as const),
  createdAt: Timestamp,
  rotatedAt: Nullable(Timestamp),
  state: StringEnum(['active', 'revoked'] as const),
});
export type OAuthClientRecord = Static<typeof OAuthClientRecord>;

export const OAuthClientPage = Type.Object({
  oauthClients: Type.Array(OAuthClientRecord),
  nextCursor: Nullable(Type.String()),
});

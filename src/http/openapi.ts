/** The OpenAPI 3.1 document, derived from the route schemas: /openapi.json under the root of the API. */
import { STATUS_CODES } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Access, Credential } from './access-declaration.js';
import { ErrorBody } from '../contract/common.js';
import { oauthScopes } from '../contract/oauth.js';
import { shapes } from '../contract/shapes.js';
import type { tagDescriptions } from '../contract/tags.js';
import { errorTable } from '../errors.js';
import { finishDocument } from './finish-document.js';
import type { HeavyOperation } from './heavy-work.js';
import { packageRoot } from '../package-root.js';

/** Makes the options of routes with one tag: `route(access, schema)`, and next to them whatever else the route needs. */
export const routesOf =
  (tag: keyof typeof tagDescriptions) =>
  <Schema extends object>(access: Access, schema: Schema, heavy?: HeavyOperation) => ({
    config: { access, ...(heavy === undefined ? {} : { heavy }) },
    schema: { tags: [tag], ...schema },
  });

/** Error replies of an operation by status, each with the codes that it may carry. */
export function errorReplies(statuses: readonly number[]): Readonly<Record<number, object>> {
  const always = [500, 503];
  return Object.fromEntries(
    [...statuses, ...always].map((status) => [
      status,
      { ...ErrorBody, description: codesOf(status), ...errorExamples(status) },
    ]),
  );
}

function codesOf(status: number): string {
  return Object.entries(errorTable)
    .filter(([, entry]) => entry.status === status)
    .map(([code]) => code)
    .join(', ');
}

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  organizationKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key of organization scope.',
  },
  bearerKey: { type: 'http', scheme: 'bearer', description: 'An API key as Bearer.' },
  dashboard: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A dashboard token.' },
} as const;

/** Access tokens: where to get them, and what each scope allows. */
const oauth2Of = (siteUrl: string) => ({
  type: 'oauth2' as const,
  description: 'An access token of an OAuth client as Bearer.',
  flows: {
    clientCredentials: {
      tokenUrl: `${siteUrl}/oauth/token`,
      scopes: Object.fromEntries(Object.entries(oauthScopes).map(([scope, { meaning }]) => [scope, meaning])),
    },
  },
});

export interface DocumentSettings {
  /** The root that the paths of the document are below. */
  readonly baseUrl: string;
  /** Issuer of access tokens. */
  readonly siteUrl: string;
  readonly version: string;
  /** Markdown above the operations, after the first sentence. */
  readonly preface?: string;
  /** Requests that the service sends, as OpenAPI's `webhooks`. */
  readonly webhooks?: object;
}

/** Registers the document; call before any route is registered, and `serveDocument` after. */
export async function registerOpenapi(
  app: FastifyInstance,
  { baseUrl, siteUrl, version, preface, webhooks }: DocumentSettings,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'VerifyHuman',
        version,
        description: [
          'Decides whether a respondent of an online study is a real, unique human, and how risky the session is.',
          ...(preface === undefined ? [] : [preface]),
        ].join('\n\n'),
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      servers: [{ url: baseUrl }],
      ...(webhooks === undefined ? {} : { webhooks: webhooks as never }),
      components: {
        // Not changed: every document works on a copy.
        schemas: shapes as never,
        securitySchemes: { ...securitySchemes, oauth2: oauth2Of(siteUrl) },
      },
    },
    hideUntagged: true,
    stripBasePath: false,
    transform: ({ schema, url, route }) => ({
      schema: { ...describeReplies(schema ?? {}), security: securityOf(route.config?.access) },
      url: url.replace(/^(?:\/api)?\/v1/, ''),
    }),
    transformObject: (document) =>
      'openapiObject' in document ? finishDocument(document.openapiObject) : document.swaggerObject,
  });
}

/** Replies without a description get that of their status. */
function describeReplies(schema: FastifySchema): FastifySchema {
  if (schema.response === undefined) return schema;
  const response = Object.fromEntries(
    Object.entries(schema.response as Readonly<Record<string, object>>).map(([status, reply]) => [
      status,
      'description' in reply || 'content' in reply
        ? reply
        : { ...reply, 'x-response-description': STATUS_CODES[status] ?? status },
    ]),
  );
  return { ...schema, response };
}

/** Security schemes by the credential of a route. */
const schemesOf: Readonly<Record<Credential, readonly string[]>> = {
  'api-key': ['apiKey', 'bearerKey'],
  'organization-key': ['organizationKey'],
  dashboard: ['dashboard'],
  'dashboard-or-key': ['dashboard', 'apiKey'],
  'dashboard-or-organization-key': ['dashboard', 'organizationKey'],
  'access-token': [],
};

/** One entry per accepted credential; for access tokens, one per scope. */
function securityOf(access: Access | undefined): Record<string, string[]>[] {
  if (access === undefined || access.credential === 'none') return [];
  const { credential, oauth = [] } = access;
  return [...schemesOf[credential].map((scheme) => ({ [scheme]: [] })), ...oauth.map((scope) => ({ oauth2: [scope] }))];
}

/** The document, under the root of the API. It is made at the first request and kept as text: anyone may ask for it, as often as they like. */
export function serveDocument(app: FastifyInstance, root: string): void {
  let text: string | null = null;
  app.get(
    `${root}/openapi.json`,
    { config: { access: { credential: 'none' } }, schema: { hide: true } },
    async (_request, reply) => {
      reply.type('application/json; charset=utf-8');
      return (text ??= JSON.stringify(app.swagger()));
    },
  );
}

export interface RecordedReplies {
  /** Bodies of a score by example name. */
  readonly score: Readonly<Record<string, object>>;
  /** Error bodies by status, then by code. */
  readonly errors: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** Recorded by `npm run replies`; a test fails if the service answers differently. Ids and times that differ per call are replaced. */
export const repliesPath = 'src/http/recorded-replies.json';

const recorded = JSON.parse(readFileSync(join(packageRoot, repliesPath), 'utf8')) as RecordedReplies;

/** Forms the examples of a media type. */
const asExamples = (bodies: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(bodies).map(([name, value]) => [name, { value }]));

/** Examples for the schema of a score’s reply. */
export const scoreReplyExamples = { 'x-examples': asExamples(recorded.score) };

/** Examples for the schema of an error reply; none if no reply with its status was recorded. */
function errorExamples(status: number): object {
  const bodies = recorded.errors[status];
  return bodies === undefined ? {} : { 'x-examples': asExamples(bodies) };
}

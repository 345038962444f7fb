/** The intake of the on-page probe: of the API, and of pages that other listeners serve. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access } from '../../http/access-declaration.js';
import { ProbeBody, ProbeReply, type ProbeTransport } from '../../contract/probe.js';
import { registerJsonBody } from '../../http/json-body.js';
import { errorReplies, routesOf } from '../../http/openapi.js';
import { createNullRemover } from '../../kernel/body.js';
import { probeBytesMax } from '../../limits.js';
import { readPageHeaders } from '../../net/page-headers.js';
import { probeExample } from '../examples.js';
import type { createProbeService } from './probe-service.js';

const open: Access = { credential: 'none' };

export interface ProbeRouteDeps {
  readonly path: string;
  readonly probes: Pick<ReturnType<typeof createProbeService>, 'store'>;
  /** Takes a message off a limit, before anything else of it is looked at. */
  readonly admit: (request: FastifyRequest, probeKey: string) => Promise<void>;
  /** For the documented example; null where there is no demo organization, absent where the route is not documented. */
  readonly exampleProbeKey?: string | null;
}

/** In a scope of its own, because it also reads text/plain: a page can send that without a preflight. */
export function registerProbeIntake(scope: FastifyInstance, deps: ProbeRouteDeps): void {
  registerJsonBody(scope, 'text/plain');
  scope.addHook('onRequest', (_request, reply, done) => {
    // Anyone’s page may post; no credential is ever read here, so that any origin is as good as another.
    reply.headers({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-expose-headers': 'retry-after, x-ratelimit-remaining, x-ratelimit-reset',
    });
    done();
  });
  scope.options(deps.path, { config: { access: open }, schema: { hide: true } }, (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type',
        'access-control-max-age': '86400',
      })
      .send(),
  );
  const documented = routesOf('Scoring')(open, {
    operationId: 'storeProbe',
    summary: 'Take a message of the on-page probe',
    description:
      'Sent by the probe bundle, as text/plain or application/json. Joined to scoring by the exact pair of projectKey and sessionId. null in an optional field is read as its absence.',
    body: { ...ProbeBody, examples: [probeExample(deps.exampleProbeKey ?? 'pk_of_your_project')] },
    response: { 202: ProbeReply, ...errorReplies([400, 404, 413, 415, 429]) },
  });
  const removeProbeNulls = createNullRemover(ProbeBody);
  scope.post(
    deps.path,
    {
      bodyLimit: probeBytesMax,
      // Before the body is checked: a message that is refused for its form counts like any other.
      preValidation: async (request) => {
        removeProbeNulls(request.body);
        const { projectKey } = (request.body ?? {}) as { readonly projectKey?: unknown };
        if (typeof projectKey !== 'string') return;
        request.rateTaken = true;
        await deps.admit(request, projectKey);
      },
      ...documented,
      schema: { ...documented.schema, hide: deps.exampleProbeKey === undefined },
    },
    async (request, reply) =>
      reply
        .code(202)
        .send(await deps.probes.store(request.body, transportOf(request), request.clientAddress?.text ?? '')),
  );
}

const originLengthMax = 256;

const transportOf = ({ headers }: FastifyRequest): ProbeTransport => ({
  ...readPageHeaders(headers),
  origin: headers.origin?.slice(0, originLengthMax) ?? null,
});

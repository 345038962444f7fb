/** Lets the console call studies and postbacks: the service serves its page from another origin. No other page may, whatever token it has. */
import type { FastifyInstance } from 'fastify';

/** Until a browser asks again whether it may call. */
const preflightSeconds = 600;

export function allowConsole(scope: FastifyInstance, siteUrl: () => string): void {
  // Refusals as well, which the page shows.
  scope.addHook('onSend', async (request, reply) => {
    void reply.header('vary', 'Origin');
    if (request.headers.origin !== new URL(siteUrl()).origin) return;
    void reply.headers({
      'access-control-allow-origin': request.headers.origin,
      'access-control-expose-headers': 'x-request-id, retry-after',
    });
  });
  for (const path of ['/studies', '/studies/*', '/postbacks', '/suppliers/*'])
    scope.options(path, { config: { access: { credential: 'none' } }, schema: { hide: true } }, (_request, reply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-methods': 'GET, POST, PATCH',
          'access-control-allow-headers': 'authorization, content-type',
          'access-control-max-age': String(preflightSeconds),
        })
        .send(),
    );
}

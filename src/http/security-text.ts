/** Serves /.well-known/security.txt (RFC 9116): the address at which the operator takes reports of vulnerabilities. */
import type { FastifyInstance } from 'fastify';
import { registerOpen } from './access.js';

/** Readers treat the file as stale then. */
const validDays = 180;
const dayMs = 86_400_000;

/** `contact` is a URI: mailto:, https: or tel:. */
export function serveSecurityText(app: FastifyInstance, contact: string, siteUrl: () => string): Promise<void> {
  return registerOpen(app, async (scope) => {
    scope.get('/.well-known/security.txt', { schema: { hide: true } }, async (_request, reply) => {
      const expires = new Date(Date.now() + validDays * dayMs).toISOString();
      const canonical = `${siteUrl()}/.well-known/security.txt`;
      return reply
        .type('text/plain; charset=utf-8')
        .send(`Contact: ${contact}\nExpires: ${expires}\nCanonical: ${canonical}\n`);
    });
  });
}

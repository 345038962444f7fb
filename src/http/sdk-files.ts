/**
 * The browser bundles, at /sdk: readable from every origin, so that a page may pin them by their integrity hash.
 */
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { registerOpen } from './access.js';

const cacheSeconds = 3_600;

/** `directory` holds the built bundles under the paths they are served at. */
export function serveSdkFiles(app: FastifyInstance, directory: string): Promise<void> {
  return registerOpen(app, async (scope) => {
    await scope.register(fastifyStatic, {
      root: directory,
      prefix: '/sdk/',
      decorateReply: false,
      index: false,
      setHeaders(reply) {
        void reply.header('access-control-allow-origin', '*');
        void reply.header('cross-origin-resource-policy', 'cross-origin');
        void reply.header('cache-control', `public, max-age=${cacheSeconds}`);
      },
    });
  });
}

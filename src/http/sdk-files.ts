/** Serves browser bundles and camera models at /sdk, readable from every origin. Models have a hash in their name and are cached for good. */
import { dirname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { registerOpen } from './access.js';

const cacheSeconds = 3_600;
const modelCacheSeconds = 31_536_000;

/** Below the bundles. */
const modelFolder = join('v1', 'models');

/** `directory` holds the built bundles under their paths below /sdk. */
export function serveSdkFiles(app: FastifyInstance, directory: string): Promise<void> {
  return registerOpen(app, async (scope) => {
    await scope.register(fastifyStatic, {
      root: directory,
      prefix: '/sdk/',
      decorateReply: false,
      index: false,
      // The build writes the compressed files.
      preCompressed: true,
      setHeaders(reply, path) {
        void reply.header('access-control-allow-origin', '*');
        void reply.header('cross-origin-resource-policy', 'cross-origin');
        const isModel = dirname(path).endsWith(modelFolder);
        void reply.header(
          'cache-control',
          isModel ? `public, max-age=${modelCacheSeconds}, immutable` : `public, max-age=${cacheSeconds}`,
        );
      },
    });
  });
}

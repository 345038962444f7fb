/** Serves the files of a page, which browsers ask for again each time. */
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { registerOpen } from './access.js';

export const servePageFiles = (app: FastifyInstance, prefix: string, root: string | string[]): Promise<void> =>
  registerOpen(app, async (scope) => {
    await scope.register(fastifyStatic, {
      ...{ root, prefix, decorateReply: false, index: false },
      // A route a file: any other path is not found, as everywhere.
      wildcard: false,
      setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
    });
  });

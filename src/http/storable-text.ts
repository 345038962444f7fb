/** Refuses text that a database cannot store: NUL characters and unpaired surrogates in a body, query or path. */
import type { FastifyInstance } from 'fastify';
import { invalid } from '../kernel/faults.js';
import { findUnstorable } from '../kernel/body.js';

/** For every route of this scope. */
export function registerStorableText(scope: FastifyInstance): void {
  scope.addHook('preHandler', (request, _reply, done) => {
    const issue =
      findUnstorable(request.body, '') ??
      findUnstorable(request.query, '/querystring') ??
      findUnstorable(request.params, '/params');
    done(issue === null ? undefined : invalid([issue]));
  });
}

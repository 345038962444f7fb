/**
 * Refuses bodies that are nested deeper than anything means: what walks a body further on may walk it by recursion, and some thousand
 * levels would end in a fault of the service instead of a 400.
 */
import type { FastifyInstance } from 'fastify';
import { nestingMax } from '../limits.js';
import { invalid } from '../kernel/faults.js';
import { isDeeper } from '../kernel/nesting.js';

export function registerNesting(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (!isDeeper(request.body, nestingMax)) return done();
    done(invalid([{ path: '', message: `is nested deeper than ${nestingMax} levels.` }]));
  });
}

/** Refuses deeply nested bodies: code that walks a body recursively would overflow the stack and answer 500 instead of 400. */
import type { FastifyInstance } from 'fastify';
import { nestingMax } from '../limits.js';
import { invalid } from '../kernel/faults.js';
import { isDeeper } from '../kernel/body.js';

export function registerNesting(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (!isDeeper(request.body, nestingMax)) return done();
    done(invalid([{ path: '', message: `is nested deeper than ${nestingMax} levels.` }]));
  });
}

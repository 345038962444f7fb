/**
 * Refuses bodies that are nested deeper than anything means: what walks a body further on may walk it by recursion, and some thousand
 * levels would end in a fault of the service instead of a 400.
 */
import type { FastifyInstance } from 'fastify';
import { nestingMax } from '../limits.js';
import { invalid } from './error-answers.js';

export function registerNesting(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (!isDeeper(request.body, nestingMax)) return done();
    done(invalid([{ path: '', message: `is nested deeper than ${nestingMax} levels.` }]));
  });
}

/** Whether a parsed body has more than `levels` levels. Goes level by level, so that depth costs no stack. */
export function isDeeper(body: unknown, levels: number): boolean {
  let level = [body].filter(isContainer);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

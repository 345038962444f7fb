/**
 * Bodies that may be left away. Their schema takes null for a missing one; a client that sets the content type and sends nothing is
 * understood the same way.
 */
import type { FastifyInstance } from 'fastify';
import { Type, type Static, type TSchema } from 'typebox';
import { registerJsonBody } from './json-body.js';

export function optionalBody<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: ['object', 'null'] });
}

/** For the routes of this scope, which must all do with an empty body. */
export function acceptEmptyBodies(scope: FastifyInstance): void {
  registerJsonBody(scope, 'application/json', true);
}

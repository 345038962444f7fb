/** Optional bodies: null if missing, or if a client sets the content type and sends nothing. */
import type { FastifyInstance } from 'fastify';
import { Type, type Static, type TSchema } from 'typebox';
import { registerJsonBody } from './json-body.js';

export function optionalBody<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: ['object', 'null'] });
}

/** For the routes of this scope, all of which must accept an empty body. */
export function acceptEmptyBodies(scope: FastifyInstance): void {
  registerJsonBody(scope, 'application/json', true);
}

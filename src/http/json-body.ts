/** Parses bodies as JSON. Refuses names that would pollute a prototype, and deep nesting, which would overflow the stack. */
import type { FastifyInstance } from 'fastify';
import { Type, type Static, type TSchema } from 'typebox';
import { Fault } from '../errors.js';
import { nestingMax } from '../limits.js';
import { invalid } from '../kernel/faults.js';
import { claimsToJson, isDeeper, findUnstorable } from '../kernel/body.js';

export interface JsonBodyOptions {
  /** An empty body is undefined rather than malformed, as on every DELETE. */
  readonly takesEmpty?: boolean;
  /** Most commas and opening brackets; a body with more is refused before it is parsed. */
  readonly separatorsMax?: number;
}

/** For every route of this scope. */
export function registerJsonBody(
  scope: FastifyInstance,
  contentType: string,
  { takesEmpty = false, separatorsMax = Infinity }: JsonBodyOptions = {},
): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.removeContentTypeParser(contentType);
  scope.addContentTypeParser<string>(contentType, { parseAs: 'string' }, (request, body, done) => {
    if (body === '' && (takesEmpty || request.method === 'DELETE')) return done(null, undefined);
    if (separatorsMax < body.length && hasMoreSeparators(body, separatorsMax))
      return done(new Fault('BODY_TOO_LARGE', 'The body has too many values. Send fewer.'), undefined);
    void parse(request, body, (error, value) => {
      if (error === null) done(null, value);
      else done(isJson(body) ? forbiddenName() : error, undefined);
    });
  });
}

/** Those within texts count, too. */
function hasMoreSeparators(body: string, most: number): boolean {
  let count = 0;
  for (let at = 0; at < body.length; at += 1) {
    const character = body[at];
    if ((character === ',' || character === '[' || character === '{') && ++count > most) return true;
  }
  return false;
}

/** Well-formed JSON can only have been refused for a name. */
function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

const forbiddenName = (): Fault =>
  new Fault(
    'MALFORMED_JSON',
    'The properties `__proto__`, `constructor.prototype` and `toJSON` aren’t allowed. Remove them.',
  );

export function registerNesting(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (isDeeper(request.body, nestingMax))
      return done(invalid([{ path: '', message: `is nested deeper than ${nestingMax} levels. Send fewer.` }]));
    done(claimsToJson(request.body) ? forbiddenName() : undefined);
  });
}

/** An optional body is null if missing, or if a client sets the content type and sends nothing. */
export function optionalBody<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: ['object', 'null'] });
}

/** For the routes of this scope, all of which must accept an empty body. */
export function acceptEmptyBodies(scope: FastifyInstance): void {
  registerJsonBody(scope, 'application/json', { takesEmpty: true });
}

/** Refuses text that a database cannot store, in the body, query or path of every route of this scope. */
export function registerStorableText(scope: FastifyInstance): void {
  scope.addHook('preHandler', (request, _reply, done) => {
    const issue =
      findUnstorable(request.body, '') ??
      findUnstorable(request.query, '/querystring') ??
      findUnstorable(request.params, '/params');
    done(issue === null ? undefined : invalid([issue]));
  });
}

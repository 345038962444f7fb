/**
 * Reads bodies as JSON, whatever type they are sent as. Refused as MALFORMED_JSON: what is no JSON, and, with a message of its own, what holds a name
 * that would reach into the objects of the service.
 */
import type { FastifyInstance } from 'fastify';
import { Fault } from '../errors.js';

/** For every route of this scope; with `takesEmpty`, an empty body is none rather than bad JSON. */
export function registerJsonBody(scope: FastifyInstance, contentType: string, takesEmpty = false): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.removeContentTypeParser(contentType);
  scope.addContentTypeParser<string>(contentType, { parseAs: 'string' }, (request, body, done) => {
    if (takesEmpty && body === '') return done(null, undefined);
    void parse(request, body, (error, value) => {
      if (error === null) done(null, value);
      else done(isJson(body) ? forbiddenName() : error, undefined);
    });
  });
}

/** What is JSON and was refused all the same was refused for a name. */
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
    'The body holds a name that is taken nowhere: "__proto__", or "constructor" with "prototype" inside. Leave it out.',
  );

/** Parses bodies as JSON. Anything else is MALFORMED_JSON, and so are names that would pollute a prototype, with their own message. */
import type { FastifyInstance } from 'fastify';
import { Fault } from '../errors.js';

/** For every route of this scope. With `takesEmpty`, an empty body is undefined rather than malformed. */
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
    'The body holds a name that is taken nowhere: "__proto__", or "constructor" with "prototype" inside. Leave it out.',
  );

/**
 * Gives up the place inside of requests whose body does not come with them. It is looked at once, at the end of the turn in which they came: a
 * request is announced by its headers, so that within its turn each body seems to be missing, and as many as come in one turn would all be let in.
 */
import type { IncomingMessage } from 'node:http';
import type { Admission } from './admission.js';
import type { Stay } from './queueing.js';

/** `atEnd` calls at the end of the turn. */
export function createLateBodies(
  { stepOut }: Pick<Admission, 'stepOut'>,
  atEnd: (look: () => void) => void = setImmediate,
) {
  let came: { readonly request: Pick<IncomingMessage, 'complete'>; readonly stay: Stay }[] = [];
  const look = (): void => {
    const all = came;
    came = [];
    for (const { request, stay } of all) if (!request.complete) stepOut(stay);
  };
  return {
    watch(request: Pick<IncomingMessage, 'complete'>, stay: Stay): void {
      if (came.push({ request, stay }) === 1) atEnd(look);
    },
  };
}

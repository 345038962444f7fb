/**
 * Refuses work at the door while the work inside takes too long: what would wait for longer than its caller does is a 503 at once, before its key is
 * looked up or its body read, so that what was taken is finished.
 *
 *   taken ──a second──▶ old ──answered──▶ gone        refusing while many are old
 *
 * It looks at how long requests have waited and not at how many there are: the number that a process can hold depends on the machine and on
 * its stores, the time that a caller has does not. A few old ones refuse nobody, as each may wait for its own reasons.
 */
import type { FastifyInstance } from 'fastify';
import { overloaded } from '../errors.js';
import type { Metrics } from '../telemetry/metrics.js';
import { answerFault } from './error-answers.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Refused while requests of such routes wait too long. */
    sheds?: true;
  }
  interface FastifyRequest {
    /** Its place among those that wait; null on a route that sheds nothing. */
    stay: Stay | null;
  }
}

/** More than the stores together take before they are given up, so that an outage does not look like too much work. */
const waitMsMax = 1_000;
/** As many may be old. */
const oldMax = 64;
/** Places that were passed are let go of in portions. */
const passedMax = 1_024;

/** One request between its headers and its answer. */
interface Stay {
  readonly sinceMs: number;
  isOld: boolean;
  hasLeft: boolean;
}

export interface Admission {
  /** null where the work inside takes too long. */
  enter(): Stay | null;
  /** May be told twice. */
  leave(stay: Stay): void;
}

/** `now` in milliseconds, of a clock that never goes back. */
export function createAdmission(now: () => number): Admission {
  const line: Stay[] = [];
  /** The first in line that is not old yet. */
  let young = 0;
  let old = 0;

  const age = (atMs: number): void => {
    for (let next = line[young]; next !== undefined && atMs - next.sinceMs > waitMsMax; next = line[young]) {
      next.isOld = !next.hasLeft;
      if (next.isOld) old += 1;
      young += 1;
    }
    if (young < passedMax) return;
    line.splice(0, young);
    young = 0;
  };

  return {
    enter() {
      const sinceMs = now();
      age(sinceMs);
      if (old >= oldMax) return null;
      const stay = { sinceMs, isOld: false, hasLeft: false };
      line.push(stay);
      return stay;
    },
    leave(stay) {
      if (stay.hasLeft) return;
      stay.hasLeft = true;
      if (stay.isOld) old -= 1;
    },
  };
}

/** Before anything else that a request costs; routes take part by `sheds`. */
export function registerAdmission(app: FastifyInstance, metrics: Pick<Metrics, 'requestsShed'>): void {
  const admission = createAdmission(() => performance.now());
  app.decorateRequest('stay', null);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.sheds !== true) return done();
    const stay = admission.enter();
    if (stay === null) {
      metrics.requestsShed.inc();
      void answerFault(overloaded(`${oldMax} requests have waited for more than ${waitMsMax} ms`), request, reply);
      return;
    }
    request.stay = stay;
    // Also where the caller goes away before the answer.
    reply.raw.once('close', () => admission.leave(stay));
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.stay !== null) admission.leave(request.stay);
    done();
  });
}

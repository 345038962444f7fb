/**
 * Refuses work at the door while the work inside takes too long: what would wait for longer than its caller does is a 503 at once, before its key is
 * looked up or its body read, so that what was taken is finished.
 *
 * Two waits are measured. That for this process: how late a timer comes while many requests are inside, for then each of them waits as
 * long at every step. And that of each request: while many have been inside for longer than the stores together may take. It is time
 * that refuses and not a count: how many a process can hold depends on the machine and on its stores, the time of a caller does not.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { overloaded } from '../errors.js';
import type { Metrics } from '../telemetry/metrics.js';

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
/** As many may be older than that: each may wait for its own reasons. */
const oldMax = 64;
/** Places that were passed are let go of in portions. */
const passedMax = 1_024;
/** As many are always taken, however late the process is: they keep it busy, and a burst is not too much work. */
const insideMin = 256;
/** How late a timer may come, and how often it is looked at while many are inside. */
const lateMsMax = 50;
const lookEveryMs = 50;

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
  const ages = createAges();
  const lateness = createLateness(now);
  let inside = 0;
  return {
    enter() {
      const sinceMs = now();
      if (ages.countOld(sinceMs) >= oldMax) return null;
      if (inside >= insideMin) {
        lateness.watch(() => inside >= insideMin / 2);
        if (lateness.ms(sinceMs) > lateMsMax) return null;
      }
      inside += 1;
      return ages.add(sinceMs);
    },
    leave(stay) {
      if (stay.hasLeft) return;
      inside -= 1;
      ages.remove(stay);
    },
  };
}

/** The requests inside in the order of their coming, and how many of them are old. */
function createAges() {
  const line: Stay[] = [];
  /** The first in line that is not old yet. */
  let young = 0;
  let old = 0;
  return {
    countOld(atMs: number): number {
      for (let next = line[young]; next !== undefined && atMs - next.sinceMs > waitMsMax; next = line[young]) {
        next.isOld = !next.hasLeft;
        if (next.isOld) old += 1;
        young += 1;
      }
      if (young >= passedMax) {
        line.splice(0, young);
        young = 0;
      }
      return old;
    },
    add(sinceMs: number): Stay {
      const stay = { sinceMs, isOld: false, hasLeft: false };
      line.push(stay);
      return stay;
    },
    remove(stay: Stay): void {
      stay.hasLeft = true;
      if (stay.isOld) old -= 1;
    },
  };
}

/** How late this process comes to what is due, watched only while there is much to do. */
function createLateness(now: () => number) {
  let dueMs: number | null = null;
  let lateMs = 0;
  const watch = (goesOn: () => boolean): void => {
    if (dueMs !== null) return;
    dueMs = now() + lookEveryMs;
    setTimeout(() => {
      lateMs = goesOn() ? now() - (dueMs ?? now()) : 0;
      dueMs = null;
      if (goesOn()) watch(goesOn);
    }, lookEveryMs).unref();
  };
  return {
    watch,
    /** As the last look found it, or more where the next one is overdue. */
    ms: (atMs: number): number => Math.max(lateMs, atMs - (dueMs ?? atMs)),
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
      refuse(request, reply);
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

const fault = overloaded('refused at the door');

/** Past the pipeline of the reply and the log, as refusals come by the thousand and take from those inside what they cost. */
function refuse(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  const body = JSON.stringify({ code: fault.code, message: fault.message, requestId: request.id });
  reply.raw.writeHead(fault.status, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    ...fault.details.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  reply.raw.end(body);
}

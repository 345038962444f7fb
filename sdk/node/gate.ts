/**
 * Middleware for Express and a plugin for Fastify: each scores the session of a request before its handler runs, and leaves the decision in
 * `request.fraudGate`. Neither refuses anybody; the handler does what the decision says. If the service cannot be reached, the client's `failMode`
 * decides; an error goes to the framework's own handler of errors.
 */
import type { Client, DecideOptions, Decision, FailMode, ScoreRequest } from './api.js';
import { checkRule } from './decide.js';
import { invalidOption } from './errors.js';
import { checkFailMode, checkNames, checkObject, type Names } from './settings.js';

/** A session read from the request. Address and user agent default to the request's. */
export type GatedSession = Omit<ScoreRequest, 'clientIp'> & { readonly clientIp?: string };

/** The fields of a request that a gate reads; those of Express and Fastify have them. */
export interface GateRequest {
  /** Behind a proxy, true only where `trust proxy` (Express) or `trustProxy` (Fastify) is set. */
  readonly ip?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  fraudGate?: Decision | null;
}

export interface FraudGateOptions<Request = GateRequest> extends DecideOptions {
  readonly client: Client;
  /** The session to score, or null where this request needs no decision; `fraudGate` is null then. It may be looked up. */
  readonly session: (request: Request) => GatedSession | null | Promise<GatedSession | null>;
  /** In place of the client's. */
  readonly failMode?: FailMode;
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- where Express looks for what middleware adds
  namespace Express {
    interface Request {
      /** The decision of fraudGate(); null if no session was named. */
      fraudGate?: Decision | null;
    }
  }
}

/** Express 4 and 5: `app.post('/submit', fraudGate({ client, session: (req: Request) => ({ sessionId: req.body.sessionId }) }), handler)`. */
export function fraudGate<Request extends GateRequest>(
  options: FraudGateOptions<Request>,
): (request: Request, response: unknown, next: (error?: unknown) => void) => void {
  checkNames('fraudGate', options, names);
  checkGate(options);
  return (request, _response, next) => {
    gate(options, request).then(
      (decision) => {
        request.fraudGate = decision;
        next();
      },
      (error: unknown) => next(error),
    );
  };
}

/** The parts of Fastify that the plugin needs. */
export interface GatedApp {
  decorateRequest(name: string, value: null): unknown;
  addHook(name: 'preHandler', hook: (request: GateRequest) => Promise<void>): unknown;
}

/**
 * Fastify 4 and 5: `app.register(fraudGatePlugin, options)` decorates every request of the scope that registers it. This package does not depend
 * on Fastify, so declare the field in yours: `declare module 'fastify' { interface FastifyRequest { fraudGate: Decision | null } }`.
 */
export async function fraudGatePlugin<Request = GateRequest>(
  app: GatedApp,
  options: FraudGateOptions<Request>,
): Promise<void> {
  checkObject('fraudGatePlugin', options);
  // Fastify passes on the options of its register().
  const {
    prefix: _prefix,
    logLevel: _logLevel,
    logSerializers: _logSerializers,
    ...own
  } = options as typeof options & Readonly<Record<'prefix' | 'logLevel' | 'logSerializers', unknown>>;
  checkNames('fraudGatePlugin', own, names);
  checkGate(options);
  app.decorateRequest('fraudGate', null);
  app.addHook('preHandler', async (request) => {
    request.fraudGate = await gate(options as FraudGateOptions<unknown>, request);
  });
}

// The hook is for the routes next to the plugin, so it opens no encapsulated scope.
Object.assign(fraudGatePlugin, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'verifyhuman',
});

const names = { client: true, session: true, rule: true, failMode: true } as const satisfies Names<
  FraudGateOptions<never>
>;

/** Refuses invalid options when the gate is made, and not at the first respondent. */
function checkGate<Request>({ client, session, rule, failMode }: FraudGateOptions<Request>): void {
  if (typeof (client as Partial<Client> | undefined)?.decide !== 'function')
    throw invalidOption('client is missing: give what createClient() made.');
  if (typeof session !== 'function') throw invalidOption('session is a function that gives the session of a request.');
  checkRule(rule);
  checkFailMode(failMode);
}

async function gate<Request>(
  { client, session, rule, failMode }: FraudGateOptions<Request>,
  request: Request & GateRequest,
): Promise<Decision | null> {
  const named = await session(request);
  if (named === null) return null;
  // Undefined is most often a forgotten return; to let it pass would gate nobody.
  if (typeof named !== 'object')
    throw invalidOption('session() gives a session ({ sessionId, ... }), or null where the request needs no decision.');
  const clientIp = named.clientIp ?? request.ip;
  if (clientIp === undefined) throw invalidOption('The request has no address: let session() give clientIp.');
  const agent = request.headers['user-agent'];
  const userAgent = named.userAgent ?? (typeof agent === 'string' ? agent : null);
  return client.decide(
    { ...named, clientIp, userAgent },
    { ...(rule === undefined ? {} : { rule }), ...(failMode === undefined ? {} : { failMode }) },
  );
}

/**
 * Middleware for Express and a plugin for Fastify: each scores the session of a request before its handler runs, and leaves the decision in
 * `request.fraudGate`. Neither refuses anybody; the handler does what the decision says. Where the service cannot be reached, the client's `failMode`
 * decides; an error goes to the framework's own handler of errors.
 */
import type { Client, DecideOptions, Decision, FailMode, ScoreRequest } from './api.js';
import { VerifyHumanError } from './errors.js';

/** A session as the request tells of it; address and user agent are those of the request unless given. */
export type GatedSession = Omit<ScoreRequest, 'clientIp'> & { readonly clientIp?: string };

/** What a gate reads of a request; those of Express and Fastify have it. */
export interface GateRequest {
  /** Behind a proxy, true only where `trust proxy` (Express) or `trustProxy` (Fastify) is set. */
  readonly ip?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  fraudGate?: Decision | null;
}

export interface FraudGateOptions<Request = GateRequest> extends DecideOptions {
  readonly client: Client;
  /** The session to score, or null where this request needs no decision; `fraudGate` is null then. */
  readonly session: (request: Request) => GatedSession | null;
  /** In place of the client's. */
  readonly failMode?: FailMode;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- where Express looks for what middleware adds
  namespace Express {
    interface Request {
      /** Of fraudGate(): null where no session was named. */
      fraudGate?: Decision | null;
    }
  }
}

/** Express 4 and 5: `app.post('/submit', fraudGate({ client, session: (req) => ({ sessionId: req.body.sessionId }) }), handler)`. */
export function fraudGate<Request extends GateRequest>(
  options: FraudGateOptions<Request>,
): (request: Request, response: unknown, next: (error?: unknown) => void) => void {
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

/** What the plugin needs of Fastify. */
export interface GatedApp {
  decorateRequest(name: string, value: null): unknown;
  addHook(name: 'preHandler', hook: (request: GateRequest) => Promise<void>): unknown;
}

/** Fastify 4 and 5: `app.register(fraudGatePlugin, options)` decorates every request of the scope that registers it. */
export async function fraudGatePlugin<Request = GateRequest>(
  app: GatedApp,
  options: FraudGateOptions<Request>,
): Promise<void> {
  app.decorateRequest('fraudGate', null);
  app.addHook('preHandler', async (request) => {
    request.fraudGate = await gate(options as FraudGateOptions<unknown>, request);
  });
}

// The hook is meant for the routes beside the plugin, not for a scope of its own.
Object.assign(fraudGatePlugin, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'verifyhuman',
});

async function gate<Request>(
  { client, session, rule, failMode }: FraudGateOptions<Request>,
  request: Request & GateRequest,
): Promise<Decision | null> {
  const named = session(request);
  if (named === null) return null;
  const clientIp = named.clientIp ?? request.ip;
  if (clientIp === undefined)
    throw new VerifyHumanError('INVALID_OPTION', 'The request has no address: let session() give clientIp.');
  const agent = request.headers['user-agent'];
  const userAgent = named.userAgent ?? (typeof agent === 'string' ? agent : null);
  return client.decide(
    { ...named, clientIp, userAgent },
    { ...(rule === undefined ? {} : { rule }), ...(failMode === undefined ? {} : { failMode }) },
  );
}

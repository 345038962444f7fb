/**
 * The way in of a page that names a session: who it belongs to, whether the page’s origin may, and whether the client secret is right. A
 * stranger learns the same of a session that is not theirs as of one that does not exist. The page can read all of it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { allowReading, type PublicCall, type PublicGuard, type Visitor } from '../administration/public-guard.js';
import type { Limits } from '../administration/request-limits.js';
import type { Database } from '../stores/database/port.js';
import type { SecretGuard } from './sessions/client-secret.js';
import { findSession, type StoredSession } from './sessions/session-store.js';

export interface PublicSessionDeps {
  readonly database: Database;
  readonly guard: PublicGuard;
  readonly secrets: SecretGuard;
  readonly limits: Pick<Limits, 'requireTrial' | 'takeAddress' | 'takeDevice' | 'takeLink'>;
}

/** A session’s own secret, which is no credential of a caller, opens routes that a page calls. */
export const open = { credential: 'none' } as const;

/** The header that opens a session, of routes that a page calls. */
export const secretHeader = {
  'x-client-secret': Type.Optional(Type.String({ description: 'clientSecret of the session. Needed.' })),
};

/** The session that a page may continue. `counts`: what the call is counted as, once the secret was right. Throws INVALID_CLIENT_SECRET, ORIGIN_NOT_ALLOWED, RATE_LIMIT_EXCEEDED. */
export async function openSession(
  { database, guard, secrets }: PublicSessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionId: string,
  counts: (session: StoredSession) => PublicCall = () => 'reads',
): Promise<Visitor & { readonly session: StoredSession; readonly clientSecret: string }> {
  const header = request.headers['x-client-secret'];
  const secret = typeof header === 'string' ? header : undefined;
  const session = secret === undefined ? null : await findSession(database, sessionId);
  await secrets.check(request.clientAddress, secret, session);
  if (session === null || secret === undefined) throw new Error('a secret was right for no session');
  const isLinked = session.linkId !== null;
  return {
    session,
    clientSecret: secret,
    ...(await guard.admit(request, reply, session.projectId, { isLinked, counts: counts(session) })),
  };
}

/** Every answer of this scope can be read by the page, also one that is refused before its handler runs. */
export function registerReadable(scope: FastifyInstance): void {
  scope.addHook('onRequest', (request, reply, done) => {
    allowReading(reply, request.headers.origin ?? null);
    done();
  });
}

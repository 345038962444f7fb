/**
 * The way from the command line to the running service: one address on the admin port. A command carries a token of a minute’s life, signed
 * by a key that derives from the master key. It names the digest of the command and, if the operator named a database, that database.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { isOperatorCommand, type OperatorCommand } from './operator-command.js';
import { deriveSigningKey } from '../../crypto/master-key.js';
import { Fault, isUnavailable } from '../../errors.js';
import { readApplied } from '../../stores/database/migration-plan.js';
import { readServerMark } from '../../stores/database/server.js';
import { causeOf } from '../../stores/store-report.js';
import { runOperatorCommand, type OperatorDeps } from './operator.js';

const purpose = 'operator';
const identity = { issuer: 'urn:verifyhuman:operator', audience: 'verifyhuman-admin-port' } as const;
const lifetimeSeconds = 60;
const sendDeadlineMs = 30_000;
/** Limits the check for a running service. */
const lookDeadlineMs = 10_000;
const misdirected = 421;

export const operatorPath = '/operator/commands';

const digestOf = (body: string): string => createHash('sha256').update(body).digest('base64url');

/** Registers the address on the admin server. */
export function registerOperatorChannel(
  app: FastifyInstance,
  deps: OperatorDeps & { readonly masterKey: Uint8Array; readonly stores: readonly string[] },
): void {
  const { publicKey } = deriveSigningKey(deps.masterKey, purpose);
  void app.register(async (scope) => {
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    /** Reads the token’s claims. Replies and returns null if the token does not sign this body. */
    const admit = async (request: FastifyRequest, reply: FastifyReply, body: string): Promise<JWTPayload | null> => {
      const token = (request.headers.authorization ?? '').replace(/^Bearer /i, '');
      const { payload } = await jwtVerify(token, publicKey, {
        ...identity,
        algorithms: ['EdDSA'],
        requiredClaims: ['exp'],
      }).catch(() => ({ payload: null }));
      const meant = payload?.['database'];
      if (payload?.['digest'] !== digestOf(body))
        await reply.code(401).send({
          message: 'The command’s signature is invalid or has expired. Run it with this service’s master key.',
        });
      else if (typeof meant === 'string' && meant !== (await readServerMark(deps.database)))
        await reply
          .code(misdirected)
          .send({ message: 'The service uses another database. Use the settings of the service.' });
      else return payload;
      return null;
    };
    scope.get(operatorPath, async (request, reply) =>
      (await admit(request, reply, '')) === null
        ? reply
        : { stores: deps.stores, schema: (await readApplied(deps.database)).at(-1)?.name },
    );
    scope.post(operatorPath, async (request, reply) => {
      const body = typeof request.body === 'string' ? request.body : '';
      if ((await admit(request, reply, body)) === null) return reply;
      const wish: unknown = JSON.parse(body);
      if (!isOperatorCommand(wish))
        return reply
          .code(400)
          .send({ message: 'The service does not know this command. Use the command line of its version.' });
      try {
        return await runOperatorCommand(deps, wish);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        // Operators see which store it is, and why; callers do not.
        return reply
          .code(error.status)
          .send({ refused: error.code, message: isUnavailable(error) ? causeOf(error) : error.message });
      }
    });
  });
}

export type SentCommand =
  | { readonly outcome: 'done'; readonly reply: unknown }
  | { readonly outcome: 'refused'; readonly message: string }
  | { readonly outcome: 'nobody' | 'elsewhere' };

/** A service works on these stores. */
export interface ServiceStores {
  readonly stores: readonly string[];
  /** The last migration there. */
  readonly schema: string;
}

/** Whether a service of this master key listens there and works on the intended database, and on what. Checked before any command is sent. */
export async function findOperatorService(
  adminUrl: string,
  masterKey: Uint8Array,
  database: string | null = null,
): Promise<ServiceStores | 'nobody' | 'elsewhere'> {
  const answer = await fetch(adminUrl + operatorPath, {
    headers: { authorization: await sign(masterKey, '', database) },
    signal: AbortSignal.timeout(lookDeadlineMs),
  }).catch((error: unknown) => {
    if (error instanceof TypeError) return null;
    throw new Error(
      `${adminUrl} did not answer within ${lookDeadlineMs / 1_000} s. Nothing was done; run the command again.`,
      {
        cause: error,
      },
    );
  });
  if (answer?.ok === true) return (await answer.json()) as ServiceStores;
  await answer?.body?.cancel();
  if (answer?.status === misdirected) return 'elsewhere';
  if (answer !== null && answer.status >= 500)
    throw new Error(
      `${adminUrl} returned ${answer.status}. Nothing was done; check its database, then run the command again.`,
    );
  return 'nobody';
}

/** The header that lets this body in. */
async function sign(masterKey: Uint8Array, body: string, database: string | null): Promise<string> {
  const key = deriveSigningKey(masterKey, purpose);
  const token = await new SignJWT({ digest: digestOf(body), ...(database === null ? {} : { database }) })
    .setProtectedHeader({ alg: 'EdDSA', kid: key.keyId })
    .setIssuer(identity.issuer)
    .setAudience(identity.audience)
    .setIssuedAt()
    .setExpirationTime(`${lifetimeSeconds}s`)
    .sign(key.privateKey);
  return `Bearer ${token}`;
}

/** Sends a command. `nobody`: no service of this master key listens there. `elsewhere`: it works on another database than `database`. */
export async function sendOperatorCommand(
  adminUrl: string,
  masterKey: Uint8Array,
  wish: OperatorCommand,
  database: string | null = null,
): Promise<SentCommand> {
  const body = JSON.stringify(wish);
  const answer = await fetch(adminUrl + operatorPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: await sign(masterKey, body, database) },
    body,
    signal: AbortSignal.timeout(sendDeadlineMs),
  }).catch((error: unknown) => {
    if (isUnreached(error)) return null;
    throw unanswered(adminUrl, error);
  });
  if (answer === null) return { outcome: 'nobody' };
  const text = await answer.text().catch((error: unknown) => {
    throw unanswered(adminUrl, error);
  });
  if (answer.status === 401 || answer.status === 404) {
    return answer.status === 404 && isRefusal(text)
      ? { outcome: 'refused', message: messageOf(text) }
      : { outcome: 'nobody' };
  }
  if (answer.status === misdirected) return { outcome: 'elsewhere' };
  return answer.ok
    ? { outcome: 'done', reply: JSON.parse(text) as unknown }
    : { outcome: 'refused', message: messageOf(text) };
}

/** Whether no connection came about, so that nobody has got anything of it. */
function isUnreached(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  const code = String(cause?.code);
  return (
    error instanceof TypeError &&
    /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(code)
  );
}

/** A service that got the command may have carried it out and died before its answer. */
const unanswered = (adminUrl: string, error: unknown): Error =>
  new Error(
    error instanceof TypeError
      ? `${adminUrl} stopped before it answered. The command may have run; check its effect.`
      : `${adminUrl} did not answer within ${sendDeadlineMs / 1_000} s. The command may have run; check its effect.`,
    { cause: error },
  );

/** Whether the operator's service refused the command. A 404 of another service has no such field. */
const isRefusal = (text: string): boolean => /^\{"refused":"NOT_FOUND"/.test(text);

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}

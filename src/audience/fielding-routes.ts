/**
 * The pages that respondents visit: entry, way back from the verification, way back from the survey. Errors are pages too. Only GET is
 * taken: a preview that sends HEAD takes no place.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { StringEnum } from '../contract/common.js';
import { returnStatuses } from '../contract/study-returns.js';
import { tokenLengthMax } from '../contract/token.js';
import { Fault } from '../errors.js';
import { findCookie, formatCookie } from '../kernel/cookies.js';
import { registerStorableText } from '../http/json-body.js';
import { callerIdLengthMax, userAgentLengthMax } from '../limits.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { createEntryService, Visit } from './entry-service.js';
import { pageOfFault, type Answer } from './fielding.js';
import { takeMark } from './check-marks.js';
import type { SendPage } from './page-routes.js';
import type { createReturnService } from './return-service.js';

/** Throws if an address visits too often. */
export type TakeVisit = (address: FastifyRequest['clientAddress']) => Promise<void>;

export interface FieldingRouteDeps {
  readonly entries: ReturnType<typeof createEntryService>;
  readonly returns: ReturnType<typeof createReturnService>;
  /** Takes a return: one with a token of a place counts for that place, and any other is a visit of the address. */
  readonly takeReturn: (token: string, address: FastifyRequest['clientAddress']) => Promise<void>;
  readonly audienceUrl: () => string;
  readonly now: () => number;
  readonly sendPage: SendPage;
  readonly metrics: Pick<Metrics, 'studyEntries' | 'studyReturns'>;
}

const open = { config: { access: { credential: 'none' } }, exposeHeadRoute: false } as const;
const Text = Type.Optional(Type.String({ maxLength: callerIdLengthMax }));
const deviceCookie = 'vh_device';
const deviceForm = /^[0-9a-f]{32}$/;
const deviceSeconds = 30 * 86_400;

export function registerFieldingRoutes(app: FastifyInstance, deps: FieldingRouteDeps): void {
  void app.register(async (scope) => {
    registerStorableText(scope);
    scope.setErrorHandler(async (error: unknown, request, reply) => {
      // A return that cannot be read has no place to count for.
      const limit = isUnreadable(error) ? await refusalOf(deps.takeReturn('', request.clientAddress)) : null;
      return answerError(deps, limit ?? error, request, reply);
    });
    await scope.register(async (entry) => {
      entry.setErrorHandler((error: unknown, request, reply) => answerEntryError(deps, error, request, reply));
      registerEntry(entry, deps);
    });
    registerReturns(scope, deps);
  });
}

function registerEntry(scope: FastifyInstance, deps: FieldingRouteDeps): void {
  scope.get(
    '/enter/:studyId',
    {
      ...open,
      schema: {
        hide: true,
        params: Type.Object({ studyId: Type.String({ maxLength: 128 }) }),
        querystring: Type.Object({
          ...{ rid: Text, src: Text, exp: Text, sig: Text },
          ...{ country: Text, gender: Text, age: Text, profession: Text, vh_checked: Text },
        }),
      },
    },
    async (request, reply) => {
      const { rid = '', src = '', exp, sig, vh_checked: mark, ...values } = request.query;
      const { device, isKnown } = deviceOf(request, reply, deps.audienceUrl());
      const answer = await deps.entries.enter({
        link: { studyId: request.params.studyId, rid, src, exp, sig, ...values },
        address: request.clientAddress,
        userAgent: userAgentOf(request),
        device,
        check: takeMark(mark, isKnown, { request, reply, nowMs: deps.now(), isSecure: isHttps(deps.audienceUrl()) }),
      });
      return sendEntry(deps, request, reply, answer);
    },
  );
}

function registerReturns(scope: FastifyInstance, deps: FieldingRouteDeps): void {
  scope.get(
    '/verified/:reservationId',
    {
      ...open,
      schema: {
        hide: true,
        params: Type.Object({ reservationId: Type.String({ maxLength: 128 }) }),
        querystring: Type.Object({ sig: Text }),
      },
    },
    async (request, reply) => {
      const { device } = deviceOf(request, reply, deps.audienceUrl());
      const visit = { device, sig: request.query.sig, address: request.clientAddress };
      return send(deps, request, reply, await deps.entries.verified({ ...visit, ...request.params }));
    },
  );
  scope.get(
    '/return',
    {
      ...open,
      schema: {
        hide: true,
        querystring: Type.Object({
          vh_token: Type.String({ minLength: 1, maxLength: tokenLengthMax }),
          status: StringEnum(returnStatuses),
          t: Type.Optional(Type.String({ pattern: '^[0-9]{1,11}$' })),
          sig: Text,
        }),
      },
    },
    async (request, reply) => {
      const { vh_token: token, status, t, sig } = request.query;
      await deps.takeReturn(token, request.clientAddress);
      // Half a signature is none, and not the browser's own word either.
      const signed = t === undefined && sig === undefined ? null : { t: t ?? '', sig: sig ?? '' };
      const answer = await deps.returns.comeBack(token, status, signed);
      deps.metrics.studyReturns.inc({ result: answer.kind === 'page' ? answer.page : 'passed' });
      return send(deps, request, reply, answer);
    },
  );
}

const userAgentOf = ({ headers }: FastifyRequest): string | undefined =>
  headers['user-agent']?.slice(0, userAgentLengthMax);

const isHttps = (url: string): boolean => url.startsWith('https:');

/** The browser’s random id, given on its first visit: two respondents on one browser are known by it. */
function deviceOf(
  request: FastifyRequest,
  reply: FastifyReply,
  audienceUrl: string,
): Pick<Visit, 'device'> & { readonly isKnown: boolean } {
  const kept = findCookie(deviceCookie, request.headers.cookie) ?? '';
  const isKnown = deviceForm.test(kept);
  const device = isKnown ? kept : randomBytes(16).toString('hex');
  const cookie = { name: deviceCookie, path: '/', sameSite: 'Lax', isSecure: isHttps(audienceUrl) } as const;
  if (!isKnown) void reply.header('set-cookie', formatCookie(cookie, device, deviceSeconds));
  return { device, isKnown };
}

async function send(
  { sendPage }: FieldingRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  return answer.kind === 'redirect' ? reply.redirect(answer.url, 302) : sendPage(request, reply, answer);
}

function sendEntry(
  deps: FieldingRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  deps.metrics.studyEntries.inc({ result: answer.kind === 'page' ? answer.page : 'passed' });
  return send(deps, request, reply, answer);
}

/** Answers like `answerError`, and counts a link whose values the route does not take like others that open nothing. */
async function answerEntryError(
  deps: FieldingRouteDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!isUnreadable(error)) return answerError(deps, error, request, reply);
  const url = deps.audienceUrl() + request.url.slice(request.url.indexOf('/enter/'));
  try {
    return await sendEntry(deps, request, reply, await deps.entries.refuseUnreadable(url, request.clientAddress));
  } catch (failure) {
    return answerError(deps, failure, request, reply);
  }
}

const refusalOf = (taking: Promise<void>): Promise<unknown> =>
  taking.then(
    () => null,
    (refusal: unknown) => refusal,
  );

/** Whether the values of a request are not of the schema, or not storable. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof Fault
    ? error.code === 'VALIDATION_FAILED'
    : typeof error === 'object' && error !== null && 'validation' in error && error.validation !== undefined;

/** A page in place of an error body: who reads it came by a link. */
export async function answerError(
  { sendPage }: Pick<FieldingRouteDeps, 'sendPage'>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const page = isUnreadable(error) ? 'broken' : pageOfFault(error instanceof Fault ? error : { status: 500 });
  if (page === 'later') {
    const isLimited = error instanceof Fault && error.status === 429;
    if (!isLimited) request.log.error({ requestId: request.id, err: error }, 'serving an entry page failed');
    void reply.header('retry-after', '60');
  }
  return sendPage(
    request,
    reply,
    { kind: 'page', page, study: null },
    error instanceof Fault && error.status === 429 ? 429 : undefined,
  );
}

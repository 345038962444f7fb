/**
 * The client of a backend. Making one checks its options and sends nothing.
 */
import { randomUUID } from 'node:crypto';
import type {
  Client,
  ClientOptions,
  DecideCallOptions,
  RespondentStats,
  ScoreOptions,
  ScoreReply,
  ScoreRequest,
  WebBotAuth,
} from './api.js';
import { checkRule, decide } from './decide.js';
import { invalidOption, unexpected, VerifyHumanError } from './errors.js';
import { postEvents } from './events.js';
import { createReports } from './reports.js';
import { callNames, checkFailMode, checkNames, readSettings, type Names } from './settings.js';
import { verifyToken, verifyTokens } from './tokens.js';
import { createCall, singleTimes as times } from './transport.js';

const scoreNames = { idempotencyKey: true, ...callNames } as const satisfies Names<ScoreOptions>;
/** `supplierStats` is the deprecated name of `respondentStats`. */
const requestNames = {
  ...{ sessionId: true, clientIp: true, userAgent: true, sourceId: true, subSourceId: true, studyId: true },
  ...{ declaredCountry: true, respondentId: true, ipPrefixHash: true, deviceHash: true },
  ...{ respondentStats: true, supplierStats: true, webBotAuth: true, probeState: true, deadlineMs: true },
} as const satisfies Names<ScoreRequest & { readonly supplierStats?: unknown }>;
const statsNames = {
  attempts: true,
  completes: true,
  reconciliationRate: true,
} as const satisfies Names<RespondentStats>;
const botNames = { method: true, targetUri: true, headers: true } as const satisfies Names<WebBotAuth>;
const decideNames = { rule: true, failMode: true, ...scoreNames } as const satisfies Names<DecideCallOptions>;

/** Throws a VerifyHumanError (INVALID_OPTION) where an option cannot be used, and where a secret key is in a browser. */
export function createClient(options: ClientOptions): Client {
  const settings = readSettings(options);
  const call = createCall(settings);
  const checkRequest = (taker: string, request: ScoreRequest): void => {
    if (settings.apiKey.startsWith('vf_org_'))
      throw invalidOption(`${taker} with an organization key counts and joins nothing. Use the project's key.`);
    checkNames(taker, request, requestNames);
    if (request.respondentStats) checkNames('respondentStats', request.respondentStats, statsNames);
    if (request.webBotAuth) checkNames('webBotAuth', request.webBotAuth, botNames);
  };
  const client: Client = {
    async score(request, given = {}) {
      checkRequest('score', request);
      checkNames('score', given, scoreNames);
      const { idempotencyKey = randomUUID(), ...options } = given;
      const headers = { 'idempotency-key': idempotencyKey };
      return asScore(await call({ path: '/lite/score', body: request, headers, times }, options));
    },
    async decide(request, given = {}) {
      checkRequest('decide', request);
      checkNames('decide', given, decideNames);
      const { rule, failMode = settings.failMode, ...options } = given;
      checkRule(rule);
      checkFailMode(failMode);
      try {
        return decide(await client.score(request, options), rule === undefined ? {} : { rule });
      } catch (error) {
        if (failMode !== 'open' || !(error instanceof VerifyHumanError) || !error.isUnavailable) throw error;
        return {
          degraded: true,
          action: 'allow',
          because: 'unavailable',
          duplicateBand: null,
          sweep: true,
          score: null,
          error,
        };
      }
    },
    events: (events, options = {}) => postEvents(call, events, options),
    verifyToken: (token, options = {}) => verifyToken(call, token, options),
    verifyTokens: (tokens, options = {}) => verifyTokens(call, tokens, options),
    reports: createReports(call),
  };
  return client;
}

/** Checks the fields that a decision reads: a reply without them is no score. */
function asScore(reply: Readonly<Record<string, unknown>>): ScoreReply {
  const { score, recommendation, duplicate } = reply;
  const isScore =
    typeof score === 'number' &&
    typeof recommendation === 'string' &&
    typeof (duplicate as { readonly band?: unknown } | undefined)?.band === 'string';
  if (!isScore) throw unexpected('lite/score');
  return reply as unknown as ScoreReply;
}

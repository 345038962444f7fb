/**
 * The client of a backend. Making one checks its options and sends nothing.
 */
import { randomUUID } from 'node:crypto';
import type { Client, ClientOptions, DecideCallOptions, ScoreOptions, ScoreReply } from './api.js';
import { checkRule, decide } from './decide.js';
import { unexpected, VerifyHumanError } from './errors.js';
import { postEvents } from './events.js';
import { createReports } from './reports.js';
import { callNames, checkFailMode, checkNames, checkObject, readSettings, type Names } from './settings.js';
import { verifyToken, verifyTokens } from './tokens.js';
import { createCall, singleTimes as times } from './transport.js';

const scoreNames = { idempotencyKey: true, ...callNames } as const satisfies Names<ScoreOptions>;
const decideNames = { rule: true, failMode: true, ...scoreNames } as const satisfies Names<DecideCallOptions>;

/** Throws a VerifyHumanError (INVALID_OPTION) where an option cannot be used, and where a secret key is in a browser. */
export function createClient(options: ClientOptions): Client {
  const settings = readSettings(options);
  const call = createCall(settings);
  const client: Client = {
    async score(request, given = {}) {
      checkObject('score', request);
      checkNames('score', given, scoreNames);
      const { idempotencyKey = randomUUID(), ...options } = given;
      const headers = { 'idempotency-key': idempotencyKey };
      return asScore(await call({ path: '/lite/score', body: request, headers, times }, options));
    },
    async decide(request, given = {}) {
      checkObject('decide', request);
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

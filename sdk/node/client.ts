/**
 * The client of a backend. Making one checks its options and sends nothing.
 */
import { randomUUID } from 'node:crypto';
import type {
  CallOptions,
  Client,
  ClientOptions,
  DecideCallOptions,
  ScoreOptions,
  ScoreReply,
  TokenReply,
} from './api.js';
import { checkRule, decide } from './decide.js';
import { VerifyHumanError } from './errors.js';
import { postEvents } from './events.js';
import { checkFailMode, checkNames, checkObject, readSettings, type Names } from './settings.js';
import { createCall, type Call } from './transport.js';

const times = { deadlineMs: 3_000, attemptMs: 1_500 };
const tokensMax = 100;

const callNames = { deadlineMs: true, signal: true } as const satisfies Names<CallOptions>;
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
    async verifyToken(token, options = {}) {
      checkNames('verifyToken', options, callNames);
      return asToken(await call({ path: '/token/verify', body: { token }, times }, options));
    },
    verifyTokens: (tokens, options = {}) => verifyTokens(call, tokens, options),
  };
  return client;
}

async function verifyTokens(call: Call, tokens: readonly string[], options: CallOptions): Promise<TokenReply[]> {
  checkNames('verifyTokens', options, callNames);
  const replies: TokenReply[] = [];
  for (let start = 0; start < tokens.length; start += tokensMax) {
    const batch = tokens.slice(start, start + tokensMax);
    const { results } = await call({ path: '/token/verify-batch', body: { tokens: batch }, times }, options);
    if (!Array.isArray(results) || results.length !== batch.length) throw unexpected('token/verify-batch');
    replies.push(...results.map((result) => asToken(result as Readonly<Record<string, unknown>>)));
  }
  return replies;
}

/** What the decision reads has to be there: an answer without it is no score. */
function asScore(reply: Readonly<Record<string, unknown>>): ScoreReply {
  const { score, recommendation, duplicate } = reply;
  const isScore =
    typeof score === 'number' &&
    typeof recommendation === 'string' &&
    typeof (duplicate as { readonly band?: unknown } | undefined)?.band === 'string';
  if (!isScore) throw unexpected('lite/score');
  return reply as unknown as ScoreReply;
}

function asToken(reply: Readonly<Record<string, unknown>>): TokenReply {
  if (typeof reply['success'] !== 'boolean') throw unexpected('token/verify');
  return reply as unknown as TokenReply;
}

const unexpected = (path: string): VerifyHumanError =>
  new VerifyHumanError('UNEXPECTED_ANSWER', `/${path} answered without what the answer has to hold.`, { status: 200 });

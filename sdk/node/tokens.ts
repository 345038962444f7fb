/** Validates tokens for a backend against its expectations, one or many. */
import type {
  CallOptions,
  TokenReply,
  TokenRequirements,
  TokenToVerify,
  VerifyTokenOptions,
  VerifyTokensOptions,
} from './api.js';
import { invalidOption, unexpected } from './errors.js';
import { callNames, checkNames, checkObject, type Names } from './settings.js';
import { singleTimes as times, type Call } from './transport.js';

const tokensMax = 100;

const expectationNames = { require: true, use: true } as const;
const manyNames = { mode: true, ...callNames } as const satisfies Names<VerifyTokensOptions>;
const oneNames = { ...expectationNames, ...manyNames } as const satisfies Names<VerifyTokenOptions>;
const itemNames = { token: true, ...expectationNames } as const satisfies Names<TokenToVerify>;
const requirementNames = {
  ...{ assurance: true, studyId: true, respondentId: true, dataCollector: true, stepUpFor: true },
} as const satisfies Names<TokenRequirements>;
/** By the names of the API. */
const requirements = {
  assurance: 'minimumAssurance',
  studyId: 'studyId',
  respondentId: 'respondentId',
  dataCollector: 'dataCollector',
  stepUpFor: 'stepUpFor',
} as const satisfies Record<keyof TokenRequirements, TokenReply['field']>;

export async function verifyToken(call: Call, token: string | null, options: VerifyTokenOptions): Promise<TokenReply> {
  checkNames('verifyToken', options, oneNames);
  const { mode, require, use, ...rest } = options;
  const body = bodyOf({ token, ...('require' in options && { require }), ...('use' in options && { use }) });
  return readReply(await call({ path: '/token/verify', body, times }, rest), body, mode);
}

export async function verifyTokens(
  call: Call,
  tokens: readonly (string | null | TokenToVerify)[],
  options: VerifyTokensOptions,
): Promise<TokenReply[]> {
  checkNames('verifyTokens', options, manyNames);
  const { mode, ...rest }: VerifyTokensOptions & CallOptions = options;
  const bodies = tokens.map((each) => (typeof each === 'string' || each === null ? each : itemOf(each)));
  const replies: TokenReply[] = [];
  for (let start = 0; start < bodies.length; start += tokensMax) {
    const batch = bodies.slice(start, start + tokensMax);
    const { results } = await call({ path: '/token/verify-batch', body: { tokens: batch }, times }, rest);
    if (!Array.isArray(results) || results.length !== batch.length) throw unexpected('token/verify-batch');
    replies.push(
      ...batch.map((asked, index) => readReply(results[index] as Readonly<Record<string, unknown>>, asked, mode)),
    );
  }
  return replies;
}

/** Whether a reply is a pass to act on: a fence of score mode stops a session whatever its status. */
export const isPass = ({ success, status, dispatch }: TokenReply): boolean =>
  success && status === 'pass' && dispatch !== 'score_blocked';

function itemOf(item: TokenToVerify): object {
  checkNames('verifyTokens', item, itemNames);
  return bodyOf(item);
}

function bodyOf(asked: Partial<Record<keyof TokenToVerify, unknown>>): object {
  const { token, require = {}, ...rest } = asked;
  checkObject('require', require);
  checkNames('require', require as TokenRequirements, requirementNames);
  if ('require' in asked && asked.require === undefined) throw unchecked('require');
  if ('use' in rest) requireText('use', rest.use);
  const named = Object.entries(require as Readonly<Record<string, unknown>>).map(([name, value]) => {
    requireText(`require.${name}`, value);
    return [requirements[name as keyof TokenRequirements], value] as const;
  });
  return { token, ...rest, ...Object.fromEntries(named) };
}

function requireText(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw unchecked(name);
}

/** An id that a program has not got would otherwise be checked against nothing. */
const unchecked = (name: string) => invalidOption(`${name} has no value: leave it out if nothing is to be checked.`);

/** Sessions of another mode than asked for are no passes, whatever the key takes. Nor are step-ups where none was asked for. */
function readReply(
  reply: Readonly<Record<string, unknown>>,
  asked: string | null | object,
  mode: VerifyTokensOptions['mode'] = 'live',
): TokenReply {
  if (typeof reply['success'] !== 'boolean') throw unexpected('token/verify');
  if (reply['success'] && reply['mode'] !== mode) return { success: false, error: 'INVALID', hint: 'mode' };
  const isAsked = typeof asked === 'object' && asked !== null && 'stepUpFor' in asked;
  if (reply['success'] && reply['stepUpFor'] != null && !isAsked)
    return { success: false, error: 'EXPECTATION_FAILED', field: 'stepUpFor' };
  return reply as unknown as TokenReply;
}

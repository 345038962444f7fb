/**
 * Reads the body of a score: null and the empty string in an optional field mean that it is absent, whatever the client’s language writes for
 * nothing. Read this way first, a retry that says the same in other words is the identical retry. Answers the issues that the schema cannot express.
 */
import { findUnstorable, wellFormed } from '../kernel/storable-text.js';
import type { RespondentStats, ScoreInput, ScoreRequest, WebBotAuth } from '../contract/score.js';
import type { Issue } from '../errors.js';
import { userAgentLengthMax } from '../limits.js';
import { parseAddress, type Address } from '../net/address.js';

/** What is kept as it was sent, in places that take no NUL and no half of a surrogate pair. */
const identifiers = ['sessionId', 'sourceId', 'subSourceId', 'studyId', 'respondentId'] as const;

/** The request with the fields that say nothing left out, and without what the contract does not know. */
export function readScoreRequest(body: ScoreRequest): ScoreInput {
  const userAgent = presentText(body.userAgent)?.slice(0, userAgentLengthMax);
  const declaredCountry = presentText(body.declaredCountry)?.toUpperCase();
  const texts = {
    // What facts hold is read by the core before and after it was packed, and is to be the same text.
    userAgent: userAgent === undefined ? undefined : wellFormed(userAgent),
    sourceId: presentText(body.sourceId),
    subSourceId: presentText(body.subSourceId),
    studyId: presentText(body.studyId),
    declaredCountry: declaredCountry === undefined ? undefined : wellFormed(declaredCountry),
    respondentId: presentText(body.respondentId),
    ipPrefixHash: presentText(body.ipPrefixHash),
    deviceHash: presentText(body.deviceHash),
    respondentStats: readStats(body.respondentStats),
    supplierStats: readStats(body.supplierStats),
    webBotAuth: readSignature(body.webBotAuth),
  };
  return { sessionId: body.sessionId, clientIp: body.clientIp, ...withoutAbsent(texts) };
}

/** Faults of the request that the schema cannot express. */
export function checkRequest(
  request: ScoreInput,
):
  | { readonly address: Address; readonly issues: readonly Issue[] }
  | { readonly address: null; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const address = parseAddress(request.clientIp);
  if (address === null)
    issues.push({ path: '/clientIp', message: 'must be one IPv4 or IPv6 address, without port or zone.' });
  for (const name of ['respondentStats', 'supplierStats'] as const) {
    const stats = request[name];
    if (stats !== undefined && stats.completes > stats.attempts)
      issues.push({ path: `/${name}/completes`, message: 'must be at most attempts.' });
  }
  for (const name of identifiers) {
    const unstorable = findUnstorable(request[name], `/${name}`);
    if (unstorable === null) continue;
    issues.push(unstorable);
    break;
  }
  return { address, issues };
}

function presentText(text: string | null | undefined): string | undefined {
  return text == null || text === '' ? undefined : text;
}

function readStats(stats: ScoreRequest['respondentStats']): RespondentStats | undefined {
  if (stats == null) return undefined;
  const { attempts, completes, reconciliationRate } = stats;
  return reconciliationRate == null ? { attempts, completes } : { attempts, completes, reconciliationRate };
}

function readSignature(material: ScoreRequest['webBotAuth']): WebBotAuth | undefined {
  if (material == null) return undefined;
  const { method, targetUri, headers } = material;
  const { signature, 'signature-input': input, 'signature-agent': agent } = headers;
  const known = { signature, 'signature-input': input };
  return {
    method,
    targetUri,
    headers: presentText(agent) === undefined ? known : { ...known, 'signature-agent': agent as string },
  };
}

type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

function withoutAbsent<T extends object>(fields: T): Present<T> {
  const present: Partial<T> = {};
  for (const name of Object.keys(fields) as (keyof T)[]) if (fields[name] !== undefined) present[name] = fields[name];
  return present as Present<T>;
}

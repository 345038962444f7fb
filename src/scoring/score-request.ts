/**
 * Reads the body of a score. null and the empty string in an optional field mean that it is absent, whatever the client’s language writes for
 * nothing. Read this way first, a retry that says the same in other words is the identical retry. Then it finds the issues that the schema cannot
 * express, and notes what stands out in a valid body: names that mean nothing here, and identities that were sent as they are. Notes hold names of
 * fields, never values.
 */
import { findUnstorable, wellFormed } from '../kernel/body.js';
import { probeStates, RespondentStats, ScoreRequest, WebBotAuth, type ScoreInput } from '../contract/score.js';
import { pointerSegment, type Issue } from '../errors.js';
import { userAgentLengthMax } from '../limits.js';
import { parseAddress, type Address } from '../net/address.js';
import type { IntegrationFacts } from '../contract/facts.js';
import { invalid } from '../kernel/faults.js';
import { lettersOf, nameLengthMax, suggest } from '../kernel/validation.js';
import { nearestName } from '../nearest-name.js';

/** These are kept unchanged, in places that take no NUL and no half of a surrogate pair. */
const identifiers = ['sessionId', 'sourceId', 'subSourceId', 'studyId', 'respondentId'] as const;

/** The request as it counts, its address, and the names in it that mean nothing. Throws every issue at once; a test key refuses unknown names, too. */
export function readScoreRequest(
  body: ScoreRequest,
  isTest: boolean,
): { readonly request: ScoreInput; readonly address: Address; readonly unknownNames: readonly UnknownName[] } {
  const request = normalizeScoreRequest(body);
  const { address, issues } = checkRequest(request);
  const unknownNames = findUnknownNames(body);
  const refused = isTest ? refuseUnknownNames(unknownNames) : [];
  if (address === null || issues.length + refused.length > 0) throw invalid([...issues, ...refused]);
  return { request, address, unknownNames };
}

/** The request with the fields that say nothing left out, and without what the contract does not know. */
export function normalizeScoreRequest(body: ScoreRequest): ScoreInput {
  const userAgent = presentText(body.userAgent)?.slice(0, userAgentLengthMax);
  const declaredCountry = presentText(body.declaredCountry)?.toUpperCase();
  const texts = {
    // The core reads facts before and after packing, and must find the same text.
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
    // A page’s word: whatever a respondent writes there must not fail the call.
    probeState: probeStates.find((state) => state === body.probeState),
  };
  return { sessionId: body.sessionId, clientIp: body.clientIp, ...withoutAbsent(texts) };
}

const portForm = /^(?:\d+(?:\.\d+){3}|\[[0-9a-f:.]+\]):\d+$/i;

/** Describes the fault of a text that is not one address. */
function describeAddress(text: string): string {
  if (text.includes(','))
    return 'is a list, like X-Forwarded-For. Send only its first address, which is the respondent’s.';
  if (portForm.test(text)) return 'has a port. Send only the IP address.';
  return 'must be one IPv4 or IPv6 address, without port or zone.';
}

/** Faults of the request that the schema cannot express. */
export function checkRequest(
  request: ScoreInput,
):
  | { readonly address: Address; readonly issues: readonly Issue[] }
  | { readonly address: null; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const address = parseAddress(request.clientIp);
  if (address === null) issues.push({ path: '/clientIp', message: describeAddress(request.clientIp) });
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

/** Named of one request; whoever sends more has the idea by then. */
const namesMax = 5;

export interface UnknownName {
  /** JSON pointer. */
  readonly path: string;
  readonly name: string;
  /** null where none is near. */
  readonly nearest: string | null;
}

const fields = Object.keys(ScoreRequest.properties);
const statistics = Object.keys(RespondentStats.properties);
const signature = Object.keys(WebBotAuth.properties);
const signatureHeaders = spellingsOf(Object.keys(WebBotAuth.properties.headers.properties));

/** Names of the body, and of the objects in it, that the contract does not know. Headers other than those of a signature are no mistake. */
export function findUnknownNames(body: ScoreRequest): readonly UnknownName[] {
  return [
    ...unknownNamesOf(body, fields, ''),
    ...unknownNamesOf(body.respondentStats, statistics, '/respondentStats'),
    ...unknownNamesOf(body.supplierStats, statistics, '/supplierStats'),
    ...unknownNamesOf(body.webBotAuth, signature, '/webBotAuth'),
    ...otherSpellingsOf(body.webBotAuth?.headers, signatureHeaders, '/webBotAuth/headers'),
  ].slice(0, namesMax);
}

/** Names of an object that are not among the `known`; at most five. `base` is the pointer to the object. */
export function unknownNamesOf(
  object: object | null | undefined,
  known: readonly string[],
  base: string,
): UnknownName[] {
  const unknown: UnknownName[] = [];
  for (const name in object) {
    if (known.includes(name) || unknown.length === namesMax) continue;
    const shown = wellFormed(name.slice(0, nameLengthMax));
    unknown.push({ path: `${base}/${pointerSegment(shown)}`, name: shown, nearest: nearestName(shown, known) });
  }
  return unknown;
}

/** Known names by their letters, for `otherSpellingsOf`; no two have the same. Made once: every score and event is looked through. */
export function spellingsOf(known: readonly string[]): ReadonlyMap<string, string> {
  return new Map(known.map((name) => [lettersOf(name), name]));
}

/** Names that are a known one but for case and separators, of an object that may hold others; at most five. */
export function otherSpellingsOf(
  object: object | null | undefined,
  spellings: ReadonlyMap<string, string>,
  base: string,
): UnknownName[] {
  const slips = Object.keys(object ?? {}).flatMap((name) => {
    const nearest = spellings.get(lettersOf(name));
    return nearest === undefined || nearest === name
      ? []
      : [{ path: `${base}/${pointerSegment(name)}`, name, nearest }];
  });
  return slips.slice(0, namesMax);
}

/** The same as faults, for keys of a test, where a misspelt name is best found. */
export function refuseUnknownNames(names: readonly UnknownName[]): readonly Issue[] {
  return names.map(({ path, nearest }) => ({
    path,
    message: `is unknown${suggest(nearest)} Test keys refuse unknown fields; live keys ignore them.`,
  }));
}

/** Notes on the request for the score; empty if nothing stands out. */
export function noteRequest(
  names: readonly UnknownName[],
  request: ScoreInput,
  { probeElsewhere, isFixedSession = false }: Pick<IntegrationFacts, 'probeElsewhere' | 'isFixedSession'>,
): { readonly integration?: IntegrationFacts } {
  const unhashed = (['respondentId', 'ipPrefixHash', 'deviceHash'] as const).flatMap((name) => {
    const value = request[name] ?? '';
    if (placeholder.test(value)) return [`${name} (a placeholder)`];
    return isIdentity(value, name) ? [name] : [];
  });
  const { probeState } = request;
  const isPlain = names.length === 0 && unhashed.length === 0 && probeElsewhere == null && !isFixedSession;
  if (isPlain && probeState === undefined) return {};
  const unknownFields = names.map(({ name, nearest }) =>
    nearest === null ? `"${name}"` : `"${name}" (did you mean "${nearest}"?)`,
  );
  return {
    integration: {
      unknownFields,
      unhashed,
      probeElsewhere: probeElsewhere ?? null,
      ...(isFixedSession ? { isFixedSession } : {}),
      ...(probeState === undefined ? {} : { probeState }),
    },
  };
}

/** Text that a program or a survey tool writes in place of an id that it does not have. It makes one person of all respondents. */
const placeholder =
  /^(?:undefined|null|none|nan|n\/a|\[object \w+\]|\$?\{+\s*[a-z_][\w. ]*\}+|%+[\w.]+%+|\[%[^%\]]*%\]|\[[\w.]+\]|<[\w. ]+>)$/i;
const email = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** With a country code, or in groups as people write them; a bare number may be anybody’s id. */
const phone = /^(?:(?:\+|00)[1-9][\d ().-]{6,20}|\(?\d{2,5}\)?[ .-]\d{2,5}[ .-]\d{2,6})$/;
const network = /^(?:\d{1,3}(?:\.\d{1,3}){2,3}|[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,7})(?:\/\d{1,3})?$/i;
const date = /^\d{4}-\d{2}-\d{2}$/;

/** A hash has no blanks; a device with one is a model or a user agent, which many share. */
function isIdentity(value: string, field: 'respondentId' | 'ipPrefixHash' | 'deviceHash'): boolean {
  if (field !== 'respondentId' && /\s/.test(value)) return true;
  return email.test(value) || network.test(value) || (phone.test(value) && !date.test(value));
}

/**
 * What stands out in the body of a score though it is valid: names that mean nothing here, and identities that were sent as they are. Values never
 * leave here, only the names of their fields. Pure.
 */
import { wellFormed } from '../kernel/storable-text.js';
import type { IntegrationFacts } from '../contract/facts.js';
import { RespondentStats, ScoreRequest, WebBotAuth, type ScoreInput } from '../contract/score.js';
import { pointerSegment, type Issue } from '../errors.js';
import { nearestName } from '../kernel/validation.js';

/** Named of one request; whoever sends more has the idea by then. */
const namesMax = 5;
const nameLengthMax = 64;

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

/** Names of the body, and of the objects in it, that the contract does not know. Headers beside those of a signature are nobody's slip. */
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
  const unknown = Object.keys(object ?? {}).filter((name) => !known.includes(name));
  return unknown.slice(0, namesMax).map((name) => {
    const shown = wellFormed(name.slice(0, nameLengthMax));
    return { path: `${base}/${pointerSegment(shown)}`, name: shown, nearest: nearestName(shown, known) };
  });
}

/** Known names by their letters, for `otherSpellingsOf`; no two have the same. Made once: every score and event is looked through. */
export function spellingsOf(known: readonly string[]): ReadonlyMap<string, string> {
  return new Map(known.map((name) => [lettersOf(name), name]));
}

/** Names that are a known one but for case and separators, of an object that may hold anything beside; at most five. */
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

/** Names longer than any of ours are cut, so that they are none of them. */
function lettersOf(name: string): string {
  return name.slice(0, nameLengthMax).replace(/[-_ ]/g, '').toLowerCase();
}

/** The same as faults, for keys of a test, where a misspelt name is best found. */
export function refuseUnknownNames(names: readonly UnknownName[]): readonly Issue[] {
  return names.map(({ path, nearest }) => ({
    path,
    message: `is not a known name${nearest === null ? '.' : `; did you mean "${nearest}"?`} A test key refuses what a live key would ignore.`,
  }));
}

/** What the notes of the score will say; nothing where nothing stands out. */
export function noteRequest(
  names: readonly UnknownName[],
  request: ScoreInput,
  { probeElsewhere, isFixedSession = false }: Pick<IntegrationFacts, 'probeElsewhere' | 'isFixedSession'>,
): { readonly integration?: IntegrationFacts } {
  const unhashed = (['respondentId', 'ipPrefixHash', 'deviceHash'] as const).filter((name) =>
    isIdentity(request[name] ?? '', name),
  );
  if (names.length === 0 && unhashed.length === 0 && probeElsewhere == null && !isFixedSession) return {};
  const unknownFields = names.map(({ name, nearest }) =>
    nearest === null ? `"${name}"` : `"${name}" (did you mean "${nearest}"?)`,
  );
  return {
    integration: {
      unknownFields,
      unhashed,
      probeElsewhere: probeElsewhere ?? null,
      ...(isFixedSession ? { isFixedSession } : {}),
    },
  };
}

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

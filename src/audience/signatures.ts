/** The signatures of studies: HMAC-SHA256 in base64url over lines joined with a line feed, the first of which says what they are for. Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EntryMode } from '../contract/study.js';
import type { Secrets } from '../administration/secret-store.js';

export const linkTraits = ['country', 'age', 'gender', 'profession'] as const;

/** The values of an entry link as they stand in it, before anything reads them. */
export type EntryLink = Readonly<Record<'studyId' | 'rid' | 'src' | 'exp', string>> &
  Readonly<Partial<Record<(typeof linkTraits)[number], string | undefined>>>;

type Lines = readonly (string | number)[];

/** An absent trait is an empty line. */
export const entryLines = ({ studyId, rid, src, exp, country, age, gender, profession }: EntryLink): Lines => [
  ...['vh-entry-1', studyId, rid, src, exp],
  ...[country ?? '', age ?? '', gender ?? '', profession ?? ''],
];

export const returnLines = (studyId: string, placeId: string, status: string, t: string): Lines => [
  ...['vh-return-1', studyId, placeId, status, t],
];

/** The end of a visit, as a supplier learns of it. */
export interface SignedExit extends Readonly<Record<'studyId' | 'placeId' | 'rid' | 'status', string>> {
  readonly entry: EntryMode;
}

/** Signs the redirect to the supplier: the address’s {sig}, and that of a postback. The first line says whether the rid is proven. */
export const exitLines = ({ entry, studyId, placeId, rid, status }: SignedExit): Lines => [
  ...[entry === 'signed' ? 'vh-exit-1' : 'vh-exit-open-1', studyId, placeId, rid, status],
];

export const textOf = (lines: Lines): string => lines.join('\n');

const digest = (secret: string, lines: Lines): Buffer => createHmac('sha256', secret).update(textOf(lines)).digest();

export const sign = (secret: string, lines: Lines): string => digest(secret, lines).toString('base64url');

/** Finds the secret that made the signature; null: none. Compares in constant time. */
export function signerOf({ current, previous }: Secrets, lines: Lines, signature: string): keyof Secrets | null {
  const given = Buffer.from(signature, 'base64url');
  const isBy = (secret: string | null): boolean => {
    if (secret === null) return false;
    const expected = digest(secret, lines);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  if (isBy(current)) return 'current';
  return isBy(previous) ? 'previous' : null;
}

/** Whether a key that was sent is one of these, in constant time. */
export const isSurveyKey = (secrets: Secrets, given: string): boolean =>
  signerOf(secrets, [given], sign(given, [given])) !== null;

/** Compares two texts in a time that depends on their lengths alone. */
export const isSameText = (given: string, expected: string): boolean => {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/**
 * Entry links: made with a supplier's signature, and judged. Pure. A signed study takes nobody without a signature; an open one takes both and
 * marks who is unproven. A signature that is there has to be right in either.
 */
import { readDeclaredCountry } from '../contract/country.js';
import { ageMax, trait, type EntryMode } from '../contract/study.js';
import type { LinkProblem } from '../contract/supplier.js';
import type { Secrets } from '../administration/secret-store.js';
import type { Traits } from './reservation-store.js';
import { entryLines, linkTraits, sign, signerOf, textOf, type EntryLink } from './signatures.js';
import { normalTrait } from './study-rules.js';
import type { Study } from './study-store.js';

/** The values of a link before any check. */
export interface GivenLink extends Omit<EntryLink, 'exp'> {
  readonly exp: string | undefined;
  readonly sig: string | undefined;
}

export interface Problem {
  readonly code: LinkProblem;
  readonly message: string;
}

export interface LinkVerdict {
  readonly entry: EntryMode;
  readonly supplierId: string | null;
  /** The supplier that src names, whoever sent the link. */
  readonly named: string | null;
  readonly signedWith: keyof Secrets | null;
  readonly expiresAt: Date | null;
  /** Refuse the link, most important first. */
  readonly problems: readonly Problem[];
  /** Its time is over, and that is all: who holds a place may go on. */
  readonly isExpired: boolean;
}

export interface LinkContext {
  readonly study: Pick<Study, 'entry' | 'suppliers'>;
  /** The supplier that src names; null: there is none. */
  readonly supplier: { readonly supplierId: string; readonly secrets: Secrets } | null;
  readonly nowMs: number;
}

/** Problems that close a link to new respondents alone: who holds a place may go on. */
export const newcomerProblems: readonly LinkProblem[] = ['expired', 'supplier_not_in_study'];

/** Problems that leave open who signed a link: the supplier may be one that was deleted, and another may have its `sourceId` by now. */
export const unprovenProblems: readonly LinkProblem[] = ['supplier_unknown', 'signature_wrong'];

const expForm = /^\d{1,11}$/;
const control = /[\x00-\x1f]/;
const dotSegment = /^\.{1,2}$/;

export function judgeLink(link: GivenLink, { study, supplier, nowMs }: LinkContext): LinkVerdict {
  const isSigned = link.sig !== undefined && link.sig !== '';
  const exp = link.exp ?? '';
  const isDated = expForm.test(exp);
  const signedWith =
    isSigned && supplier !== null ? signerOf(supplier.secrets, entryLines({ ...link, exp }), link.sig ?? '') : null;
  const problems: Problem[] = [...missingIn(link), ...controlsIn(link), ...dotsIn(link)];
  const found = (code: LinkProblem, message: string): void => void problems.push({ code, message });

  if (supplier === null && (isSigned || study.entry === 'signed' || study.suppliers.length > 0))
    found('supplier_unknown', `No supplier of the organization has the sourceId "${link.src}".`);
  else if (supplier !== null && study.suppliers.length > 0 && !study.suppliers.includes(supplier.supplierId))
    found('supplier_not_in_study', `The study does not take respondents of the supplier "${link.src}".`);
  if (!isSigned && study.entry === 'signed')
    found('signature_missing', 'The study takes signed links only, and the link has no sig.');
  if (isSigned && !isDated) problems.push(undated);
  if (isSigned && supplier !== null && isDated && signedWith === null)
    found('signature_wrong', 'sig is not the HMAC of signedText under the supplier’s entrySecret, in base64url.');
  const isExpired = signedWith !== null && problems.length === 0 && timeOf(exp).getTime() <= nowMs;
  if (isExpired) found('expired', `The link expired at ${timeOf(exp).toISOString()}.`);
  return {
    entry: isSigned ? 'signed' : 'open',
    // Anyone may write any src into an unsigned link, so it is that of a supplier only if the study lets this one enter without signatures.
    supplierId: isSigned || study.suppliers.length > 0 ? (supplier?.supplierId ?? null) : null,
    named: supplier?.supplierId ?? null,
    signedWith,
    expiresAt: isDated ? timeOf(exp) : null,
    problems,
    isExpired,
  };
}

/** Values without which nothing is an entry. */
export const missingIn = (link: GivenLink): readonly Problem[] =>
  (['rid', 'src'] as const).flatMap((name) =>
    link[name] === ''
      ? [{ code: 'value_missing', message: `The link has no \`${name}\`. Add it to the link.` } as const]
      : [],
  );

export const hasControl = (value: string): boolean => control.test(value);

/** Values that would make the lines of a signature ambiguous. */
export const controlsIn = (link: GivenLink): readonly Problem[] =>
  (['rid', 'src', ...linkTraits] as const).flatMap((name) =>
    hasControl(link[name] ?? '')
      ? [{ code: 'line_feed', message: `${name} has a line feed or another control character.` } as const]
      : [],
  );

/** Redirects and postbacks may have the rid in their path, and no encoding keeps a dot segment there. */
const dotsIn = ({ rid }: GivenLink): readonly Problem[] =>
  dotSegment.test(rid)
    ? [{ code: 'value_unreadable', message: '`rid` has only dots, which change a path. Use another id.' }]
    : [];

const undated: Problem = {
  code: 'value_missing',
  message: 'exp has to be the time at which the link expires, in whole Unix seconds.',
};

/** Names the values that a signature needs and the link lacks. */
export const unsignedIn = ({ sig = '', exp = '' }: GivenLink): readonly Problem[] => [
  ...(sig === '' ? [{ code: 'signature_missing', message: 'The link has no `sig`. Sign it.' } as const] : []),
  ...(expForm.test(exp) ? [] : [undated]),
];

const timeOf = (exp: string): Date => new Date(Number(exp) * 1_000);

/** The text that the signature of a link has to cover; null where it has no time, or no signature is asked for. */
export const signedTextOf = (link: GivenLink): string | null =>
  link.exp === undefined ? null : textOf(entryLines({ ...link, exp: link.exp }));

/** Suppliers add rid and src to this address. */
export const entryUrlOf = (audienceUrl: string, studyId: string): string => `${audienceUrl}/enter/${studyId}`;

/** The address of a signed link. */
export function signLink(entryUrl: string, link: EntryLink, secret: string): string {
  const { studyId: _study, ...values } = link;
  const present = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = new URLSearchParams([...present, ['sig', sign(secret, entryLines(link))]]);
  return `${entryUrl}?${query.toString()}`;
}

/** The traits of a link. An invalid value is ignored. */
export function traitsOf(link: Readonly<Partial<Record<keyof Traits, string | undefined>>>): Traits {
  const age = /^\d{1,3}$/.test(link.age ?? '') && Number(link.age) <= ageMax ? Number(link.age) : null;
  const text = (value: string | undefined): string | null => {
    const normal = normalTrait(value ?? '');
    return normal === '' || normal.length > trait.maxLength ? null : normal;
  };
  return {
    country: readDeclaredCountry(link.country ?? ''),
    gender: text(link.gender),
    age,
    profession: text(link.profession),
  };
}

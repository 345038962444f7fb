/** Assigned ISO 3166-1 alpha-2 codes. Others are refused: a code that matches no country would speak against an honest person. */
import { Type } from 'typebox';

const codes = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY ' +
  'BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK ' +
  'FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR ' +
  'IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ' +
  'ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM ' +
  'PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF ' +
  'TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ');

/** People write these instead of the assigned code: reserved and former codes, and codes of languages. */
const meant: Readonly<Record<string, string>> = {
  UK: 'GB',
  EN: 'GB',
  EL: 'GR',
  JA: 'JP',
  DA: 'DK',
  CS: 'CZ',
  DD: 'DE',
  BU: 'MM',
  FX: 'FR',
  SF: 'FI',
  SU: 'RU',
  TP: 'TL',
  YU: 'RS',
  ZR: 'CD',
};

/** Whole administrations use these two, so they name a country in every declaration. */
const customary: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

const anyCode = `(?:${patternsByFirstLetter().join('|')})`;

/** Matches every code in either case, and nothing else. */
export const countryCodePattern = `^${anyCode}$`;
const countryCodeOrEmptyPattern = `^${anyCode}?$`;

/** A country, in either case. */
export const CountryCode = (description: string) => Type.String({ pattern: countryCodePattern, description });

/** The same, with an empty text for no country. */
export const CountryCodeOrEmpty = (description: string) =>
  Type.String({ pattern: countryCodeOrEmptyPattern, description });

/** Whether a pattern of a schema is one of these. */
export function isCountryPattern(pattern: unknown): boolean {
  return pattern === countryCodePattern || pattern === countryCodeOrEmptyPattern;
}

const isAssigned = new RegExp(countryCodePattern);

/** The assigned code of a declared country, in capitals, for input that cannot be refused; null if it means none. */
export function readDeclaredCountry(text: string): string | null {
  if (isAssigned.test(text)) return text.toUpperCase();
  const code = text.toUpperCase();
  return Object.hasOwn(customary, code) ? (customary[code] ?? null) : null;
}

/**
 * The code of a file of addresses, in capitals. null for one that is no country, such as EU, ZZ or T1: compared with what a respondent declares, it
 * would speak against an honest person. Files use XK for Kosovo.
 */
export function readLocatedCountry(text: string): string | null {
  const code = text.toUpperCase();
  return isAssigned.test(code) || code === 'XK' ? code : null;
}

/** The message for a text that is no country code. */
export function describeUnknownCountry(text: string): string {
  if (text.toUpperCase() === 'XK')
    return 'is user-assigned and names no country in ISO 3166-1, though files of addresses use it for Kosovo; leave it out.';
  const likely = Object.hasOwn(meant, text.toUpperCase()) ? meant[text.toUpperCase()] : undefined;
  return `is not an assigned ISO 3166-1 alpha-2 country code${likely === undefined ? '.' : `; did you mean "${likely}"?`}`;
}

/** A letter in both cases, followed by any of the second letters in both cases. */
function patternsByFirstLetter(): string[] {
  const seconds = new Map<string, string>();
  for (const code of codes) seconds.set(code.charAt(0), (seconds.get(code.charAt(0)) ?? '') + code.charAt(1));
  return [...seconds].map(([first, second]) => `[${first}${first.toLowerCase()}][${second}${second.toLowerCase()}]`);
}

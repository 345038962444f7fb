/**
 * The network axis. Everything here has honest explanations (a VPN, travel, work), so no rule comes near a review alone, and all share one
 * group.
 */
import type { NetworkClass } from '../../src/contract/facts.js';
import type { UserAgent } from '../../src/contract/user-agent.js';
import { createRaise, rulesOf, type Rules, type Signal } from './model.js';
import type { Visit } from './visit.js';

const egress = rulesOf('network', 'correlate', 'egress');
const diagnostic = rulesOf('network', 'diagnostic');

export const networkRules = {
  network_hosting: egress('medium', 1.6, 'The IP address belongs to a hosting provider, as servers and VPNs do.'),
  network_anonymous: egress(
    'low',
    0.6,
    'The IP address belongs to a VPN, proxy or anonymity network. Many legitimate respondents use one.',
  ),
  network_tor: egress('medium', 2.4, 'The IP address is a Tor exit node.'),
  network_residential_proxy: egress('medium', 2.4, 'The IP address belongs to a residential proxy network.'),
  declared_country_mismatch: diagnostic(
    'low',
    0,
    'The IP address is in {value}, which differs from declaredCountry. This never changes risk.',
  ),
  clock_country_mismatch: {
    axis: 'network',
    class: 'correlate',
    severity: 'low',
    weight: 1.2,
    group: 'egress',
    source: 'probe',
    detail: 'The browser’s time zone ({value}) and the IP address are on different continents.',
  },
  language_elsewhere: {
    axis: 'network',
    class: 'correlate',
    severity: 'low',
    weight: 0.5,
    group: 'egress',
    source: 'probe',
    detail: 'The browser’s language ({value}) and the IP address belong to different continents.',
  },
  address_not_public: diagnostic(
    'info',
    0,
    'clientIp is {value}, not a public address. Send the respondent’s IP address.',
  ),
} satisfies Rules;

export const networkThresholds = {
  /** Share of the weight of a hosting network for a phone: it does not stand in a data center, it comes by a VPN, or only claims to be a phone. */
  phoneShare: 0.6,
  /** Share of the weight of a clock elsewhere on a network that people also use from elsewhere; those of homes and carriers stand where their customers are. */
  clockShare: 0.5,
} as const;

const raise = createRaise(networkRules);

const isPhone = (agent: UserAgent | null): boolean => agent?.os === 'ios' || agent?.os === 'android';

const isAccess = (network: NetworkClass | null): boolean => network === 'residential' || network === 'mobile';

/** Spellings of a country that people send in place of its ISO code. */
const countryAliases: ReadonlyMap<string, string> = new Map([
  ['UK', 'GB'],
  ['EL', 'GR'],
]);

/** Whether the declared country agrees with the address; null where either is unknown. */
export function matchCountry(declared: string | null, resolved: string | null): boolean | null {
  if (declared === null || resolved === null) return null;
  return (countryAliases.get(declared) ?? declared) === resolved;
}

export function weighNetwork({ facts, pages, agent }: Visit): Signal[] {
  const { address } = facts;
  const signals: Signal[] = [];
  if (address.range !== 'public') raise(signals, 'address_not_public', 0, address.range);
  if (address.network === 'hosting')
    raise(
      signals,
      'network_hosting',
      isPhone(agent) ? networkThresholds.phoneShare * networkRules.network_hosting.weight : undefined,
    );
  if (address.relay !== undefined) raise(signals, `network_${address.relay}`);
  else if (address.network === 'anonymous') raise(signals, 'network_anonymous');
  if (matchCountry(facts.declaredCountry, address.country) === false)
    raise(signals, 'declared_country_mismatch', undefined, address.country);
  const there = address.country === null ? null : continentOf(address.country);
  const elsewhere = pages.map(({ body }) => body.loc?.zone ?? null).find((zone) => isElsewhere(zone, there));
  if (elsewhere !== undefined)
    raise(
      signals,
      'clock_country_mismatch',
      isAccess(address.network) ? undefined : networkThresholds.clockShare * networkRules.clock_country_mismatch.weight,
      elsewhere,
    );
  const spoken = pages
    .map(({ body }) => body.loc?.language ?? null)
    .find((language) => isSpokenElsewhere(language, there));
  if (spoken !== undefined) raise(signals, 'language_elsewhere', undefined, spoken);
  return signals;
}

function isElsewhere(zone: string | null, there: ReturnType<typeof continentOf>): boolean {
  const kept = zone === null ? null : continentOfZone(zone);
  return kept !== null && there !== null && !there.includes(kept);
}

/** By the region that a language tag names; English and Spanish regions are kept by people everywhere. */
function isSpokenElsewhere(language: string | null, there: ReturnType<typeof continentOf>): boolean {
  const region = language?.split('-')[1]?.toUpperCase();
  if (region === undefined || there === null || usualRegions.includes(region)) return false;
  const spoken = continentOf(region);
  return spoken !== null && !spoken.some((continent) => there.includes(continent));
}

export const usualRegions = ['US', 'GB', 'ES'];

/** A weak signal needs no finer division. */
type Continent = 'af' | 'am' | 'as' | 'au' | 'eu' | 'pa';

/** A country may stand in several rows. */
export const countries: Readonly<Record<Continent, string>> = {
  af: 'AO BF BI BJ BW CD CF CG CI CM DJ DZ EG ER ET GA GH GM GN GQ GW KE LR LS LY MA ML MR MW MZ NA NE NG RW SD SL SN SO SS ST SZ TD TG TN TZ UG ZA ZM ZW',
  am: 'AG AI AR AW BB BL BO BQ BR BS BZ CA CL CO CR CU CW DM DO EC GD GF GL GP GT GY HN HT JM KN KY LC MF MQ MS MX NI PA PE PM PR PY SR SV SX TC TT US UY VC VE VG VI',
  as: 'AE AF AM AZ BD BH BN BT CN CY GE HK ID IL IN IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MY NP OM PH PK PS QA RU SA SG SY TH TJ TL TM TR TW UZ VN YE',
  au: 'AU',
  eu: 'AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FR GB GG GI GR HR HU IE IM IT JE KZ LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM TR UA VA XK',
  pa: 'AS CK CL EC FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV UM US VU WF WS',
};

const zonePrefixes: ReadonlyMap<string, Continent> = new Map([
  ['Africa', 'af'],
  ['America', 'am'],
  ['Asia', 'as'],
  ['Australia', 'au'],
  ['Europe', 'eu'],
  ['Pacific', 'pa'],
]);

const byCountry = new Map<string, Continent[]>();
for (const [continent, codes] of Object.entries(countries) as [Continent, string][]) {
  for (const code of codes.split(' ')) byCountry.set(code, [...(byCountry.get(code) ?? []), continent]);
}

/** Continents whose time zones a country keeps; null where unknown. */
export function continentOf(country: string): readonly Continent[] | null {
  return byCountry.get(country) ?? null;
}

/** Continent of an IANA time zone; null if its name does not say. Overseas zones (Atlantic/, Indian/, UTC) are never certain. */
export function continentOfZone(zone: string): Continent | null {
  const slash = zone.indexOf('/');
  return slash < 0 ? null : (zonePrefixes.get(zone.slice(0, slash)) ?? null);
}

/**
 * The network axis: where the address is and what kind of network it belongs to. Everything here has honest explanations
 * (a VPN, travel, work), so no rule comes near a review alone, and all of them share one correlation group, because
 * one VPN raises them together.
 */
import { continentOf, continentOfZone } from './continents.js';
import { createRaise, type Rules, type Signal } from './rule.js';
import type { Visit } from './visit.js';

export const networkRules = {
  network_hosting: {
    axis: 'network',
    class: 'correlate',
    severity: 'medium',
    weight: 1.6,
    group: 'egress',
    detail: 'The address belongs to a hosting provider, where servers live; many a VPN leaves from there as well.',
  },
  network_anonymous: {
    axis: 'network',
    class: 'correlate',
    severity: 'low',
    weight: 0.6,
    group: 'egress',
    detail: 'The address belongs to a VPN, proxy or anonymity network; many honest people use one.',
  },
  declared_country_mismatch: {
    axis: 'network',
    class: 'diagnostic',
    severity: 'low',
    weight: 0,
    group: null,
    detail: 'The address is in {value}, which is not the country declared. What is declared never moves risk.',
  },
  clock_country_mismatch: {
    axis: 'network',
    class: 'correlate',
    severity: 'low',
    weight: 0.6,
    group: 'egress',
    source: 'probe',
    detail: 'The browser keeps the time of another continent ({value}) than the address.',
  },
  address_not_public: {
    axis: 'network',
    class: 'diagnostic',
    severity: 'info',
    weight: 0,
    group: null,
    detail: 'The address is {value} and cannot be a respondent’s own; pass on the respondent’s address.',
  },
} as const satisfies Rules;

const raise = createRaise(networkRules);

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

export function weighNetwork({ facts, pages }: Visit): Signal[] {
  const { address } = facts;
  const signals: Signal[] = [];
  if (address.range !== 'public') raise(signals, 'address_not_public', 0, address.range);
  if (address.network === 'hosting') raise(signals, 'network_hosting');
  if (address.network === 'anonymous') raise(signals, 'network_anonymous');
  if (matchCountry(facts.declaredCountry, address.country) === false)
    raise(signals, 'declared_country_mismatch', undefined, address.country);
  const there = address.country === null ? null : continentOf(address.country);
  const elsewhere = pages.map(({ body }) => body.loc?.zone ?? null).find((zone) => isElsewhere(zone, there));
  if (elsewhere !== undefined) raise(signals, 'clock_country_mismatch', undefined, elsewhere);
  return signals;
}

function isElsewhere(zone: string | null, there: ReturnType<typeof continentOf>): boolean {
  const kept = zone === null ? null : continentOfZone(zone);
  return kept !== null && there !== null && !there.includes(kept);
}

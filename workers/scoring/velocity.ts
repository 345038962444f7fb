/**
 * The velocity axis: many people on one device, address or prefix, and a source that suddenly sends more. Repeats by one person are
 * duplication. A network that honest people share (carrier, campus, household) speaks for the respondent.
 */
import type { CountFacts, NetworkClass } from '../../src/contract/facts.js';
import { clamp, createRaise, rulesOf, type Rules, type Signal } from './model.js';
import type { Visit } from './visit.js';

const bound = rulesOf('velocity', 'bound');
const correlate = rulesOf('velocity', 'correlate');
const burst = rulesOf('velocity', 'correlate', 'burst');
const sharing = rulesOf('velocity', 'exculpatory', 'sharing');

export const velocityRules = {
  device_farm: bound('high', 5, '{value} different respondents used one device within a day.'),
  device_shared_many: correlate('medium', 1.6, '{value} different respondents used one device within a day.'),
  address_burst: burst(
    'medium',
    3,
    '{value} different respondents or devices came from one IP address within an hour.',
  ),
  address_busy: burst('low', 1, '{value} indistinguishable sessions came from one IP address within an hour.'),
  prefix_burst: burst(
    'low',
    1.2,
    '{value} different people came from this network within an hour, far more than usual.',
  ),
  source_burst: burst('low', 1.5, 'The source sent {value} different people this hour, far more than usual.'),
  address_concentrated: burst(
    'medium',
    2.5,
    '{value} different people came from one IP address within an hour, more than usual for its kind.',
  ),
  network_concentrated: burst(
    'medium',
    3,
    '{value} different people came from this network within a day, more than usual for a sample.',
  ),
  network_crowd: burst(
    'medium',
    3,
    '{value} different people came from one IP range within an hour, more than usual for its kind.',
  ),
  hosting_concentrated: burst(
    'medium',
    3,
    '{value} different people came from one hosting network within a day, more than usual for a sample.',
  ),
  range_new_crowd: correlate(
    'medium',
    2.5,
    '{value} different people came within a day from an IP range that had no outcomes before that day.',
  ),
  shared_network_recognised: sharing(
    'info',
    -0.5,
    'Several people share this IP address, which is usual on this kind of network.',
  ),
  household_recognised: sharing(
    'info',
    -0.3,
    'A few people with different devices share this IP address, as in a household.',
  ),
} satisfies Rules;

/** Distinct people per address and hour that are ordinary, by network class; above it weight grows with the logarithm. null: no number is too many. */
const addressUsual: Readonly<Record<NetworkClass | 'unknown', number | null>> = {
  residential: 8,
  hosting: 8,
  business: 30,
  anonymous: 30,
  unknown: 20,
  mobile: null,
  education: null,
};

/**
 * People that chance brings together on one address and on one network (/24, /48) within an hour, and on the network within a day, by network class, and
 * with which power of the sample’s size they grow: all customers of a VPN meet at its exits, neighbors seldom do. null: no number says anything, and
 * neither does one below Infinity: an unknown network may be an office’s or a carrier’s.
 */
const peopleByChance: Readonly<
  Record<
    NetworkClass | 'unknown',
    readonly [address: number, networkHour: number, networkDay: number, growth: number] | null
  >
> = {
  residential: [2.5, 1.5, 3, 0.5],
  hosting: [2, 2, 2, 1],
  anonymous: [6, 4, 8, 1],
  business: [30, 30, 30, 0.5],
  unknown: [3, Infinity, 5, 0.5],
  mobile: null,
  education: null,
};

export const velocityThresholds = {
  peopleByChance,
  /** Times as many as chance brings, from which concentration weighs in full. */
  concentrationFull: 4,
  /** People within a day in a range of whom no outcome was known before: from whom on they weigh, and in full. Offices take up a study together. */
  newRangePeople: [1.5, 6],
  /** People of the source in a usual hour, up to whom chance brings so few together; in larger samples more. */
  sampleUsual: 4,
  addressUsual,
  sharedRespondents: 3,
  farmRespondents: 6,
  deviceWeights: [0, 0, 0, 0.6, 1.1, 1.6],
  /** Likewise on one IPv6 address, which is one device’s whatever the network. */
  hostUsual: 8,
  perDoubling: 1.2,
  baselineHoursMin: 24,
  burstZ: 3,
  perBurstZ: 0.5,
  prefixSessionsMin: 20,
  prefixBurstZ: 5,
  perPrefixZ: 0.2,
  /** Sessions keep to the waking hours, so an hour’s fair share of a day is larger than a 24th. */
  prefixWakingHours: 10,
  /** Variance of a usual hour in addition to that of chance, as a share of its square. */
  usualSpread: 0.25,
  householdMax: 5,
  /** People on one address of a carrier or campus up to whom sharing speaks for them; more says nothing by itself. */
  sharedPeopleMax: 40,
} as const;

const raise = createRaise(velocityRules);

export function weighVelocity({ facts: { measured, counts, address, history } }: Visit): Signal[] {
  const signals: Signal[] = [];
  if (!measured || counts === null) return signals;
  const respondents = counts.deviceRespondentsDay ?? 0;
  if (respondents >= velocityThresholds.farmRespondents) raise(signals, 'device_farm', undefined, respondents);
  else if (respondents >= velocityThresholds.sharedRespondents)
    raise(signals, 'device_shared_many', velocityThresholds.deviceWeights[respondents] ?? 0, respondents);
  weighAddress(counts, address.network, signals);
  weighPrefix(counts, signals);
  // A range has a record from its first outcome on; what came today has not matured at all.
  const isNewRange = history?.range?.n === 0 && address.network !== 'business';
  weighConcentration(counts, { network: address.network, isNewRange }, signals);
  weighSource(counts, signals);
  return signals;
}

/** A sample of this size does not reach these counts by chance; larger samples reach more. */
function weighConcentration(
  counts: CountFacts,
  { network, isNewRange }: { readonly network: NetworkClass | null; readonly isNewRange: boolean },
  signals: Signal[],
): void {
  const byChance = velocityThresholds.peopleByChance[network ?? 'unknown'];
  if (byChance === null) return;
  const [onAddressUsual, inHourUsual, onNetworkUsual, growth] = byChance;
  const { hour = 0, mean = 0, hours = 0 } = counts.source ?? {};
  const usual = hours < velocityThresholds.baselineHoursMin ? hour : mean;
  const size = Math.max(1, usual / velocityThresholds.sampleUsual) ** growth;
  // One person’s several devices are no crowd, and neither is a household.
  const isHome = network === 'residential' && isHousehold(counts);
  const onAddress = isHome ? 0 : (counts.addressRespondentsHour ?? counts.addressDevicesHour ?? 0);
  const inHour = isHome ? 0 : (counts.prefixSessionsHour ?? 0);
  const onNetwork = counts.prefixSessionsDay ?? 0;
  for (const [code, people, chance] of [
    ['address_concentrated', onAddress, onAddressUsual * size],
    ['network_crowd', inHour, inHourUsual * size],
    [network === 'hosting' ? 'hosting_concentrated' : 'network_concentrated', onNetwork, onNetworkUsual * size],
  ] as const) {
    const share = Math.log(people / chance) / Math.log(velocityThresholds.concentrationFull);
    if (people > chance) raise(signals, code, velocityRules[code].weight * Math.min(1, share), people);
  }
  if (isNewRange) weighNewRange(onNetwork, size, signals);
}

function weighNewRange(people: number, size: number, signals: Signal[]): void {
  const [from, full] = velocityThresholds.newRangePeople;
  const share = Math.log(people / (from * size)) / Math.log(full / from);
  if (share > 0) raise(signals, 'range_new_crowd', velocityRules.range_new_crowd.weight * Math.min(1, share), people);
}

function weighAddress(counts: CountFacts, network: NetworkClass | null, signals: Signal[]): void {
  const people = Math.max(counts.addressRespondentsHour ?? 0, counts.addressDevicesHour ?? 0);
  const usual = velocityThresholds.addressUsual[network ?? 'unknown'];
  const { sharedAddressHour: sharedHour = null, sharedAddressDay: sharedDay = null } = counts;
  const burst = Math.max(weighHost(counts), usual === null ? weighOwnPast(sharedHour, sharedDay) : 0);
  if (usual === null) {
    if (burst > 0)
      raise(signals, 'address_burst', burst, Math.max(people, counts.hostPeopleHour ?? 0, sharedHour ?? 0));
    else if (people >= 2 && people <= velocityThresholds.sharedPeopleMax) raise(signals, 'shared_network_recognised');
    return;
  }
  if (people > usual || burst > 0) {
    raise(
      signals,
      'address_burst',
      Math.max(burst, weighDoublings(people, usual)),
      Math.max(people, counts.hostPeopleHour ?? 0),
    );
    return;
  }
  const sessions = counts.addressSessionsHour ?? 0;
  if (people === 0 && sessions > 2 * usual) {
    raise(
      signals,
      'address_busy',
      clamp(
        (velocityThresholds.perDoubling / 2) * Math.log2(sessions / (2 * usual)),
        0,
        velocityRules.address_busy.weight,
      ),
      sessions,
    );
  }
  if (network === 'residential' && isHousehold(counts)) raise(signals, 'household_recognised');
}

/** Each has a device of their own; a farm has more people than devices. */
function isHousehold({ addressRespondentsHour: people, addressDevicesHour: devices }: CountFacts): boolean {
  return (
    people !== null && devices !== null && people >= 2 && people <= velocityThresholds.householdMax && devices >= people
  );
}

function weighPrefix({ prefixSessionsHour: hour, prefixSessionsDay: day }: CountFacts, signals: Signal[]): void {
  const weight = weighOwnPast(hour, day);
  if (weight > 0) raise(signals, 'prefix_burst', weight, hour ?? 0);
}

/** Compares with the own last day, so that a network, and an address of a carrier or a campus, is measured by what it usually sends. */
function weighOwnPast(hour: number | null, day: number | null): number {
  if (hour === null || day === null || hour < velocityThresholds.prefixSessionsMin) return 0;
  const before = Math.max(0, day - hour);
  // A prefix without a past may have just been sent its first invitations.
  if (before < velocityThresholds.prefixSessionsMin) return 0;
  const usual = before / velocityThresholds.prefixWakingHours;
  const z = (hour - usual) / Math.sqrt(usual + usual * usual * velocityThresholds.usualSpread);
  return clamp(
    velocityThresholds.perPrefixZ * (z - velocityThresholds.prefixBurstZ),
    0,
    velocityRules.prefix_burst.weight,
  );
}

/** Many people on one IPv6 address are many on one device. */
function weighHost({ hostPeopleHour = null }: CountFacts): number {
  if (hostPeopleHour === null || hostPeopleHour <= velocityThresholds.hostUsual) return 0;
  return weighDoublings(hostPeopleHour, velocityThresholds.hostUsual);
}

function weighDoublings(people: number, usual: number): number {
  return clamp(velocityThresholds.perDoubling * Math.log2(people / usual), 0, velocityRules.address_burst.weight);
}

function weighSource({ source }: CountFacts, signals: Signal[]): void {
  if (source === null || source.hours < velocityThresholds.baselineHoursMin) return;
  // Counts scatter at least as much as a Poisson variable does, however calm the past was.
  const z = (source.hour - source.mean) / Math.sqrt(Math.max(source.variance, source.mean, 1));
  const weight = clamp(
    velocityThresholds.perBurstZ * (z - velocityThresholds.burstZ),
    0,
    velocityRules.source_burst.weight,
  );
  if (weight > 0) raise(signals, 'source_burst', weight, source.hour);
}

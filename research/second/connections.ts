/**
 * The address of a visit, and what the operator’s databases say of it: country and ASN files nearly complete, the anonymizer file with gaps.
 * Invented where no survey was found: it knows 8 of 10 VPN exits and 3 of 10 homes that proxies rent, and calls some honest homes and carrier
 * addresses proxies, because their addresses were rented out before, or a neighbor’s phone is.
 */
import type { NetworkClass, Relay } from '../../src/contract/facts.js';
import { classifyNetwork, type GeoLocation } from '../../src/scoring/network/geography.js';
import { placeOf, type Country, type Isp } from './places.js';
import { createRandom, weightsIn, type Random } from './random.js';

export interface Connection {
  readonly ip: string;
  readonly location: GeoLocation;
}

const databaseGaps = {
  vpn: 0.8,
  proxy: 0.3,
  hosting: 0.85,
  tor: 0.97,
  homeAsProxy: 0.006,
  natAsProxy: 0.02,
  country: 0.008,
  asn: 0.01,
} as const;

const firstOctets = [
  2, 5, 24, 31, 37, 45, 46, 50, 62, 67, 68, 71, 73, 76, 77, 79, 81, 84, 86, 88, 91, 93, 95, 98, 99, 103, 105, 109, 122,
  136, 152, 157, 172, 174, 177, 179, 187, 189, 191, 197, 201, 212, 217,
];

/** Stable for a name: an address in one of the network’s blocks. */
function addressIn(network: string, name: string, v6 = false): string {
  const random = createRandom(`${network}#${name}`);
  const block = createRandom(`${network}/${random.int(0, 11)}`);
  if (v6)
    return `2${block.hex(1)}0${block.int(0, 9)}:${block.hex(4)}:${block.hex(2)}${random.hex(2)}:${random.hex(4)}::${random.hex(4)}:${random.hex(4)}`.replace(
      /:0+(?=[\da-f])/g,
      ':',
    );
  const first = block.pick(firstOctets);
  const second = first === 172 ? block.int(56, 120) : block.int(32, 250);
  return `${first}.${second}.${random.int(0, 255)}.${random.int(1, 254)}`;
}

interface Host {
  readonly asn: number;
  readonly name: string;
}
const readHost = ([asn, name = '']: string[]): Host => ({ asn: Number(asn), name });

interface Facts {
  readonly country: string;
  readonly asn: number;
  readonly name: string;
  readonly anonymous?: boolean;
  readonly hosting?: boolean;
  readonly relay?: Relay;
}

/** Decided by the address, so that the databases say the same of it each time. */
function locate(ip: string, { country, asn, name, anonymous = false, hosting = false, relay }: Facts): GeoLocation {
  const luck = createRandom(`databases ${ip}`);
  const unknownAsn = luck.chance(databaseGaps.asn);
  const network: NetworkClass | null = classifyNetwork({
    asn: unknownAsn ? null : asn,
    organization: unknownAsn ? null : name,
    anonymous: anonymous || relay !== undefined,
    hosting,
  });
  return {
    country: luck.chance(databaseGaps.country) ? luck.pick([null, 'US', 'NL', 'FR', 'SG']) : country,
    asn: unknownAsn ? null : asn,
    organization: unknownAsn ? null : name,
    network,
    ...(relay === undefined ? {} : { relay }),
  };
}

const connect = (ip: string, facts: Facts): Connection => ({ ip, location: locate(ip, facts) });

/** A line of an access provider. The holder’s name and the lease give the address; strangers share it behind carrier NAT. */
export function accessLine(random: Random, isp: Isp, country: string, holder: string, atMs: number): Connection {
  const lease = Math.floor(atMs / (isp.leaseDays * 86_400_000) + createRandom(holder).unit());
  const network = `${isp.asn}-${country}`;
  const v6 = random.chance(isp.v6);
  const shared = isp.nat > 0 && !v6;
  const name = shared ? `nat ${createRandom(`${holder} ${lease}`).int(1, isp.nat)}` : `${holder} ${lease}`;
  const ip = addressIn(network, name, v6);
  const listed = createRandom(`rented ${ip}`).chance(shared ? databaseGaps.natAsProxy : databaseGaps.homeAsProxy);
  return connect(ip, {
    country,
    asn: isp.asn,
    name: isp.name,
    ...(listed ? { relay: 'residential_proxy' as const } : {}),
  });
}

/** On the move: another place in the carrier’s network each time. */
export const carrierLine = (random: Random, country: Country, isp: Isp): Connection =>
  accessLine(random, isp, country, `mobile ${random.hex(8)}`, 0);

const vpnHosts = weightsIn(
  `
    22 | 9009 | M247
    22 | 212238 | CDNEXT Datacamp Limited
    12 | 147049 | PACKETHUBSA-AS-AP PacketHub S.A.
    9 | 62240 | CLOUVIDER Clouvider Limited
    7 | 11878 | TZULO
    5 | 39351 | ESAB-AS 31173 Services AB
    6 | 62371 | PROTON
    6 | 60781 | LEASEWEB-NL-AMS-01
    4 | 55286 | SERVER-MANIA
    7 | 396356 | LATITUDE-SH`,
  readHost,
);

/** A customer of a VPN keeps to the exits of one city. */
export function vpnExit(random: Random, country: string, customer: Random): Connection {
  const host = customer.weighted(vpnHosts);
  const ip = addressIn(`vpn ${host.asn} ${country}`, `exit ${random.int(1, 60)}`);
  return connect(ip, {
    country,
    ...host,
    anonymous: createRandom(`known ${ip}`).chance(databaseGaps.vpn),
    hosting: true,
  });
}

export function privacyRelay(random: Random, country: string): Connection {
  const [asn, name] = random.weighted([
    [[36183, 'AKAMAI-AS'], 4],
    [[13335, 'CLOUDFLARENET'], 5],
    [[54113, 'FASTLY'], 1],
  ] as const);
  return connect(addressIn(`relay ${asn} ${country}`, `egress ${random.int(1, 900)}`, random.chance(0.6)), {
    country,
    asn,
    name,
  });
}

const universities = [
  'University of Michigan',
  'JANET Jisc Services Limited',
  'DFN Verein zur Foerderung eines Deutschen Forschungsnetzes e.V.',
  'NKN-CORE-NW NKN Core Network',
  'Universidade Federal de Minas Gerais',
  'TENET',
  'STATE-COLLEGE-ISD',
] as const;
const universityAsns = [36375, 786, 680, 55824, 1916, 2018, 32666] as const;
export function campusLine(random: Random, country: Country, campus: Random): Connection {
  const n = ['US', 'GB', 'DE', 'IN', 'BR', 'ZA'].indexOf(country);
  const at = country === 'US' && campus.chance(0.2) ? 6 : n;
  return connect(addressIn(`campus ${country} ${campus.int(1, 9)}`, `nat ${random.int(1, 6)}`), {
    country,
    asn: universityAsns[at]!,
    name: universities[at]!,
  });
}

/** At work: the company’s own line, a security gateway that may stand in another country, or a desktop in a cloud. */
export function officeLine(random: Random, country: Country, office: Random): Connection {
  const way = office.weighted([
    ['own', 62],
    ['gateway', 28],
    ['cloud', 10],
  ] as const);
  const company = office.hex(6);
  const exit = office.chance(0.12) && country !== 'US' ? office.pick(['DE', 'NL', 'IE']) : country;
  if (way === 'gateway')
    return connect(addressIn(`gateway ${exit}`, `node ${random.int(1, 40)}`), {
      country: exit,
      asn: office.pick([22616, 53813]),
      name: 'ZSCALER-INC',
    });
  if (way === 'cloud')
    return connect(addressIn(`azure ${exit}`, company), {
      country: exit,
      asn: 8075,
      name: 'MICROSOFT-CORP-MSN-AS-BLOCK',
      hosting: true,
    });
  return connect(addressIn(`company ${company}`, `nat ${random.int(1, 2)}`), {
    country,
    asn: office.int(10_000, 64_000),
    name: office.pick([
      'Meridian Health Partners',
      'City of Fairview',
      'Northgate Logistics Inc.',
      'LUMEN Business Services',
      'Stadtwerke Beispielstadt',
      'Colt Technology Services',
    ]),
  });
}

const hosts = weightsIn(
  `
    20 | 16509 | AMAZON-02
    14 | 14061 | DIGITALOCEAN-ASN
    10 | 24940 | HETZNER-AS
    11 | 16276 | OVH
    8 | 20473 | AS-VULTR
    9 | 36352 | AS-COLOCROSSING
    7 | 51167 | CONTABO
    6 | 8100 | ASN-QUADRANET-GLOBAL
    5 | 44477 | STARK INDUSTRIES SOLUTIONS LTD
    5 | 399486 | 12651980 CANADA INC.
    5 | 46664 | VOLUMEDRIVE`,
  readHost,
);
export function hostedLine(country: string, tenant: Random, server: number): Connection {
  const host = tenant.stream('host').weighted(hosts);
  const ip = addressIn(`hosting ${host.asn} ${country}`, `${tenant.stream('tenant').hex(8)} ${server}`);
  return connect(ip, { country, ...host, hosting: createRandom(`known ${ip}`).chance(databaseGaps.hosting) });
}

export const torExit = (random: Random): Connection => {
  const ip = addressIn('tor', `exit ${random.int(1, 400)}`);
  const known = createRandom(`known ${ip}`).chance(databaseGaps.tor);
  return connect(ip, {
    country: random.pick(['DE', 'NL', 'US', 'RO']),
    asn: 60729,
    name: 'TORSERVERS-NET',
    ...(known ? { relay: 'tor' as const } : {}),
  });
};

/** A home that a proxy rents: the pool of a country has some hundreds that come up again, for whoever rents. */
export function rentedHome(random: Random, country: Country, sticky?: string): Connection {
  const { fixed, mobile } = placeOf(country);
  const slot = sticky === undefined ? random.int(1, 700) : createRandom(sticky).int(1, 700);
  const home = createRandom(`rented ${country} ${slot}`);
  const isp = home.chance(0.2) ? home.weighted(mobile) : home.weighted(fixed);
  const ip = addressIn(
    `${isp.asn}-${country}`,
    isp.nat > 0 ? `nat ${home.int(1, isp.nat)}` : `home ${slot}`,
    home.chance(isp.v6 / 4),
  );
  const known = createRandom(`known ${ip}`).chance(databaseGaps.proxy);
  return connect(ip, {
    country,
    asn: isp.asn,
    name: isp.name,
    ...(known ? { relay: 'residential_proxy' as const } : {}),
  });
}

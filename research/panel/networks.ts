/**
 * Networks of simulated traffic and who sits behind their addresses. Names and numbers are read by the service’s own classification, which
 * knows some of them, misreads some and has never heard of others, as with the real registries.
 */
import type { GeoLocation } from '../../src/scoring/network/geography.js';
import { classifyNetwork } from '../../src/scoring/network/geography.js';
import type { Draw } from './draw.js';

export type NetworkKind = 'home' | 'carrier' | 'campus' | 'office' | 'vpn' | 'hosting';

export interface Network {
  readonly kind: NetworkKind;
  readonly country: string;
  readonly asn: number;
  readonly organization: string;
  /** Its place among all networks; its IPv4 addresses lie in one /16. */
  readonly index: number;
}

export interface Address {
  readonly ip: string;
  readonly network: Network;
}

/** The countries of studies, with what people there have set. */
export const countries = {
  US: { zones: ['America/New_York', 'America/Chicago', 'America/Los_Angeles'], language: 'en-US', offset: 300 },
  GB: { zones: ['Europe/London'], language: 'en-GB', offset: 0 },
  DE: { zones: ['Europe/Berlin'], language: 'de-DE', offset: -60 },
} as const;
/** Countries of people who claim to be in one of those. */
export const farCountries = {
  IN: { zones: ['Asia/Kolkata'], language: 'en-IN', offset: -330 },
  NG: { zones: ['Africa/Lagos'], language: 'en-NG', offset: -60 },
  VE: { zones: ['America/Caracas'], language: 'es-VE', offset: 240 },
  BD: { zones: ['Asia/Dhaka'], language: 'bn-BD', offset: -360 },
  VN: { zones: ['Asia/Ho_Chi_Minh'], language: 'vi-VN', offset: -420 },
} as const;
export type Country = keyof typeof countries;
export type FarCountry = keyof typeof farCountries;

/** Country, number, organization. Numbers from 64496 on are documentation’s: the service has to read the name. */
const registry: Readonly<Record<NetworkKind, readonly (readonly [string, number, string])[]>> = {
  home: [
    ['US', 7922, 'COMCAST-7922'],
    ['US', 701, 'UUNET'],
    ['US', 64_501, 'Prairie Fiber Broadband LLC'],
    ['US', 64_502, 'Midvale Electric Cooperative'],
    ['GB', 2856, 'BT-UK-AS'],
    ['GB', 5607, 'Sky UK Limited'],
    ['GB', 64_503, 'Northdale Networks Ltd'],
    ['DE', 3320, 'Deutsche Telekom AG'],
    ['DE', 3209, 'Vodafone GmbH'],
    ['DE', 64_504, 'Stadtwerke Beispielstadt'],
    ['IN', 64_505, 'Bharat Broadband Network'],
    ['NG', 64_506, 'Lagos Metro Telecom'],
    ['VE', 64_507, 'Andes Cable'],
    ['BD', 64_508, 'Dhaka Link Internet Service'],
    ['VN', 64_509, 'Saigon Post'],
  ],
  carrier: [
    ['US', 21_928, 'T-MOBILE-AS21928'],
    ['US', 22_394, 'CELLCO'],
    ['GB', 12_576, 'EE Limited'],
    ['DE', 64_510, 'Beispiel Mobile GmbH'],
    // Sold under the number of the fixed network.
    ['DE', 3320, 'Deutsche Telekom AG'],
  ],
  campus: [
    ['US', 64_511, 'State University of Lakeland'],
    ['GB', 786, 'Jisc Services Limited'],
    ['DE', 680, 'DFN'],
  ],
  office: [
    ['US', 22_616, 'ZSCALER-SJC1'],
    ['GB', 64_512, 'Barrow Insurance plc'],
    ['DE', 64_513, 'Muster Maschinenbau'],
  ],
  vpn: [
    ['US', 9009, 'M247'],
    ['US', 212_238, 'Datacamp Limited'],
    ['US', 64_514, 'Harbor VPN Inc'],
    ['GB', 9009, 'M247'],
    ['GB', 64_515, 'Quiet Proxy Services'],
    ['DE', 212_238, 'Datacamp Limited'],
    ['DE', 60_068, 'CDN77'],
    ['US', 13_335, 'CLOUDFLARENET'],
    ['DE', 39_351, '31173 Services AB'],
  ],
  hosting: [
    ['US', 16_509, 'AMAZON-02'],
    ['US', 14_061, 'DIGITALOCEAN-ASN'],
    ['US', 20_473, 'AS-VULTR'],
    ['US', 64_516, 'Ridgeline Virtual Servers'],
    ['US', 64_517, 'GZ Systems'],
    ['GB', 16_276, 'OVH SAS'],
    ['GB', 64_518, 'Tideway Hosting'],
    ['DE', 24_940, 'Hetzner Online GmbH'],
    ['DE', 51_167, 'Contabo GmbH'],
    ['DE', 64_519, 'Nordkap IT'],
  ],
};

const firstOctets = [23, 31, 45, 62, 77, 80, 86, 91, 109, 151, 188, 213];

export const networks: readonly Network[] = (Object.keys(registry) as NetworkKind[])
  .flatMap((kind) => registry[kind].map(([country, asn, organization]) => ({ kind, country, asn, organization })))
  .map((network, index) => ({ ...network, index }));

export const networksOf = (kind: NetworkKind, country?: string): readonly Network[] =>
  networks.filter((network) => network.kind === kind && (country === undefined || network.country === country));

/** The network’s /16, for whoever writes a database of it. */
export const rangesOf = ({ index }: Network): readonly string[] => [
  `${firstOctets[index % firstOctets.length]}.${40 + index}.0.0/16`,
  `2a${(16 + index).toString(16)}:${(index + 1).toString(16)}00::/32`,
];

/** The address number `n` of a network. */
export function addressAt(network: Network, n: number): Address {
  const { index } = network;
  return {
    network,
    ip: `${firstOctets[index % firstOctets.length]}.${40 + index}.${(n >>> 8) & 255}.${1 + ((n & 255) % 254)}`,
  };
}

/** A home or a phone of its own on IPv6: a /48 for homes, a /64 for phones. */
export function address6At(network: Network, n: number, draw: Draw): Address {
  const { index } = network;
  const prefix = `2a${(16 + index).toString(16)}:${(index + 1).toString(16)}00:${(n & 0xffff).toString(16)}:${network.kind === 'carrier' ? ((n >>> 3) & 0xff).toString(16) : '0'}`;
  return { network, ip: `${prefix}:${draw.hex(3)}1:${draw.hex(3)}1:${draw.hex(3)}1:${draw.hex(3)}1` };
}

/** The entry of databases for an address. `countryError`: the country that a database has wrong; most are right. */
export function locate({ network }: Address, countryError: string | null = null): GeoLocation {
  const { asn, organization, country } = network;
  return {
    country: countryError ?? country,
    asn,
    organization,
    network: classifyNetwork({ asn, organization, anonymous: false }),
  };
}

/**
 * Reads the respondent’s address: one canonical text per address, IPv4 also where it came mapped into IPv6, and no lenient readings (octal,
 * hexadecimal, short forms, ports, zones). null for anything else; never throws.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { AddressFacts } from '../contract/facts.js';

export type AddressRange = AddressFacts['range'];

export interface Address {
  /** Canonical: dotted decimal, or RFC 5952 for IPv6. */
  readonly text: string;
  readonly family: AddressFacts['family'];
  readonly range: AddressRange;
  /** The location of one household or device: the address itself, or for IPv6 its /64, inside which devices change their address at will. */
  readonly place: string;
  /** The network that neighbors share: /24 for IPv4, /48 for IPv6, in canonical CIDR form. */
  readonly prefix: string;
  /** The address is that of a trusted proxy whose headers name different clients: limits hold for it, although it is nobody’s own. */
  readonly isDisputed?: true;
}

/** Longest text that can be an address: IPv6 with a dotted-quad tail. */
const addressLengthMax = 45;

/** ipaddr.js’s names of ranges that are not globally routed. Carrier NAT’s inner range counts as private: seen here, it is a proxy’s mistake. */
const rangeByName: Readonly<Record<string, AddressRange>> = {
  loopback: 'loopback',
  private: 'private',
  carrierGradeNat: 'private',
  linkLocal: 'private',
  uniqueLocal: 'private',
  deprecatedSiteLocal: 'private',
  unicast: 'public',
  // Transition mechanisms: routed, and a respondent may sit behind them, where the IPv4 address inside is one that it can have.
  '6to4': 'public',
  teredo: 'public',
};

/** Parses one address; null where the text is not exactly one address. */
export function parseAddress(text: string): Address | null {
  if (text.length > addressLengthMax || text.includes('%')) return null;
  switch (isIP(text)) {
    case 4:
      return describeIPv4(ipaddr.IPv4.parse(text));
    case 6: {
      const parsed = ipaddr.IPv6.parse(formatTailInHex(text));
      return parsed.isIPv4MappedAddress() ? describeIPv4(parsed.toIPv4Address()) : describeIPv6(parsed);
    }
    default:
      return null;
  }
}

/** ipaddr.js reads `::8.8.8.8` as the mapped `::ffff:8.8.8.8`, which are two addresses; in hexadecimal it reads them rightly. */
function formatTailInHex(text: string): string {
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a: string, b: string, c: string, d: string) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  );
}

function describeIPv4(parsed: ipaddr.IPv4): Address {
  const [first, second, third] = parsed.octets;
  return {
    text: parsed.toString(),
    place: parsed.toString(),
    family: 4,
    range: rangeByName[parsed.range()] ?? 'reserved',
    prefix: `${first}.${second}.${third}.0/24`,
  };
}

/** Range of the IPv4 address that a transition mechanism carries, where that is none of the public internet; else null. */
function innerRange({ parts }: ipaddr.IPv6): AddressRange | null {
  const inner = innerIPv4(parts);
  if (inner === null) return null;
  const range = rangeByName[new ipaddr.IPv4(inner.flatMap((part) => [part >> 8, part & 0xff])).range()] ?? 'reserved';
  return range === 'public' ? null : range;
}

/** Returns two groups of 16 bits. Teredo inverts every bit of its client’s address. */
function innerIPv4(parts: readonly number[]): number[] | null {
  const [first = 0, second = 0, third = 0] = parts;
  if (first === 0x2002) return [second, third];
  if (first === 0x2001 && second === 0) return parts.slice(6).map((part) => ~part & 0xffff);
  const isTranslated = first === 0x64 && second === 0xff9b && parts.slice(2, 6).every((part) => part === 0);
  return isTranslated ? parts.slice(6) : null;
}

function describeIPv6(parsed: ipaddr.IPv6): Address {
  const named = innerRange(parsed) ?? rangeByName[parsed.range()] ?? 'reserved';
  // Only 2000::/3 has been handed out as global unicast; the rest of the "unicast" space belongs to nobody.
  const allotted = ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
  const network = (groups: number): string =>
    new ipaddr.IPv6([...parsed.parts.slice(0, groups), ...Array<number>(8 - groups).fill(0)]).toRFC5952String();
  return {
    text: parsed.toRFC5952String(),
    family: 6,
    range: named === 'public' && !allotted ? 'reserved' : named,
    place: `${network(4)}/64`,
    prefix: `${network(3)}/48`,
  };
}

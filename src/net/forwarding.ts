/**
 * Finds the source of a request: the address of the connection, unless it is that of a proxy that the operator trusts. Then the forwarding
 * header is read from its end, past other trusted proxies, to the first address that is none. Entries that a client wrote before it are never believed.
 *
 *     X-Forwarded-For: 198.51.100.1, 203.0.113.9, 10.0.0.2     connection: 10.0.0.3     trusted: 10.0.0.0/8
 *                      made up       the client ◀──────────────────────────
 *
 * An entry that is no address ends the walk at the proxy that wrote it. If both headers are there and name different clients, neither is
 * believed: a proxy that writes one of them passes on the other as the client sent it. Such calls count under the proxy’s address, with the
 * limits of a client’s, so that a header that anybody can add lifts no limit. Never throws.
 */
import { BlockList } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { parseAddress, type Address } from './address.js';

/** An address or a CIDR, in canonical form. */
export interface Network {
  readonly address: Address;
  readonly prefixLength: number;
}

export interface Forwarded {
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export interface Client {
  /** null for a connection that is gone. */
  readonly address: Address | null;
  /** Why a forwarding header was not believed, or not to its end; null if none came, or it was. */
  readonly ignored: 'untrusted' | 'malformed' | 'contradictory' | null;
}

export type FindClient = (request: Forwarded) => Client;

/** null for what is no network; for one of all addresses, too, which would let every caller choose its own. */
export function parseNetwork(text: string): Network | null {
  const [, host = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (address === null) return null;
  const bits = address.family === 4 ? 32 : 128;
  const prefixLength = length === undefined ? bits : Number(length);
  // Mapped into IPv6, the length would count from another start.
  const isMapped = address.family === 4 && host.includes(':') && length !== undefined;
  return prefixLength === 0 || prefixLength > bits || isMapped ? null : { address, prefixLength };
}

export const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;

export function createFindClient(trusted: readonly Network[]): FindClient {
  const list = new BlockList();
  for (const { address, prefixLength } of trusted)
    list.addSubnet(address.text, prefixLength, address.family === 4 ? 'ipv4' : 'ipv6');
  const isTrusted = ({ text, family }: Address): boolean => list.check(text, family === 4 ? 'ipv4' : 'ipv6');

  /** From the connection’s end on. */
  function walk(peer: Address, hops: readonly (string | null)[]): Client {
    let address = peer;
    for (const hop of hops.toReversed()) {
      if (!isTrusted(address)) break;
      const next = hop === null ? null : parseHop(hop);
      if (next === null) return { address, ignored: 'malformed' };
      address = next;
    }
    return { address, ignored: null };
  }

  return ({ remoteAddress, headers }) => {
    const peer = parseAddress((remoteAddress ?? '').replace(/%.*$/, ''));
    if (peer === null || !isForwarded(headers)) return { address: peer, ignored: null };
    if (!isTrusted(peer)) return { address: peer, ignored: 'untrusted' };
    const { 'x-forwarded-for': list, forwarded } = headers;
    const found = [
      ...(list === undefined ? [] : [walk(peer, [list].flat().join(',').split(','))]),
      ...(forwarded === undefined ? [] : [walk(peer, readForwarded(forwarded))]),
    ];
    const [first = { address: peer, ignored: null }, second = first] = found;
    return first.address?.text === second.address?.text
      ? first
      : { address: { ...peer, isDisputed: true }, ignored: 'contradictory' };
  };
}

/** An address, also with a port behind it, and IPv6 in brackets then. */
function parseHop(text: string): Address | null {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text.trim()) ?? [];
  return parseAddress(bracketed ?? dotted ?? text.trim());
}

// Each takes one pass: a long header of a client must not cost time with the square of its length.
const closedQuotes = /^(?:[^"]|"(?:[^"\\]|\\.)*")*$/s;
const outsideQuotes = (separator: ',' | ';'): RegExp => new RegExp(`(?:"(?:[^"\\\\]|\\\\.)*"|[^"${separator}])+`, 'gs');
const elements = outsideQuotes(',');
const pairs = outsideQuotes(';');

/** The `for` of each element of RFC 7239; null of one without, and of a header that is none. */
function readForwarded(header: string): readonly (string | null)[] {
  if (!closedQuotes.test(header)) return [null];
  return (header.match(elements) ?? ['']).map((element) => {
    const [value, ...more] = (element.match(pairs) ?? []).flatMap(
      (pair) => /^for\s*=(.*)$/is.exec(pair.trim())?.[1]?.trim() ?? [],
    );
    return value === undefined || more.length > 0 ? null : value.replace(/^"(.*)"$/, '$1');
  });
}

/**
 * Decides to which addresses our requests to a customer’s server may go: those of the public internet, and nothing else. Refused are all that
 * reach into a network of somebody’s own, all that carry another address inside (mapped, translated, tunnelled), and all that are set aside.
 *
 * IPv4 is allowed except for the blocks below; IPv6 only within 2000::/3, the one block that is handed out, except for those below. A text
 * that is no address is refused too. The blocks are those of the IANA special-purpose registries.
 */
import { BlockList, isIP } from 'node:net';
import { parse } from 'tldts';

const refusedIPv4: readonly (readonly [cidr: string, kind: string])[] = [
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'private (carrier NAT)'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'a service of a cloud’s own (Azure)'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved for documentation'],
  ['192.31.196.0/24', 'reserved'],
  ['192.52.193.0/24', 'reserved'],
  ['192.88.99.0/24', 'a 6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'reserved'],
  ['198.18.0.0/15', 'reserved for benchmarks'],
  ['198.51.100.0/24', 'reserved for documentation'],
  ['203.0.113.0/24', 'reserved for documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
];

/** Within 2000::/3, and outside of it where the kind is worth telling. */
const refusedIPv6: readonly (readonly [cidr: string, kind: string])[] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::ffff:0:0/96', 'an IPv4 address mapped into IPv6'],
  ['64:ff9b::/96', 'an IPv4 address translated by NAT64'],
  ['64:ff9b:1::/48', 'an IPv4 address translated by NAT64'],
  ['2001::/32', 'a Teredo tunnel'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'reserved for documentation'],
  ['2002::/16', 'a 6to4 tunnel'],
  ['2620:4f:8000::/48', 'reserved'],
  ['3fff::/20', 'reserved for documentation'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private (site-local)'],
  ['ff00::/8', 'multicast'],
];

export type AddressVerdict = { readonly allowed: true } | { readonly allowed: false; readonly kind: string };

export type ClassifyTarget = (address: string) => AddressVerdict;

/** Built once and handed around; decides one address in microseconds. */
export function createTargetClassifier(): ClassifyTarget {
  const blocks4 = blocksOf(refusedIPv4, 'ipv4');
  const blocks6 = blocksOf(refusedIPv6, 'ipv6');
  const handedOut = new BlockList();
  handedOut.addSubnet('2000::', 3, 'ipv6');

  return (address) => {
    const family = address.includes('%') ? 0 : isIP(address);
    if (family === 4) return verdictOf(blocks4, address, 'ipv4');
    if (family !== 6) return { allowed: false, kind: 'no address' };
    const verdict = verdictOf(blocks6, address, 'ipv6');
    if (!verdict.allowed || handedOut.check(address, 'ipv6')) return verdict;
    return { allowed: false, kind: 'reserved' };
  };
}

type Blocks = readonly { readonly list: BlockList; readonly kind: string }[];

function blocksOf(refused: readonly (readonly [cidr: string, kind: string])[], family: 'ipv4' | 'ipv6'): Blocks {
  return refused.map(([cidr, kind]) => {
    const [network = '', bits = ''] = cidr.split('/');
    const list = new BlockList();
    list.addSubnet(network, Number(bits), family);
    return { list, kind };
  });
}

function verdictOf(blocks: Blocks, address: string, family: 'ipv4' | 'ipv6'): AddressVerdict {
  const hit = blocks.find(({ list }) => list.check(address, family));
  return hit === undefined ? { allowed: true } : { allowed: false, kind: hit.kind };
}

export interface TargetRules {
  readonly classify: ClassifyTarget;
  /** Plain HTTP, any port and private targets; for development only. */
  readonly allowPrivate: boolean;
  /** Whether an objection may name the setting that allows plain HTTP. */
  readonly isDevelopment?: boolean;
}

/** Ports where web servers listen for TLS. Others belong to other protocols as often as not. */
const ports: readonly string[] = ['443', '8443'];
/** Names below public top-level domains that are never public. */
const innerNames = /(?:^|\.)(?:home\.arpa|onion)$/;

/** Describes the fault of a target’s address, as the end of a sentence; null if it has none. Its name is resolved when connecting. */
export function objectionTo(
  text: string,
  { classify, allowPrivate, isDevelopment = false }: TargetRules,
): string | null {
  if (!URL.canParse(text)) return 'must be an absolute URL, such as https://example.com/hooks.';
  const url = new URL(text);
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol))
    return isDevelopment && url.protocol === 'http:'
      ? 'must start with https://. For a receiver on this machine, start the service with VH_WEBHOOK_ALLOW_PRIVATE=on.'
      : 'must start with https://.';
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or password. Check the request’s signature instead.';
  if (url.hash !== '') return 'must not have a fragment (#...).';
  if (allowPrivate) return null;
  if (url.port !== '' && !ports.includes(url.port)) return `must use port ${ports.join(' or ')}, not ${url.port}.`;
  return objectionToHost(hostOf(url), classify);
}

/** Without the brackets of an IPv6 address and the dot that may end a name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

function objectionToHost(host: string, classify: ClassifyTarget): string | null {
  if (isIP(host) !== 0) {
    const verdict = classify(host);
    return verdict.allowed ? null : `must be on the public internet; ${host} is ${verdict.kind}.`;
  }
  // A name without a top-level domain of the internet (.svc, .internal, .corp) has a meaning inside of a network only.
  if (!host.includes('.') || parse(host).isIcann !== true || innerNames.test(host))
    return `must be on the public internet; ${host} is a private name.`;
  return null;
}

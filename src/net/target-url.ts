/**
 * Whether an address may be registered as the target of our requests. Checks that need its name resolved happen when connecting
 * (guarded-connect.ts). This one refuses early what can never be right, with a sentence that says why.
 */
import { isIP } from 'node:net';
import type { ClassifyTarget } from './target-address.js';

export interface TargetRules {
  readonly classify: ClassifyTarget;
  /** Plain HTTP, any port and private targets; for development only. */
  readonly allowPrivate: boolean;
}

/** Ports where web servers listen for TLS. Others belong to other protocols as often as not. */
const ports: readonly string[] = ['443', '8443'];
/** Names that are never public. */
const innerNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa|localdomain|test|invalid|onion)$/;

/** What is wrong with the address, as the end of a sentence that starts with its name; null where nothing is. */
export function objectionTo(text: string, { classify, allowPrivate }: TargetRules): string | null {
  if (!URL.canParse(text)) return 'must be an absolute URL, such as https://example.com/hooks.';
  const url = new URL(text);
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) return 'must start with https://.';
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or password; check the signature of the request instead.';
  if (url.hash !== '') return 'must not have a fragment (#...): it is never sent.';
  if (allowPrivate) return null;
  if (url.port !== '' && !ports.includes(url.port)) return `must use port ${ports.join(' or ')}, not ${url.port}.`;
  return objectionToHost(hostOf(url), classify);
}

/** Without the brackets of an IPv6 address and the dot that may end a name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

function objectionToHost(host: string, classify: ClassifyTarget): string | null {
  if (isIP(host) !== 0) {
    const verdict = classify(host);
    return verdict.allowed ? null : `must name a server on the public internet; ${host} is ${verdict.kind}.`;
  }
  if (!host.includes('.') || innerNames.test(host))
    return `must name a server on the public internet; ${host} is a name of an inner network.`;
  return null;
}

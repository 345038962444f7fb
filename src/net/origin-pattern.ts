/**
 * Allowed-origin patterns: which pages may use a project. Four forms:
 *
 *     https://host[:port]   that scheme, host and port
 *     host[:port]           that host and port, any scheme
 *     *.domain              every subdomain, at any depth, any scheme; never the domain itself
 *     localhost:*           localhost on any port, any scheme
 *
 * Without a port, the scheme’s default port alone matches. Hosts are compared in lower-case ASCII: capitals and international names
 * in a pattern are normalised (`bücher.example` becomes `xn--bcher-kva.example`). A pattern of another form is refused with a
 * sentence that says what to write. Matching never throws: an origin that a browser would not send matches nothing.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { getPublicSuffix } from 'tldts';
import type { Issue } from '../errors.js';

export interface OriginPattern {
  /** The pattern in canonical form; two texts that mean the same have the same canonical form. */
  readonly text: string;
  readonly kind: 'host' | 'subdomains' | 'localhost';
  /** null: any. */
  readonly scheme: string | null;
  readonly host: string;
  /** null: the default of the origin’s scheme. */
  readonly port: number | null;
}

export type ParsedOriginPattern =
  | { readonly ok: true; readonly pattern: OriginPattern }
  | { readonly ok: false; readonly problem: string };

type Part<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

const textLengthMax = 300;
const hostLengthMax = 253;
const defaultPorts: ReadonlyMap<string, number> = new Map([
  ['http', 80],
  ['https', 443],
]);
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const hostName = new RegExp(`^${label}(?:\\.${label})*$`);
const originForm = /^([a-z][a-z0-9+.-]{0,30}):\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?$/;

const refuse = (problem: string) => ({ ok: false, problem }) as const;

/** Reads one pattern; `problem` is a sentence for the person who wrote it. */
export function parseOriginPattern(text: string): ParsedOriginPattern {
  if (text.length === 0 || text.length > textLengthMax)
    return refuse(`A pattern has 1 to ${textLengthMax} characters.`);
  if (/[\s\p{Cc}\p{Cf}]/u.test(text)) return refuse('A pattern has no spaces, line breaks or invisible characters.');
  if (text.toLowerCase() === 'null')
    return refuse('null is the origin of sandboxed frames and local files, so it can’t be allowed. Use a real origin.');
  const [, schemePart, rest = ''] = /^(?:([^/]*):\/\/)?(.*)$/su.exec(text) ?? [];
  const scheme = schemePart?.toLowerCase() ?? null;
  if (scheme !== null && !defaultPorts.has(scheme))
    return refuse('A scheme is https or http; leave it away to match any.');
  if (rest.includes('@')) return refuse('A pattern has no user name or password; write the host alone.');
  if (/[/\\]$/.test(rest)) return refuse('Leave the trailing slash away; an origin ends after the host or port.');
  if (/[/\\?#]/.test(rest))
    return refuse('An origin has no path, query or fragment; end the pattern after the host or port.');
  return rest.includes('*') ? parseWildcard(rest, scheme) : parseHost(rest, scheme);
}

function parseWildcard(rest: string, scheme: string | null): ParsedOriginPattern {
  if (scheme !== null)
    return refuse('A wildcard takes no scheme; write *.example.com, or one https:// pattern for each host.');
  if (rest.toLowerCase() === 'localhost:*')
    return {
      ok: true,
      pattern: { text: 'localhost:*', kind: 'localhost', scheme: null, host: 'localhost', port: null },
    };
  if (rest.endsWith(':*'))
    return refuse('Only localhost takes a wildcard for the port; name the port of any other host.');
  if (!rest.startsWith('*.') || rest.indexOf('*', 1) !== -1) {
    return refuse('A wildcard stands alone as the first label, as in *.example.com; list other hosts one by one.');
  }
  if (/:\d*$/.test(rest) && !rest.endsWith(']'))
    return refuse('A wildcard pattern takes no port; list the hosts that use another port one by one.');
  const domain = parseHostName(rest.slice(2));
  if (!domain.ok) return domain;
  if (domain.value.startsWith('[') || isIPv4(domain.value))
    return refuse('An address has no subdomains; write the address without a wildcard.');
  if (isSharedSuffix(domain.value)) {
    return refuse(
      `${domain.value} is a public suffix. Use a wildcard under your own domain, such as *.yours.${domain.value}.`,
    );
  }
  return {
    ok: true,
    pattern: { text: `*.${domain.value}`, kind: 'subdomains', scheme: null, host: domain.value, port: null },
  };
}

function parseHost(rest: string, scheme: string | null): ParsedOriginPattern {
  const [, name = '', portText] = /^(\[.*\]|[^:]*)(?::(.*))?$/su.exec(rest) ?? [];
  if (name === '') return refuse('The host is missing; write it as in https://survey.example.com.');
  const host = parseHostName(name);
  if (!host.ok) return host;
  const port = parsePort(portText);
  if (!port.ok) return port;
  const effective = scheme !== null && port.value === defaultPorts.get(scheme) ? null : port.value;
  const text = `${scheme === null ? '' : `${scheme}://`}${host.value}${effective === null ? '' : `:${effective}`}`;
  return { ok: true, pattern: { text, kind: 'host', scheme, host: host.value, port: effective } };
}

function parsePort(text: string | undefined): Part<number | null> {
  if (text === undefined) return { ok: true, value: null };
  if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > 65_535) return refuse('A port is a number from 1 to 65535.');
  return { ok: true, value: Number(text) };
}

/** A host in the form that browsers send it in. */
function parseHostName(text: string): Part<string> {
  if (text.startsWith('[')) return parseIPv6(text);
  if (text.endsWith('.')) return refuse('Leave the dot at the end of the host away.');
  const lower = text.toLowerCase().normalize('NFC');
  const host = domainToASCII(lower);
  if (host === '' || host.length > hostLengthMax || !hostName.test(host))
    return refuse(`${JSON.stringify(text)} is not a host name.`);
  // Letters that merely look like others (full-width, ligatures) turn into plain ones here: the writer would allow a host they did not see.
  const unchanged = lower === host || domainToUnicode(host) === lower;
  if (!unchanged) return refuse(`Browsers write this host as ${host}; use that.`);
  return { ok: true, value: host };
}

function parseIPv6(text: string): Part<string> {
  const address = text.slice(1, -1);
  if (!text.endsWith(']') || !isIPv6(address) || address.includes('%'))
    return refuse(`${JSON.stringify(text)} is not an IPv6 address in brackets.`);
  return { ok: true, value: new URL(`http://${text}`).hostname };
}

/** The pattern by which a page of this origin (the header’s value) may use the project; null where none lets it. */
export function findOriginPattern(origin: string, patterns: readonly OriginPattern[]): OriginPattern | null {
  if (patterns.length === 0 || origin.length > textLengthMax) return null;
  const [, scheme, host, portText] = originForm.exec(origin) ?? [];
  if (scheme === undefined || host === undefined) return null;
  if (!host.startsWith('[') && !hostName.test(host)) return null;
  const port = portText === undefined || Number(portText) === defaultPorts.get(scheme) ? null : Number(portText);
  if (port !== null && port > 65_535) return null;
  return patterns.find((pattern) => matchOne(pattern, scheme, host, port)) ?? null;
}

/** Whether a page of this origin may use the project. */
export const originMatches = (origin: string, patterns: readonly OriginPattern[]): boolean =>
  findOriginPattern(origin, patterns) !== null;

function matchOne(pattern: OriginPattern, scheme: string, host: string, port: number | null): boolean {
  switch (pattern.kind) {
    case 'localhost':
      return host === 'localhost';
    case 'subdomains':
      return port === null && host.endsWith(`.${pattern.host}`);
    case 'host': {
      if (host !== pattern.host || (pattern.scheme !== null && pattern.scheme !== scheme)) return false;
      const wanted = pattern.port === defaultPorts.get(scheme) ? null : pattern.port;
      return wanted === port;
    }
  }
}

/** Clouds that hand out names at several depths, by region and service. */
const families = ['amazonaws.com', 'on.aws', 'azure.com', 'windows.net', 'github.dev', 'gitpod.io'];

/** Services whose customers get names directly under these domains, although the public suffix list does not have them. */
const unlisted =
  'netlify.com railway.app glitch.me stackblitz.io webcontainer.io codesandbox.io squarespace.com weebly.com wordpress.com super.site ' +
  'b-cdn.net googleusercontent.com tumblr.com neocities.org gradio.live localhost.run lhr.rocks pinggy.link bore.pub loca.lt serveo.net devtunnels.ms lhr.life nip.io sslip.io xip.io';

const options = {
  allowPrivateDomains: true,
  extractHostname: false,
  validateHostname: false,
  detectIp: false,
  extraSuffixes: { private: unlisted.split(' ') },
};
const isSuffix = (domain: string): boolean => getPublicSuffix(domain, options) === domain;

/** Whether strangers get names directly under this domain, so that a wildcard would allow everybody. Any single label counts. */
export function isSharedSuffix(domain: string): boolean {
  // Under the parent of a wildcard rule (*.compute.example), each name is a suffix and the parent may not be.
  if (isSuffix(domain) || isSuffix(`any.${domain}`)) return true;
  return families.some((family) => `.${domain}`.endsWith(`.${family}`));
}

export interface ReadOrigins {
  readonly patterns: string[];
  /** One for each pattern at fault, under `path`; its message says what to write. */
  readonly issues: readonly Issue[];
}

/** Checks a list of patterns as a caller wrote it: each is put in canonical form and kept once. */
export function readOrigins(texts: readonly string[], path: string): ReadOrigins {
  const patterns = new Set<string>();
  const issues: Issue[] = [];
  for (const [index, text] of texts.entries()) {
    const parsed = parseOriginPattern(text);
    if (parsed.ok) patterns.add(parsed.pattern.text);
    else issues.push({ path: `${path}/${index}`, message: parsed.problem });
  }
  return { patterns: [...patterns], issues };
}

/** Whether two lists allow the same, whatever their order and form. */
export function sameOrigins(a: readonly string[], b: readonly string[]): boolean {
  const canonical = (texts: readonly string[]): string =>
    JSON.stringify([...new Set(texts.map((text) => canonicalOf(text)))].sort());
  return canonical(a) === canonical(b);
}

function canonicalOf(text: string): string {
  const parsed = parseOriginPattern(text);
  return parsed.ok ? parsed.pattern.text : text;
}

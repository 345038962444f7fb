/**
 * Rebuilds the text that an HTTP message signature was made over (RFC 9421, section 2.5) from what the survey reported of the request.
 * `malformed`: no conforming signer covers that. `unknown`: it may be right, and cannot be rebuilt from what was reported.
 * Nothing is thrown, and no value can smuggle a line of its own into the text.
 */
import {
  isInnerList,
  parseDictionary,
  serializeInnerList,
  serializeItem,
  type InnerList,
  type Item,
} from './structured-fields.js';

export interface TargetUri {
  /** As the agent requested it. */
  readonly text: string;
  readonly scheme: string;
  /** Lower case, without the scheme’s default port. */
  readonly authority: string;
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly query: string;
}

export interface SignedRequest {
  readonly method: string;
  readonly target: TargetUri;
  /** Header fields by lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
}

export type SignatureBase =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly kind: 'malformed' | 'unknown'; readonly problem: string };

type ComponentValue = { readonly ok: true; readonly value: string } | Extract<SignatureBase, { ok: false }>;

const malformed = (problem: string) => ({ ok: false, kind: 'malformed', problem }) as const;
const unknown = (problem: string) => ({ ok: false, kind: 'unknown', problem }) as const;
const known = (value: string) => ({ ok: true, value }) as const;

/** Reads an absolute http or https URI whose host is written plainly; null for anything that two parsers might read differently. */
export function parseTargetUri(text: string): TargetUri | null {
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^(https?):\/\/([a-z0-9._:[\]-]+)(\/[\x21-\x7e]*?)?(\?[\x21-\x7e]*)?$/i.exec(text) ?? [];
  if (scheme === '' || /[#\\]/.test(text) || !URL.canParse(text)) return null;
  const { host, port } = new URL(text);
  const written = authority.toLowerCase();
  // A port that URL drops is the scheme’s default; every other difference is a host written in a roundabout way.
  if (written !== host && !(port === '' && written.replace(/:(?:80|443)$/, '') === host)) return null;
  return { text, scheme: scheme.toLowerCase(), authority: host, path: path === '' ? '/' : path, query };
}

/** The text to verify a signature over, one line per covered component. */
export function buildSignatureBase(request: SignedRequest, covered: InnerList): SignatureBase {
  const lines: string[] = [];
  const seen = new Set<string>();
  for (const item of covered.items) {
    const identifier = serializeItem(item);
    if (seen.has(identifier)) return malformed(`It covers ${identifier} twice.`);
    seen.add(identifier);
    const component = readComponent(request, item, identifier);
    if (!component.ok) return component;
    lines.push(`${identifier}: ${component.value}`);
  }
  lines.push(`"@signature-params": ${serializeInnerList(covered)}`);
  return { ok: true, text: lines.join('\n') };
}

function readComponent(request: SignedRequest, { value: name, parameters }: Item, identifier: string): ComponentValue {
  if (typeof name !== 'string' || name !== name.toLowerCase())
    return malformed('A covered component is not a lower-case name.');
  const { key, ...others } = Object.fromEntries(parameters);
  if (Object.keys(others).length > 0) return unknown(`It covers ${identifier}, whose parameters are not supported.`);
  if (name.startsWith('@'))
    return key === undefined ? readDerived(request, name) : malformed(`It covers ${identifier}, which takes no key.`);
  const field = request.fields.get(name)?.trim();
  if (field === undefined) return unknown(`It covers ${identifier}, which was not sent along.`);
  if (!/^[\x20-\x7e]*$/.test(field)) return malformed(`The field ${name} has characters that no header has.`);
  return key === undefined ? known(field) : readMember(field, key, identifier);
}

function readMember(field: string, key: unknown, identifier: string): ComponentValue {
  const member = typeof key === 'string' ? parseDictionary(field)?.get(key) : undefined;
  if (member === undefined) return malformed(`It covers ${identifier}, and the field has no such member.`);
  return known(isInnerList(member) ? serializeInnerList(member) : serializeItem(member));
}

function readDerived({ method, target }: SignedRequest, name: string): ComponentValue {
  switch (name) {
    case '@method':
      return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(method) ? known(method) : malformed('The method is not one.');
    case '@target-uri':
      return known(target.text);
    case '@authority':
      return known(target.authority);
    case '@scheme':
      return known(target.scheme);
    case '@request-target':
      return known(target.path + target.query);
    case '@path':
      return known(target.path);
    case '@query':
      return known(target.query === '' ? '?' : target.query);
    default:
      return unknown(`It covers ${name}, which is not supported.`);
  }
}

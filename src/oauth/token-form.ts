/**
 * What a client sends to the token endpoint, read strictly: a parameter that comes twice is refused (RFC 6749, 3.2), one without a value is
 * absent, an unknown one is ignored.
 */
import { Buffer } from 'node:buffer';
import { OAuthError } from './oauth-error.js';

export const formBytesMax = 16_384;

export function readForm(text: string): ReadonlyMap<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) throw new OAuthError('invalid_request', 'A parameter is there twice.');
    form.set(name, value);
  }
  return new Map([...form].filter(([, value]) => value !== ''));
}

export interface BasicCredentials {
  readonly clientId: string;
  readonly secret: string;
}

/** Both halves are form-encoded before they are joined (RFC 6749, 2.3.1). null where the header is none of this scheme. */
export function readBasic(header: string | undefined): BasicCredentials | null {
  if (header === undefined || !/^basic /i.test(header)) return null;
  const text = Buffer.from(header.slice('basic '.length).trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0)
    throw new OAuthError('invalid_client', 'The header Authorization is not clientId:clientSecret in base64.');
  try {
    return { clientId: decodePart(text.slice(0, colon)), secret: decodePart(text.slice(colon + 1)) };
  } catch {
    throw new OAuthError('invalid_client', 'The header Authorization is not form-encoded before its base64.');
  }
}

const decodePart = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));

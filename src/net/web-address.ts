/** Web addresses as callers set them. Addresses that URL parsing would repair silently are refused, so that the stored address is the visited one. */
import type { Environment } from '../config/settings.js';

const placeholder = /\{([^{}]*)\}/g;

/** The names between braces in an address. */
export const placeholdersOf = (address: string): readonly string[] =>
  [...address.matchAll(placeholder)].map(([, name = '']) => name);

/** An address with its placeholders filled in, each escaped for where it stands. */
export const fillPlaceholders = (address: string, values: Readonly<Record<string, string>>): string =>
  address.replaceAll(placeholder, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/** An absolute http or https address without user name and password; null for anything else. */
export function readWebAddress(text: string): URL | null {
  if (!/^https?:\/\/[^\s\\/?#@]+(?:[/?#][^\s\\]*)?$/i.test(text) || !URL.canParse(text)) return null;
  return new URL(text);
}

/** Describes the fault of an address that people are redirected to, as the end of a sentence that starts with its name; null if it has none. */
export function redirectProblem(text: string, environment: Environment): string | null {
  const url = readWebAddress(text);
  if (url === null) return 'must be an absolute https:// URL without user name and password.';
  if (url.protocol === 'https:') return null;
  if (environment === 'development')
    return loopbackHosts.includes(url.hostname)
      ? null
      : 'must be an https:// URL. In development, http://localhost is allowed, too.';
  return 'must be an https:// URL.';
}

/** Cookies of the console. Only the console’s own calls carry them, and no script reads them. */
import { findCookie, formatCookie } from '../kernel/cookies.js';

/** A cookie of the console, by its name. */
interface ConsoleCookie {
  readonly name: string;
  /** It covers the console alone: the API never sees the cookie. */
  readonly path: string;
  readonly sameSite: 'Strict' | 'Lax';
}

export const sessionCookie: ConsoleCookie = { name: 'vh_console', path: '/console', sameSite: 'Strict' };

/** A sign-in that has begun. The provider sends the browser back from another site, so the cookie has to come along. */
export const attemptCookie: ConsoleCookie = { name: 'vh_console_attempt', path: '/console/oidc', sameSite: 'Lax' };

const isSecure = (siteUrl: string): boolean => siteUrl.startsWith('https:');
const nameOf = ({ name }: ConsoleCookie, siteUrl: string): string => (isSecure(siteUrl) ? `__Secure-${name}` : name);

/** Header value that sets a cookie; an empty value removes it. */
export const setCookie = (cookie: ConsoleCookie, siteUrl: string, value: string, maxAgeSeconds: number): string =>
  formatCookie({ ...cookie, name: nameOf(cookie, siteUrl), isSecure: isSecure(siteUrl) }, value, maxAgeSeconds);

/** The value of a cookie in a Cookie header; null: there is none. */
export const readCookie = (cookie: ConsoleCookie, siteUrl: string, header: string | undefined): string | null =>
  findCookie(nameOf(cookie, siteUrl), header);

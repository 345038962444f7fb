/** The cookie of a console session. Only the console’s own calls carry it, and no script reads it. */

/** `path` covers the console alone: the API never sees the cookie. */
const attributes = 'Path=/console; HttpOnly; SameSite=Strict';

const nameOf = (siteUrl: string): string => (isSecure(siteUrl) ? '__Secure-vh_console' : 'vh_console');
const isSecure = (siteUrl: string): boolean => siteUrl.startsWith('https:');

/** Header value that sets the cookie; an empty token removes it. */
export const sessionCookie = (siteUrl: string, token: string, maxAgeSeconds: number): string =>
  `${nameOf(siteUrl)}=${token}; ${attributes}; Max-Age=${maxAgeSeconds}${isSecure(siteUrl) ? '; Secure' : ''}`;

/** The session’s token in a Cookie header; null: there is none. */
export function readSessionCookie(siteUrl: string, header: string | undefined): string | null {
  const prefix = `${nameOf(siteUrl)}=`;
  const pair = (header ?? '').split(/;\s*/).find((each) => each.startsWith(prefix));
  return pair === undefined ? null : pair.slice(prefix.length);
}

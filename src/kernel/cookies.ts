/** Cookies that no script reads. Values are sent as they are, so they have to be letters, digits and the like. */

export interface Cookie {
  readonly name: string;
  readonly path: string;
  readonly sameSite: 'Strict' | 'Lax';
  /** Whether the page comes over HTTPS. */
  readonly isSecure: boolean;
}

/** Header value that sets a cookie; without seconds it removes it. */
export const formatCookie = (
  { name, path, sameSite, isSecure }: Cookie,
  value: string,
  maxAgeSeconds: number,
): string =>
  `${name}=${value}; Path=${path}; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;

/** The value of a cookie in a Cookie header; null: there is none. */
export function findCookie(name: string, header: string | undefined): string | null {
  const prefix = `${name}=`;
  const pair = (header ?? '').split(/;\s*/).find((each) => each.startsWith(prefix));
  return pair === undefined ? null : pair.slice(prefix.length);
}

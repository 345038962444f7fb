/**
 * What to tell of a request that the page's content security policy blocked.
 */

export interface CspWatch {
  /** The sentence for a blocked address, or null where no policy blocked its host. */
  find(url: string): Promise<string | null>;
  stop(): void;
}

export interface Violation {
  readonly blockedURI: string;
  readonly effectiveDirective: string;
}

/** What to add to the policy; null where none of the violations is of this address's host. */
export function describeBlocked(url: string, violations: readonly Violation[]): string | null {
  const { origin } = new URL(url);
  const found = violations.find(({ blockedURI }) => URL.canParse(blockedURI) && new URL(blockedURI).origin === origin);
  if (found === undefined) return null;
  const { effectiveDirective: directive } = found;
  return `E030: the page’s Content-Security-Policy blocks ${origin}. Add ${origin} to its ${directive} directive: ${directive} 'self' ${origin}`;
}

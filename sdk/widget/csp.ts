/**
 * Watches for requests that the page's content security policy blocks. The browser tells a fetch only that it failed; which directive
 * stopped it stands in an event on the document, which may come a little later.
 */

export interface CspWatch {
  /** The sentence for a blocked address, or null where no policy blocked its host. */
  find(url: string): Promise<string | null>;
  stop(): void;
}

/** How long the event may come after the failure, milliseconds. */
const graceMs = 50;
const violationsMax = 50;

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

export function watchCsp(document: Document): CspWatch {
  const violations: Violation[] = [];
  const note = ({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent) => {
    violations.push({ blockedURI, effectiveDirective });
    violations.splice(0, violations.length - violationsMax);
  };
  document.addEventListener('securitypolicyviolation', note);
  return {
    async find(url) {
      if (describeBlocked(url, violations) === null) await new Promise((resolve) => setTimeout(resolve, graceMs));
      return describeBlocked(url, violations);
    },
    stop: () => document.removeEventListener('securitypolicyviolation', note),
  };
}

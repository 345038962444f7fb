/**
 * Watches for requests that the page's content security policy blocks. The browser tells a fetch only that it failed; which directive
 * stopped it stands in an event on the document, which may come a little later.
 */
import { describeBlocked, type CspWatch, type Violation } from './csp.js';

/** How long the event may come after the failure, milliseconds. */
const graceMs = 50;
const violationsMax = 50;

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

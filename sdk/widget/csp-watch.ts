/**
 * Watches for requests that the page's content security policy blocks. The fetch only fails. An event on the document names the directive,
 * and may come a little later.
 */
import { describeBlocked, describeCameraBlocked, type CspWatch, type Violation } from './csp.js';

/** How long the event may come after the failure, milliseconds. */
const graceMs = 50;
const violationsMax = 50;

export function watchCsp(document: Document): CspWatch {
  const violations: Violation[] = [];
  const note = ({ blockedURI, effectiveDirective, disposition }: SecurityPolicyViolationEvent) => {
    violations.push({ blockedURI, effectiveDirective, disposition });
    violations.splice(0, violations.length - violationsMax);
  };
  document.addEventListener('securitypolicyviolation', note);
  const look = async (describe: () => string | null): Promise<string | null> => {
    if (describe() === null) await new Promise((resolve) => setTimeout(resolve, graceMs));
    return describe();
  };
  return {
    find: (url) => look(() => describeBlocked(url, violations)),
    findCamera: (modelsBaseUrl) => look(() => describeCameraBlocked(modelsBaseUrl, violations)),
    stop: () => document.removeEventListener('securitypolicyviolation', note),
  };
}

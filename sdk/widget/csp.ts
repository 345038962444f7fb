/**
 * Describes a request that the page's content security policy blocked. Report-only policies block nothing. Blocked images, frames or
 * scripts of the page itself are not reported.
 */

export interface CspWatch {
  /** The sentence for a blocked call to the service, or null where no policy blocked it. */
  find(url: string): Promise<string | null>;
  /** The sentence for a camera part whose file, worker or models a policy blocked; null where none was seen to. */
  findCamera(modelsBaseUrl: string): Promise<string | null>;
  stop(): void;
}

export interface Violation {
  readonly blockedURI: string;
  readonly effectiveDirective: string;
  readonly disposition: string;
}

/** The camera part's file, next to the bundle. */
export const cameraFile = 'verifyhuman.capture.js';

/** The missing part of the policy; null if none of the violations concerns this address. */
export function describeBlocked(url: string, violations: readonly Violation[]): string | null {
  const { origin, href } = new URL(url);
  // Some browsers report the whole address, some only its origin.
  const isBlocked = violations.some(
    ({ blockedURI, effectiveDirective, disposition }) =>
      disposition === 'enforce' && effectiveDirective === 'connect-src' && [href, origin].includes(blockedURI),
  );
  return isBlocked ? `E030: ${adviseOn('connect-src', origin)}` : null;
}

export function describeCameraBlocked(modelsBaseUrl: string, violations: readonly Violation[]): string | null {
  for (const { blockedURI, effectiveDirective, disposition } of violations) {
    if (disposition !== 'enforce') continue;
    const origin = URL.canParse(blockedURI) ? new URL(blockedURI).origin : '';
    if (effectiveDirective.startsWith('script-src') && blockedURI.split('?')[0]?.endsWith(`/${cameraFile}`))
      return adviseOn('script-src', origin);
    if (effectiveDirective === 'worker-src' && blockedURI.startsWith('blob')) return adviseOn('worker-src', 'blob:');
    if (
      effectiveDirective === 'connect-src' &&
      (blockedURI.startsWith(modelsBaseUrl) || modelsBaseUrl.startsWith(`${blockedURI}/`))
    )
      return adviseOn('connect-src', origin);
  }
  return null;
}

const adviseOn = (directive: string, source: string): string =>
  `the page’s Content-Security-Policy blocks ${source}. Add ${source} to its ${directive} directive: ${directive} 'self' ${source}`;

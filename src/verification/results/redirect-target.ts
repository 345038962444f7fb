/**
 * Where a redirect leads, decided at the moment of the redirect from the project as it then stands: never from anything that a page or a
 * code carries. An address that the project’s rules would not take today is none.
 */
import type { ScoreModeConfig } from '../../contract/project-parts.js';
import type { VerdictDispatch } from '../../contract/verdict.js';

export interface RedirectRules {
  readonly scoreModeConfig: ScoreModeConfig;
  readonly verificationMode: 'block' | 'score';
  /** Whether the allow-list in force takes an origin. */
  readonly isAllowed: (origin: string) => boolean;
  /** Development lets plain http to this machine pass. */
  readonly allowLocalHttp: boolean;
}

/** The address for an outcome, or null where the project has no redirect (any more) that may be followed. Both must be set and allowed. */
export function redirectTarget(
  { scoreModeConfig, verificationMode, isAllowed, allowLocalHttp }: RedirectRules,
  outcome: 'pass' | 'fail',
): URL | null {
  if (verificationMode !== 'score') return null;
  const [pass, fail] = [scoreModeConfig.redirectPassUrl, scoreModeConfig.redirectFailUrl].map((text) =>
    text === undefined || !URL.canParse(text) ? null : new URL(text),
  );
  const isSafe = (url: URL | null | undefined): url is URL =>
    url !== null && url !== undefined && isSafeScheme(url, allowLocalHttp) && isAllowed(url.origin);
  if (!isSafe(pass) || !isSafe(fail)) return null;
  return outcome === 'pass' ? pass : fail;
}

/** A fence or a failed verdict leads to the fail address; a session to be reviewed is not refused by being redirected. */
export const redirectOutcome = (
  { status }: Pick<VerdictDispatch, 'status'>,
  verdict: 'pass' | 'fail' | 'review',
): 'pass' | 'fail' => (status === 'score_blocked' || status === 'fail' || verdict === 'fail' ? 'fail' : 'pass');

function isSafeScheme({ protocol, hostname, username, password }: URL, allowLocalHttp: boolean): boolean {
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:') return true;
  return allowLocalHttp && protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

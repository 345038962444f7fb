/**
 * How a mount ends towards the page: the result or the error of what the machine came to, and score mode's dispatch.
 */
import type { DegradedMode, MountOptions, ScoreDispatch, VHMountResult } from './api.js';
import { abortError, CameraAccessError, type VerifyError } from './errors.js';
import { estimate } from './estimate.js';
import type { Reply, Trouble } from './http.js';
import type { End } from './machine.js';
import type { Mounting } from './mounting.js';
import { reportFailure, say } from './page-console.js';
import type { Outcome } from './ports.js';
import {
  degradedModeDefault,
  degradedResult,
  dispatchOf,
  refusalError,
  resultOf,
  troubleError,
  type LocalFacts,
} from './result.js';
import type { RunOutcome } from './run.js';

/** The end of a mount whose project could not be read. */
export const endOf = (answer: Reply | Trouble): End =>
  answer.kind === 'reply' ? { kind: 'refused', reply: answer } : { kind: 'unreachable', trouble: answer };

export const errorOf = (answer: Reply | Trouble): VerifyError =>
  answer.kind === 'reply' ? refusalError(answer) : troubleError(answer);

/** Without the service, and let on. */
export const unreachable: Outcome = { status: 'pass', code: 'DEGRADED', canRetry: false };

/** The page's own estimate is no verdict, so the respondent may always continue. */
export const unverifiedOutcome = ({ degraded, status }: VHMountResult): Outcome =>
  degraded === true ? unreachable : { status, code: null, canRetry: false };

/** The result of an end, or its error. */
export async function finish(mounting: Mounting, end: End, outcome: RunOutcome | null): Promise<VHMountResult> {
  const { options, config } = mounting;
  const sessionId = outcome?.sessionId ?? undefined;
  switch (end.kind) {
    case 'refused':
      explainRefusal(mounting, end.reply);
      throw refusalError(end.reply, sessionId, end.isFinal);
    case 'camera':
      throw new CameraAccessError(end.reason);
    case 'aborted':
      throw abortError();
    case 'unreachable': {
      const mode: DegradedMode = options.degradedMode ?? ('kind' in config ? degradedModeDefault : config.degradedMode);
      const trouble = troubleError(end.trouble);
      if (mode === 'FAIL_CLOSED') throw trouble;
      say(`${trouble.message} The mount applies ${mode} and has no token.`);
      return degradedResult(mode, end.trouble.reason, sessionId ?? null, await localFacts(mounting, outcome));
    }
    case 'verdict': {
      const isScored = !('kind' in config) && config.verificationMode === 'score';
      if (!isScored && end.error !== null) throw end.error;
      const result = resultOf(end.reply, await localFacts(mounting, outcome));
      if (end.envelope !== null) dispatch(options, dispatchOf(end.envelope));
      else if (isScored)
        say('the signed envelope could not be read, so onResult was not called; the verdict is unchanged');
      return result;
    }
  }
}

const whose = {
  project: 'config.allowedDomains of the project',
  organization: 'settings.allowedDomains of the organization',
  environment: 'config.allowedDomains of the project',
} as const;

/** To the page's author: which list does not name this page. Nothing waits for it. */
export function explainRefusal({ service, options }: Pick<Mounting, 'service' | 'options'>, { body }: Reply): void {
  if ((body as { code?: unknown } | null | undefined)?.code !== 'ORIGIN_NOT_ALLOWED') return;
  void service.checkOrigin(options.siteKey, new AbortController().signal).then((answer) => {
    if (answer.kind !== 'said' || answer.value.allowed) return;
    const { origin, decidedBy } = answer.value;
    say(`Origin ${String(origin)} isn’t allowed. Add it to ${whose[decidedBy]}.`);
  });
}

/** Calls the page, then redirects after the mount's promise has settled, unless the page returned false. */
function dispatch({ onResult }: MountOptions, dispatched: ScoreDispatch): void {
  let answer: unknown;
  try {
    answer = onResult?.(dispatched);
  } catch (error) {
    reportFailure('onResult', error);
  }
  if (answer === false || dispatched.redirectUrl === null) return;
  const target = readWebUrl(dispatched.redirectUrl);
  if (target === null) say('redirectUrl is not a web URL, so the page does not redirect');
  else setTimeout(() => location.assign(target));
}

/** An address of the web; null for any other, a script among them, and for what is no address. */
function readWebUrl(text: string): string | null {
  try {
    const { protocol, href } = new URL(text, location.href);
    return /^https?:$/.test(protocol) ? href : null;
  } catch {
    return null;
  }
}

async function localFacts({ device, locale }: Mounting, outcome: RunOutcome | null): Promise<LocalFacts> {
  const facts = await device.read();
  const telemetry = outcome?.telemetry ?? null;
  const estimated = estimate(facts);
  return {
    estimate: estimated,
    livenessScore: telemetry?.livenessScore ?? estimated.confidence,
    challengesPassed: telemetry?.challengesPassed ?? 0,
    challengesTotal: telemetry?.challengesTotal ?? 0,
    deepfake: telemetry?.deepfake ?? null,
    deviceId: facts.groups.ids?.token ?? '',
    locale,
    timestamp: Date.now(),
  };
}

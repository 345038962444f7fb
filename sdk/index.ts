/**
 * The SDK as a module. Importing it starts nothing and needs no page. It knows no service: give `apiEndpoint`.
 */
import type { LocalWidget, LocalWidgetConfig, MountOptions, TokenVerdict, VerifyTokenOptions } from './widget/api.js';
import type { VHMountResult, VHSession } from './widget/api.js';
import { createLocalWidget } from './widget/local-widget.js';
import { createView } from './widget/ui/view.js';
import { loadTexts } from './widget/ui/packaged-texts.js';
import { packagedSdk } from './widget/packaged.js';

export type * from './widget/api.js';
export { CameraAccessError, IntegrityError, VerifyError } from './widget/errors.js';
export { version } from './widget/version.js';

/**
 * Verifies the respondent in `target` (an element, or a selector). Rejects with a VerifyError (a verdict that did not pass, a refusal, or a
 * service that cannot be reached where that is refused), a CameraAccessError, or the reason of `signal`.
 */
export function mount(target: Element | string, options: MountOptions, signal?: AbortSignal): Promise<VHMountResult> {
  return packagedSdk.mount(target, options, signal);
}

/** Creates a session now, to be run later. Rejects with a VerifyError where it cannot be created. */
export function session(options: MountOptions): Promise<VHSession> {
  return packagedSdk.session(options);
}

/** Checks a `vh_token` against the service's keys. Rejects with a VerifyError where they cannot be had, and never for a bad token. */
export function verifyToken(jwt: string, options?: VerifyTokenOptions): Promise<TokenVerdict> {
  return packagedSdk.verifyToken(jwt, options);
}

/** The older widget that asks no service. Throws a VerifyError where there is no such container. */
export function createVerifyWidget(config: LocalWidgetConfig): LocalWidget {
  return createLocalWidget({ createView, loadTexts }, config);
}

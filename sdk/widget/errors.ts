/**
 * The errors of a mount. A VerifyError is a verdict, a refusal by the service, or a failure to reach it; a CameraAccessError says
 * that the camera is there and was not given, and is no verdict; an IntegrityError that another script sits on the SDK's global.
 */
import type { VerifyErrorCode, VerifyErrorContext } from './api.js';

export class VerifyError extends Error {
  override readonly name = 'VerifyError';
  readonly code: VerifyErrorCode;
  /** The context of a verdict or a refusal; undefined if the service was not reached. */
  readonly context: VerifyErrorContext | undefined;
  /** Whether another try can end otherwise. */
  readonly recoverable: boolean;

  constructor(
    code: VerifyErrorCode,
    message: string,
    details: { readonly context?: VerifyErrorContext; readonly recoverable?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.context = details.context;
    this.recoverable = details.recoverable ?? true;
  }
}

/** The page's request is invalid; nothing was sent, and another try ends the same way. */
export const invalidOption = (message: string, cause?: unknown): VerifyError =>
  new VerifyError('INVALID_OPTION', message, { cause, recoverable: false });

const cameraMessages = {
  denied: 'Camera access is blocked. Allow it in the browser’s settings and try again.',
  busy: 'The camera is in use by another app. Close it and try again.',
  dismissed: 'The camera prompt was dismissed. Try again and allow the camera.',
} as const;

export class CameraAccessError extends Error {
  override readonly name = 'CameraAccessError';
  readonly reason: 'denied' | 'busy' | 'dismissed';

  constructor(reason: 'denied' | 'busy' | 'dismissed') {
    super(cameraMessages[reason]);
    this.reason = reason;
  }
}

export class IntegrityError extends Error {
  override readonly name = 'IntegrityError';

  constructor(global: string) {
    super(`Another script defined window.${global} before the SDK. Load the SDK first.`);
  }
}

/** How a mount that was called off ends. The code replaces the number that every DOMException has. */
export const abortError = (): DOMException =>
  Object.defineProperty(new DOMException('The verification was canceled.', 'AbortError'), 'code', {
    value: 'CANCELED',
  });

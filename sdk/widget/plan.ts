/**
 * A mount's plan and looks, out of what the page said and what the project says; the page's own word wins where both may speak.
 */
import type { MountOptions } from './api.js';
import type { MountConfig } from './config.js';
import type { Plan } from './machine.js';
import type { ViewOptions } from './ports.js';

export function planOf(options: MountOptions, config: MountConfig): Plan {
  const mode = options.widgetMode ?? config.widgetMode;
  const maySkip = options.autoStart === true || mode === 'invisible';
  const escalates = options.escalateOnSuspicion ?? config.escalateOnSuspicion;
  return {
    mode,
    autoStart: maySkip,
    consent: maySkip && options.consent ? { biometric: options.consent.biometric, at: options.consent.at } : null,
    mayEscalate: mode === 'invisible' ? escalates : config.challengeEnabled,
    isScored: config.verificationMode === 'score',
    retriesMax: config.maxRetries,
    previousSessionId: options.previousSessionId ?? null,
    isClosed: (options.degradedMode ?? config.degradedMode) === 'FAIL_CLOSED',
  };
}

export function viewOptionsOf(
  host: Element,
  { mode }: Plan,
  { options, locale }: { readonly options: MountOptions; readonly locale: string },
  config: MountConfig,
): ViewOptions {
  return {
    host,
    mode,
    theme: options.widgetTheme ?? 'auto',
    style: options.widgetStyle ?? 'classic',
    avatar: options.avatarStyle ?? 'friendly',
    interaction: options.interaction ?? 'checkbox',
    locale,
    branding: config.branding,
    disclosure: { mode: config.userDisclosure, text: config.userDisclosureCustomText },
    withoutCameraAllowed: true,
  };
}

/**
 * A mount's plan and looks, out of what the page said and what the project says; the page's own word wins where both may speak.
 */
import type { MountOptions } from './api.js';
import type { MountConfig } from './config.js';
import type { Plan } from './machine.js';
import type { Mounting } from './mounting.js';
import type { Demands, ViewOptions } from './ports.js';

export function planOf(options: MountOptions, config: MountConfig): Plan {
  const mode = options.widgetMode ?? config.widgetMode;
  const maySkip = options.autoStart === true || mode === 'invisible';
  const escalates = options.escalateOnSuspicion ?? config.escalateOnSuspicion;
  return {
    mode,
    autoStart: maySkip,
    consent: maySkip && options.consent ? { biometric: options.consent.biometric, at: options.consent.at } : null,
    mayEscalate:
      config.minimumAssurance === 'biometric' || (mode === 'invisible' ? escalates : config.challengeEnabled),
    canAskConsent: config.consent !== null,
    isScored: config.verificationMode === 'score',
    retriesMax: config.maxRetries,
    previousSessionId: options.previousSessionId ?? null,
    isGiven: options.session !== undefined,
    isClosed: (options.degradedMode ?? config.degradedMode) === 'FAIL_CLOSED',
  };
}

/** The demands of a project; those of a session that a backend made may be higher. */
const demandsOf = (config: MountConfig | null): Demands =>
  config === null
    ? { minimumAssurance: 'device_only', evidenceFrames: 'off' }
    : { minimumAssurance: config.minimumAssurance, evidenceFrames: config.evidenceFrames };

/** The part of a mount that shapes its interface; without a configuration while the project is being read. */
export type Look = Pick<Mounting, 'options' | 'language'> & { readonly config: Mounting['config'] | null };

/** If a project could not be read, nothing of its own is shown. */
export function viewOptionsOf(host: Element, { options, language, config }: Look): ViewOptions {
  const known = config === null || 'kind' in config ? null : config;
  const terms = known?.consent ?? null;
  return {
    host,
    mode: options.widgetMode ?? known?.widgetMode ?? 'standard',
    theme: options.widgetTheme ?? 'auto',
    style: options.widgetStyle ?? 'classic',
    avatar: options.avatarStyle ?? 'friendly',
    interaction: options.interaction ?? 'checkbox',
    language,
    isTest: options.siteKey.endsWith(':test'),
    branding: known?.branding ?? null,
    disclosure: { mode: known?.userDisclosure ?? 'NEUTRAL', text: known?.userDisclosureCustomText ?? null },
    consent: terms === null ? null : { ...terms, demographics: known?.demographics === true },
    demands: demandsOf(known),
  };
}

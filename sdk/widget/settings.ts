/**
 * A mount's options, checked and completed. Unknown names are ignored; an option that cannot be read is refused, by name.
 */
import type { GivenSession, MountOptions } from './api.js';
import { invalidOption, type VerifyError } from './errors.js';

/** Every option, with how it must look: a type of JavaScript, or the words that it may be. */
export const optionRules = {
  siteKey: 'string',
  apiEndpoint: 'string',
  studyId: 'string',
  respondentId: 'string',
  metadata: 'plain',
  dataCollector: 'string',
  linkId: 'string',
  widgetMode: ['invisible', 'captcha', 'standard'],
  autoStart: 'boolean',
  consent: 'consent',
  escalateOnSuspicion: 'boolean',
  interaction: ['checkbox', 'slider'],
  widgetTheme: ['light', 'dark', 'auto'],
  widgetStyle: ['classic', 'friendly'],
  avatarStyle: ['friendly', 'minimal', 'neon'],
  locale: 'string',
  useDeepfakeDetection: 'boolean',
  previousSessionId: 'string',
  session: 'session',
  degradedMode: ['FAIL_CLOSED', 'FAIL_OPEN_FLAGGED', 'FAIL_OPEN_TRUSTED'],
  onResult: 'function',
} as const satisfies Record<keyof MountOptions, string | readonly string[]>;

/** Takes the known options; throws a VerifyError INVALID_OPTION that names the one that cannot be read. */
export function readOptions(given: MountOptions): MountOptions {
  const options: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries<string | readonly string[]>(optionRules)) {
    const value: unknown = (given as unknown as Record<string, unknown> | undefined)?.[name];
    if (value === undefined || value === null) continue;
    if (!isReadable(value, rule)) throw refused(name, rule);
    options[name] = value;
  }
  requireSiteKey(options['siteKey'] as string | undefined);
  const session = options['session'] as GivenSession | undefined;
  if (session !== undefined) options['widgetMode'] = session.studyConfig.widgetMode;
  return options as unknown as MountOptions;
}

/** Other kinds of key are refused before any request: a secret key must be neither in a page nor in a requested address. */
function requireSiteKey(siteKey = ''): void {
  let fault: string | null = siteKey === '' ? 'is needed' : null;
  if (siteKey.startsWith('vf_')) fault = 'is a secret key (vf_): take it off the page and rotate it';
  if (siteKey.startsWith('pk_')) fault = 'is the key of the probe (pk_)';
  if (fault === null) return;
  const wanted = siteKey === '' ? '' : ' Here goes the project’s siteKey, which begins with proj_.';
  throw invalidOption(`siteKey ${fault}.${wanted}`);
}

function isReadable(value: unknown, rule: string | readonly string[]): boolean {
  if (typeof rule !== 'string') return rule.includes(value as string);
  if (rule === 'plain') return isPlain(value);
  if (rule === 'session') return isSession(value);
  if (rule !== 'consent') return typeof value === rule;
  return isPlain(value) && value['biometric'] === true && isTime(value['at']);
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Accepts the reply of `POST /sessions`. */
const isSession = (value: unknown): boolean =>
  isPlain(value) &&
  typeof value['sessionId'] === 'string' &&
  typeof value['clientSecret'] === 'string' &&
  isPlain(value['challengeConfig']) &&
  isPlain(value['studyConfig']);

/** Accepts the form of `new Date().toISOString()`. */
const isTime = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));

const wantedOf: Readonly<Record<string, string>> = {
  plain: 'an object of names and values',
  session: 'the answer of POST /sessions',
  consent: '{ biometric: true, at: the time of the consent in ISO 8601 }',
};

function refused(name: string, rule: string | readonly string[]): VerifyError {
  const wanted = typeof rule === 'string' ? (wantedOf[rule] ?? `a value of type ${rule}`) : `one of ${rule.join(', ')}`;
  return invalidOption(`${name} must be ${wanted}.`);
}

/** Attributes of the HTML drop-in, without `data-`, and the option that each is. Mode has none. */
export const attributeOptions = {
  sitekey: 'siteKey',
  'api-endpoint': 'apiEndpoint',
  'study-id': 'studyId',
  'respondent-id': 'respondentId',
  metadata: 'metadata',
  'data-collector': 'dataCollector',
  'link-id': 'linkId',
  'auto-start': 'autoStart',
  'escalate-on-suspicion': 'escalateOnSuspicion',
  interaction: 'interaction',
  theme: 'widgetTheme',
  style: 'widgetStyle',
  'avatar-style': 'avatarStyle',
  locale: 'locale',
  'use-deepfake-detection': 'useDeepfakeDetection',
  'previous-session-id': 'previousSessionId',
  'degraded-mode': 'degradedMode',
} as const satisfies Record<string, keyof MountOptions>;

/** The options that an element's attributes say. Throws a VerifyError INVALID_OPTION for metadata that is no JSON object. */
export function readAttributes(read: (attribute: string) => string | null): MountOptions {
  const options: Record<string, unknown> = {};
  for (const [attribute, name] of Object.entries(attributeOptions)) {
    const text = read(`data-${attribute}`);
    if (text !== null) options[name] = parse(name, text);
  }
  return options as unknown as MountOptions;
}

function parse(name: keyof typeof optionRules, text: string): unknown {
  const rule = optionRules[name];
  if (rule === 'boolean') return text !== 'false';
  if (rule !== 'plain') return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidOption(`data-${name} must be a JSON object.`, cause);
  }
}

const apiPath = '/api/v1';

/**
 * The API root: what the caller says (an address without a path is none, and would seem to be a service that is away), else that of the service which
 * served the script, else the one that the script was built with. A bundled SDK has none of these, so the caller must give one.
 */
export function resolveEndpoint(given: string | undefined, scriptUrl: string | undefined, builtIn = ''): string {
  if (given && /^https?:\/\/[^/?#]+\/*$/.test(given))
    throw invalidOption(`apiEndpoint must be the API root: ${given.replace(/\/+$/, '')}${apiPath}.`);
  if (given) return given.replace(/\/+$/, '');
  if (scriptUrl !== undefined && /^https?:/.test(scriptUrl)) return new URL(scriptUrl).origin + apiPath;
  if (builtIn !== '') return builtIn;
  throw invalidOption('apiEndpoint is needed: this SDK was not loaded by a script element from the service.');
}

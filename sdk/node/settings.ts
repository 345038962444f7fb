/**
 * Reads the options of a client. Whatever cannot be used is refused at once, by a sentence that names it.
 */
import type { CallOptions, ClientOptions, FailMode } from './api.js';
import { invalidOption } from './errors.js';

export interface Settings {
  readonly apiKey: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly failMode: FailMode;
  readonly deadlineMs: number | null;
  readonly attemptMs: number | null;
  readonly retriesMax: number;
}

const known = {
  apiKey: true,
  baseUrl: true,
  failMode: true,
  deadlineMs: true,
  attemptMs: true,
  retriesMax: true,
} as const satisfies Names<ClientOptions>;

export function readSettings(options: ClientOptions): Settings {
  checkNames('createClient', options, known);
  const { apiKey, failMode = 'closed', retriesMax = 3 } = options;
  refuseKey(apiKey);
  checkFailMode(failMode);
  return {
    apiKey,
    baseUrl: readBaseUrl(options.baseUrl),
    failMode,
    deadlineMs: options.deadlineMs === undefined ? null : wholeNumber('deadlineMs', options.deadlineMs, 1, 600_000),
    attemptMs: options.attemptMs === undefined ? null : wholeNumber('attemptMs', options.attemptMs, 1, 600_000),
    retriesMax: wholeNumber('retriesMax', retriesMax, 0, 10),
  };
}

/** Every call takes these options. */
export const callNames = { deadlineMs: true, signal: true } as const satisfies Names<CallOptions>;

/** Every name of a type of options; the compiler asks for those that are missing. */
export type Names<T> = Readonly<Record<keyof T, true>>;

/** Throws where `options` are none, or hold a name that means nothing: what is misspelt would be passed over without a word. */
export function checkNames<T extends object>(taker: string, options: T, known: Names<T>): void {
  checkObject(taker, options);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw invalidOption(`"${unknown}" is unknown to ${taker}, which takes ${Object.keys(known).join(', ')}.`);
}

/** Throws where a program without types gave something else than an object. */
export function checkObject(taker: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) throw invalidOption(`${taker} takes an object.`);
}

export function checkFailMode(failMode: FailMode | undefined): void {
  if (failMode !== undefined && failMode !== 'open' && failMode !== 'closed')
    throw invalidOption('failMode is "open" or "closed".');
}

/** Returns the number, or throws where it is none of the range. */
export function wholeNumber(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw invalidOption(`${name} is a whole number from ${least} to ${most}.`);
}

function refuseKey(apiKey: unknown): void {
  if (typeof apiKey !== 'string' || apiKey === '') throw invalidOption('apiKey is missing: the secret key, "vf_...".');
  if (apiKey.startsWith('pk_'))
    throw invalidOption('apiKey is a probe key ("pk_..."), which belongs on the page. Give the secret key, "vf_...".');
  if (apiKey !== apiKey.trim())
    throw invalidOption(
      'apiKey begins or ends with white space, such as a line feed of the file it was read from. Trim it.',
    );
  if (!/^vf_[\w-]+$/.test(apiKey)) throw invalidOption('apiKey is not a secret key: those begin with "vf_".');
  if (isBrowser())
    throw invalidOption(
      'A secret key ("vf_...") is exposed in a browser. Call the service from your backend and rotate this key.',
    );
}

/** A page or one of its workers. */
function isBrowser(): boolean {
  const scope = globalThis as { readonly document?: unknown; readonly importScripts?: unknown };
  return typeof scope.document === 'object' || typeof scope.importScripts === 'function';
}

const apiPath = '/api/v1';

function readBaseUrl(baseUrl: unknown): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw invalidOption(
      'baseUrl is not an address: give the root of the API, such as "https://verify.example/api/v1".',
    );
  const root = url.href.replace(/\/+$/, '');
  if (root.endsWith(apiPath)) return root;
  if (root.endsWith('/v1'))
    throw invalidOption(
      `baseUrl "${root}" is the root of the audience API. Give the root of the API, which ends in "${apiPath}".`,
    );
  throw invalidOption(
    `baseUrl "${root}" is not the root of the API, which ends in "${apiPath}". Give "${root}${apiPath}".`,
  );
}

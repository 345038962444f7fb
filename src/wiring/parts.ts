/** The parts from which the service is assembled. */
import type { AppDeps } from '../http/app.js';
import type { MasterKeys } from '../administration/master-keys.js';
import type { Settings } from '../config/settings.js';
import type { Closers } from '../stores/closers.js';
import type { Outbox } from '../stores/outbox/outbox.js';
import type { Stores } from '../stores/open.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Drain } from './drain.js';

/** Something that works in the background until it is stopped. */
export interface Background {
  stop(): Promise<void>;
}

export interface Parts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly stores: Stores;
  /** Capabilities leave the events of their sessions here. */
  readonly outbox: Outbox;
  readonly masterKeys: MasterKeys;
  readonly now: () => number;
  readonly drain: Drain;
  /** Work that runs until the process ends; it is stopped all at once, when the listeners have closed. */
  readonly background: Background[];
  /** Called with each webhook that this process changed. */
  readonly webhookListeners: ((webhookId: string) => void)[];
  /** Closers of what was opened so far. */
  readonly opened: Pick<Closers, 'push'>;
}

export const apiPrefix = '/api/v1';

/** The address of a listener; an IPv6 address is in brackets. */
export const listenerUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Callers reach the API port here: the configured address, else the listener’s own. */
export const siteUrlOf = (settings: Settings, port: number): string =>
  settings.VH_SITE_URL ?? listenerUrl(settings.HOST, port);

/** Browsers fetch the models of the widget here: the configured address, else the service’s own copies. */
export const modelsUrlOf = ({ VH_MODELS_URL }: Pick<Settings, 'VH_MODELS_URL'>, siteUrl: string): string =>
  VH_MODELS_URL ?? `${siteUrl}/sdk/v1/models`;

export const audiencePrefix = '/v1';

const namesOf = {
  api: ['lite', 'projects', 'organizations', 'sessions', 'public', 'api-keys', 'origin-check'],
  audience: ['studies', 'suppliers', 'supply', 'postbacks', 'enter', 'verified', 'return', 'try'],
} as const;

/** Paths of a listener, under either prefix, and its address, if this process knows it. */
export function elsewhereOf(settings: Settings, role: keyof typeof namesOf, url: () => string): AppDeps['elsewhere'] {
  const configured = role === 'api' ? settings.VH_SITE_URL : settings.VH_AUDIENCE_URL;
  if (configured === null && !settings.VH_ROLES.includes(role)) return undefined;
  const paths = new RegExp(`^(?:${apiPrefix}|${audiencePrefix})/(?:${namesOf[role].join('|')})(?:[/?]|$)`);
  return { paths, url };
}

/** Callers reach the audience API here: below the configured address, else below the listener’s own. */
export const audienceUrlOf = (settings: Settings, port: number): string =>
  (settings.VH_AUDIENCE_URL ?? listenerUrl(settings.HOST, port)) + audiencePrefix;

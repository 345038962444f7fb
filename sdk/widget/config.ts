/**
 * A project's public configuration, kept for the page: fresh for a minute, then asked for again by its ETag. The last one seen outlives a
 * service that went away.
 */
import type { PublicConfig } from '../../src/contract/project.js';
import type { SessionReply } from '../../src/contract/session.js';
import type { Reply, Transport, Trouble } from './http.js';
import { degradedModeDefault } from './result.js';

const freshMs = 60_000;
/** How long the service's limits of calls last at most: reads wait for the next window. */
const rateWindowMs = 60_000;
const entriesMax = 20;

interface Entry {
  readonly config: PublicConfig;
  readonly etag: string | null;
  readonly atMs: number;
}

/** One cache per page, shared by its mounts. */
export type ConfigCache = Map<string, Entry>;

/** The service's reply; without terms of consent if only a session is known. The respondent is then not asked for the camera. */
export type MountConfig = Omit<PublicConfig, 'consent'> & { readonly consent: PublicConfig['consent'] | null };

export type ConfigAnswer = { readonly kind: 'config'; readonly config: PublicConfig } | Reply | Trouble;

export interface ConfigRequest {
  readonly endpoint: string;
  readonly siteKey: string;
  readonly nowMs: number;
}

/** The configuration; a Reply where the service refused, a Trouble where it could not be asked and never was. */
export async function loadConfig(
  cache: ConfigCache,
  call: Transport,
  { endpoint, siteKey, nowMs }: ConfigRequest,
  signal: AbortSignal,
): Promise<ConfigAnswer> {
  const url = `${endpoint}/projects/${encodeURIComponent(siteKey)}/public-config`;
  const known = cache.get(url);
  if (known && nowMs - known.atMs < freshMs) return { kind: 'config', config: known.config };
  const headers = known?.etag ? { 'if-none-match': known.etag } : {};
  const answer = await call({ method: 'GET', url, headers, waitMsMax: rateWindowMs }, signal);
  if (answer.kind === 'trouble') return known ? { kind: 'config', config: known.config } : answer;
  if (answer.status === 304 && known) return keep(cache, url, { ...known, atMs: nowMs });
  if (answer.status !== 200) return answer;
  return keep(cache, url, { config: answer.body as PublicConfig, etag: answer.etag, atMs: nowMs });
}

/** The settings that a session reveals of its project, if its configuration cannot be read. */
export const configOf = ({ studyConfig, challengeConfig }: SessionReply, endpoint: string): MountConfig => ({
  ...studyConfig,
  siteKey: '',
  challengeEnabled: challengeConfig.count > 0,
  escalateOnSuspicion: studyConfig.livenessModels.length > 0,
  degradedMode: degradedModeDefault,
  demographics: false,
  userDisclosure: 'NEUTRAL',
  userDisclosureCustomText: null,
  branding: null,
  consent: null,
  warnings: [],
  models: { baseUrl: new URL('/sdk/v1/models/', endpoint).href },
});

function keep(cache: ConfigCache, url: string, entry: Entry): ConfigAnswer {
  if (cache.size >= entriesMax && !cache.has(url)) cache.delete(cache.keys().next().value ?? '');
  cache.set(url, entry);
  return { kind: 'config', config: entry.config };
}

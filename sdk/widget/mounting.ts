/**
 * A mount before its run: its options are read, the project's configuration is asked for, and device and policy are watched. Whatever was
 * begun here ends with the mount.
 */
import { waitFor } from './abort.js';
import { createActivity, type Activity } from './activity.js';
import type { MountOptions, VHMountResult } from './api.js';
import { configOf, loadConfig, type ConfigCache, type MountConfig } from './config.js';
import type { CspWatch } from './csp.js';
import { watchCsp } from './csp-watch.js';
import { watchDevice, type DeviceWatch } from './device.js';
import { createTransport, transportLimits, type Reply, type Transport, type Trouble } from './http.js';
import { createServiceCalls, type ServiceCalls } from './service.js';
import type { OpenSession } from './run.js';
import type { SessionSecrets } from './session-secrets.js';
import { readOptions } from './settings.js';
import { english, loadLanguage, offlineLanguage, type Language, type LoadTexts } from './ui/locale.js';

export interface Mounting {
  readonly options: MountOptions;
  readonly service: ServiceCalls;
  readonly device: DeviceWatch;
  readonly activity: Activity;
  readonly csp: CspWatch;
  readonly signal: AbortSignal;
  readonly locale: string;
  readonly language: Language;
  readonly config: MountConfig | Reply | Trouble;
  /** The session that stands in for a configuration that could not be read. */
  readonly created: OpenSession | null;
  /** Reads the project, again where it could not be read. */
  readonly read: () => Promise<ReadProject>;
}

type ReadProject = Pick<Mounting, 'config' | 'created' | 'language'>;

/** State that the mounts of a page share. */
export interface Shared {
  readonly cache: ConfigCache;
  /** API root; throws a VerifyError INVALID_OPTION where none is known. */
  readonly endpointOf: (given: string | undefined) => string;
  readonly loadTexts: LoadTexts;
  readonly secrets: SessionSecrets;
}

/** How long a page may look empty while its project is read. */
const emptyMsMax = 2_000;

/** Shows that the check is loading; the function returned takes that away again. */
export type ShowLoading = (look: Pick<Mounting, 'options' | 'language'>) => () => void;

/** Rejects with a VerifyError INVALID_OPTION, or the signal's reason. `onEnd` is called once, when there is nothing more to report. */
export async function prepare(
  { cache, endpointOf, loadTexts, secrets }: Shared,
  given: MountOptions,
  signal: AbortSignal,
  onEnd: () => void,
  showLoading?: ShowLoading,
): Promise<Mounting> {
  const options = readOptions(given);
  const endpoint = endpointOf(options.apiEndpoint);
  const csp = watchCsp(document);
  const call = makeTransport(csp);
  const device = watchDevice();
  const activity = createActivity(endpoint, device, () => {
    device.stop();
    onEnd();
  });
  const locale = options.locale ?? (document.documentElement.lang || navigator.language);
  const service = createServiceCalls(endpoint, call, secrets);
  const readConfig = async (): Promise<Pick<Mounting, 'config' | 'created'>> => {
    const request = { endpoint, siteKey: options.siteKey, nowMs: performance.now() };
    const answer = await loadConfig(cache, call, request, signal);
    if (answer.kind === 'config') return { config: answer.config, created: null };
    // After a timeout all time is spent. Otherwise only this one address may be blocked, and a session says how it is run.
    if (answer.kind === 'reply' || answer.reason === 'timeout') return { config: answer, created: null };
    const said = await service.createSession(options, options.previousSessionId ?? null, signal);
    if (said.kind !== 'said') return { config: said, created: null };
    activity.follow(said.value);
    const created = { session: said.value, originMs: performance.now() };
    return { created, config: configOf(said.value, endpoint) };
  };
  const read = async (): Promise<ReadProject> => {
    const [project, language] = await Promise.all([readConfig(), loadLanguage(locale, loadTexts)]);
    const known = 'kind' in project.config ? offlineLanguage(locale) : english;
    return { ...project, language: language ?? known };
  };
  let hideLoading: (() => void) | undefined;
  const timer = setTimeout(
    () => (hideLoading = showLoading?.({ options, language: offlineLanguage(locale) })),
    emptyMsMax,
  );
  const project = await read()
    .catch((error: unknown) => {
      stop({ activity, csp });
      throw error;
    })
    .finally(() => {
      clearTimeout(timer);
      hideLoading?.();
    });
  return { options, service, device, activity, csp, signal, locale, read, ...project };
}

export const makeTransport = (csp: CspWatch): Transport =>
  createTransport({
    fetch: (...request) => fetch(...request),
    random: Math.random,
    now: () => performance.now(),
    wait: waitFor,
    csp,
    limits: transportLimits,
  });

export function stop({ activity, csp }: Pick<Mounting, 'activity' | 'csp'>): void {
  activity.stop();
  csp.stop();
}

/** After a mount resolves, activity is reported until the session's time is over, or the mount is called off: its element leaves the page. */
export async function settled(mounting: Mounting, running: Promise<VHMountResult>): Promise<VHMountResult> {
  const { activity, csp, signal } = mounting;
  try {
    const result = await running;
    if (result.token === null || signal.aborted) activity.stop();
    else signal.addEventListener('abort', activity.stop, { once: true });
    csp.stop();
    return result;
  } catch (error) {
    stop(mounting);
    throw error;
  }
}

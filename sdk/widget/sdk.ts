/**
 * The SDK of one page: mounts, sessions without a mount, token checks. Making it touches nothing and needs no page; its mounts share what
 * they have seen of projects' configurations.
 */
import type { PublicConfig } from '../../src/contract/project.js';
import type { SessionReply } from '../../src/contract/session.js';
import { createActivity, type Activity } from './activity.js';
import type { DegradedMode, MountOptions, TokenVerdict, VerifyTokenOptions, VHMountResult, VHSession } from './api.js';
import { loadConfig, type ConfigCache } from './config.js';
import type { CspWatch } from './csp.js';
import { watchCsp } from './csp-watch.js';
import { watchDevice, type DeviceWatch } from './device.js';
import { abortError, CameraAccessError, VerifyError } from './errors.js';
import { estimate } from './estimate.js';
import { createTransport, transportLimits, waitFor, type Reply, type Transport, type Trouble } from './http.js';
import type { End, Plan } from './machine.js';
import type { Camera, CreateView, Outcome, ViewOptions } from './ports.js';
import {
  degradedModeDefault,
  degradedResult,
  dispatchOf,
  refusalError,
  resultOf,
  troubleError,
  verdictError,
  type LocalFacts,
} from './result.js';
import { optionsOf, run, settle, type OpenSession, type RunOutcome } from './run.js';
import { createServiceCalls, type ServiceCalls } from './service.js';
import { readOptions, resolveEndpoint } from './settings.js';
import { createTokenCheck } from './token.js';

/** What differs between the script and the package. */
export interface SdkParts {
  /** The script's own address; null for one without; undefined for the package, which has to be told where the service is. */
  readonly scriptUrl: string | null | undefined;
  readonly createView: CreateView;
  readonly loadCamera: () => Promise<Camera>;
}

export interface Sdk {
  mount(target: Element | string, options: MountOptions, signal?: AbortSignal): Promise<VHMountResult>;
  session(options: MountOptions): Promise<VHSession>;
  verifyToken(jwt: string, options?: VerifyTokenOptions): Promise<TokenVerdict>;
}

/** Everything of one mount before its run: what the page said, and what the project says. */
interface Mounting {
  readonly options: MountOptions;
  readonly service: ServiceCalls;
  readonly device: DeviceWatch;
  readonly activity: Activity;
  readonly csp: CspWatch;
  readonly signal: AbortSignal;
  readonly locale: string;
  readonly config: PublicConfig | Reply | Trouble;
}

export function createSdk(parts: SdkParts): Sdk {
  const cache: ConfigCache = new Map();
  const checkToken = createTokenCheck();
  const endpointOf = (given: string | undefined): string => resolveEndpoint(given, parts.scriptUrl, pageRoot());

  async function prepare(given: MountOptions, signal: AbortSignal): Promise<Mounting> {
    const options = readOptions(given);
    const endpoint = endpointOf(options.apiEndpoint);
    const csp = watchCsp(document);
    const call = transport(csp);
    const device = watchDevice();
    const activity = createActivity(endpoint, device, device.stop);
    const request = { endpoint, siteKey: options.siteKey, nowMs: performance.now() };
    const answer = await loadConfig(cache, call, request, signal).catch((error: unknown) => {
      stop({ activity, csp });
      throw error;
    });
    const locale = options.locale ?? (document.documentElement.lang || navigator.language);
    const config = answer.kind === 'config' ? answer.config : answer;
    return { options, service: createServiceCalls(endpoint, call), device, activity, csp, signal, locale, config };
  }

  async function runIn(host: Element, mounting: Mounting, created: OpenSession | null): Promise<VHMountResult> {
    const { config, options, signal } = mounting;
    if ('kind' in config) return finish(mounting, endOf(config), null);
    const plan = planOf(options, config);
    const view = parts.createView(viewOptionsOf(host, plan, mounting, config));
    try {
      const outcome = await run({
        ...mounting,
        plan,
        view,
        loadCamera: parts.loadCamera,
        modelsBaseUrl: config.models.baseUrl.replace(/\/*$/, '/'),
        created,
      });
      if (outcome.end.kind === 'camera' || outcome.end.kind === 'aborted') view.close();
      const result = await finish(mounting, outcome.end, outcome);
      // The machine knows no result of a mount without the service, so that it has not been shown.
      if (outcome.end.kind === 'unreachable' && plan.mode !== 'invisible')
        void view.showOutcome(unverifiedOutcome(result));
      return result;
    } catch (error) {
      if (signal.aborted) view.close();
      signal.throwIfAborted();
      throw error;
    }
  }

  return {
    async mount(target, given, signal = new AbortController().signal) {
      const host = findHost(target);
      const mounting = await prepare(given, signal);
      return settled(mounting, runIn(host, mounting, null));
    },
    async session(given) {
      const abort = new AbortController();
      const mounting = await prepare(given, abort.signal);
      const created = await createFirst(mounting).catch((error: unknown) => {
        stop(mounting);
        throw error;
      });
      return sessionOf(created, abort, mounting, async (target) => runIn(findHost(target), mounting, created));
    },
    verifyToken: (jwt, { apiEndpoint, audience } = {}) => {
      const csp = watchCsp(document);
      return checkToken(jwt, endpointOf(apiEndpoint), audience, transport(csp)).finally(() => csp.stop());
    },
  };
}

const transport = (csp: CspWatch): Transport =>
  createTransport({
    fetch: (...request) => fetch(...request),
    random: Math.random,
    now: () => performance.now(),
    wait: waitFor,
    csp,
    limits: transportLimits,
  });

const pageRoot = (): string => `${location.origin}/api/v1`;

function stop({ activity, csp }: Pick<Mounting, 'activity' | 'csp'>): void {
  activity.stop();
  csp.stop();
}

/** Of a mount that resolves, the activity is reported until the session's time is over, or the mount is called off. */
async function settled(mounting: Mounting, running: Promise<VHMountResult>): Promise<VHMountResult> {
  const { activity, csp, signal } = mounting;
  try {
    const result = await running;
    if (result.token === null || signal.aborted) activity.stop();
    else signal.addEventListener('abort', activity.stop);
    csp.stop();
    return result;
  } catch (error) {
    stop(mounting);
    throw error;
  }
}

function findHost(target: Element | string): Element {
  const found = typeof target === 'string' ? document.querySelector(target) : target;
  if (found instanceof Element) return found;
  throw new VerifyError(
    'INVALID_OPTION',
    `There is no element ${typeof target === 'string' ? target : ''} to mount into.`,
    {
      recoverable: false,
    },
  );
}

function planOf(options: MountOptions, config: PublicConfig): Plan {
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

function viewOptionsOf(
  host: Element,
  { mode }: Plan,
  { options, locale }: Mounting,
  config: PublicConfig,
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

const endOf = (answer: Reply | Trouble): End =>
  answer.kind === 'reply' ? { kind: 'refused', reply: answer } : { kind: 'unreachable', trouble: answer };

/** The page's own estimate is nobody's verdict, so that the respondent is told that they can go on, whatever it is. */
const unverifiedOutcome = ({ degraded, status }: VHMountResult): Outcome =>
  degraded === true ? { status: 'pass', code: 'DEGRADED', canRetry: false } : { status, code: null, canRetry: false };

/** The result of an end, or its error. */
async function finish(mounting: Mounting, end: End, outcome: RunOutcome | null): Promise<VHMountResult> {
  const { options, config } = mounting;
  const sessionId = outcome?.sessionId ?? undefined;
  switch (end.kind) {
    case 'refused':
      throw refusalError(end.reply, sessionId);
    case 'camera':
      throw new CameraAccessError(end.reason);
    case 'aborted':
      throw abortError();
    case 'unreachable': {
      const mode: DegradedMode = options.degradedMode ?? ('kind' in config ? degradedModeDefault : config.degradedMode);
      if (mode === 'FAIL_CLOSED') throw troubleError(end.trouble);
      return degradedResult(mode, end.trouble.reason, sessionId ?? null, await localFacts(mounting, outcome));
    }
    case 'verdict': {
      const isScored = !('kind' in config) && config.verificationMode === 'score';
      if (!isScored && end.reply.status !== 'pass') throw verdictError(end.reply);
      const result = resultOf(end.reply, await localFacts(mounting, outcome));
      if (end.envelope !== null) dispatch(options, dispatchOf(end.envelope));
      return result;
    }
  }
}

/** Tells the page, and goes on to the redirect after the mount's promise has been seen, unless the page said false. */
function dispatch({ onResult }: MountOptions, dispatched: ReturnType<typeof dispatchOf>): void {
  let answer: unknown;
  try {
    answer = onResult?.(dispatched);
  } catch (error) {
    reportFailure('onResult', error);
  }
  const { redirectUrl } = dispatched;
  if (answer !== false && redirectUrl !== null) setTimeout(() => location.assign(redirectUrl));
}

/** A callback of the page that throws changes no verdict. */
export function reportFailure(callback: string, error: unknown): void {
  // eslint-disable-next-line no-console -- the page's author looks there
  console.error(`VerifyHuman: the page’s ${callback} threw`, error);
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

/** The session of `VH.session`, made before anything is shown. Throws where the service refused or could not be reached. */
async function createFirst({ config, options, service, activity, signal }: Mounting): Promise<OpenSession> {
  if ('kind' in config) throw errorOf(config);
  const plan = planOf(options, config);
  const said = await service.createSession(optionsOf({ options, plan }, false), plan.previousSessionId, signal);
  if (said.kind !== 'said') throw errorOf(said);
  const session: SessionReply = said.value;
  activity.follow(session);
  return { session, originMs: performance.now() };
}

const errorOf = (answer: Reply | Trouble): VerifyError =>
  answer.kind === 'reply' ? refusalError(answer) : troubleError(answer);

function sessionOf(
  { session }: OpenSession,
  abort: AbortController,
  mounting: Mounting,
  runAt: (target: Element | string) => Promise<VHMountResult>,
): VHSession {
  let running: Promise<VHMountResult> | undefined;
  return {
    sessionId: session.sessionId,
    expiresAt: session.expiresAt,
    start: (target = document.body) => (running ??= settled(mounting, settle(runAt(target), abort.signal))),
    cancel() {
      abort.abort(abortError());
      stop(mounting);
    },
  };
}

/**
 * The SDK of one page: mounts, sessions without a mount, token checks. Making it touches nothing and needs no page; its mounts share what
 * they have seen of projects' configurations.
 */
import { onAbort, settle } from './abort.js';
import type { MountOptions, TokenVerdict, VerifyTokenOptions, VHMountResult, VHSession } from './api.js';
import { watchCsp } from './csp-watch.js';
import { abortError, invalidOption, type VerifyError } from './errors.js';
import { endOf, finish, unreachable, unverifiedOutcome } from './finish.js';
import { loadingPage } from './loading-page.js';
import { createModelLoader } from './models.js';
import { outcomeOfError } from './machine.js';
import { makeTransport, prepare, settled, type Mounting, type Shared } from './mounting.js';
import { planOf, viewOptionsOf, type Look } from './plan.js';
import type { Camera, CreateView } from './ports.js';
import { watchPresence } from './presence.js';
import { run, type OpenSession } from './run.js';
import { createFirst, sessionOf } from './session.js';
import { createSessionSecrets } from './session-secrets.js';
import { resolveEndpoint } from './settings.js';
import { createTokenCheck } from './token.js';
import type { LoadTexts } from './ui/locale.js';

/** The differences between the script and the package. */
export interface SdkParts {
  /** The script's own address; undefined where it has none, as in the package. */
  readonly scriptUrl: string | undefined;
  /** The API root where the script does not know its own address; empty for none. */
  readonly builtInRoot?: string;
  readonly createView: CreateView;
  readonly loadTexts: LoadTexts;
  readonly loadCamera: () => Promise<Camera>;
}

type OnFailedTry = (error: VerifyError) => void;

export interface Sdk {
  /** `onFailedTry` gets the error of each verdict that fails in block mode; the respondent may try again before the mount settles. */
  mount(
    target: Element | string,
    options: MountOptions,
    signal?: AbortSignal,
    onFailedTry?: OnFailedTry,
  ): Promise<VHMountResult>;
  session(options: MountOptions): Promise<VHSession>;
  verifyToken(jwt: string, options?: VerifyTokenOptions): Promise<TokenVerdict>;
}

export function createSdk(parts: SdkParts): Sdk {
  const checkToken = createTokenCheck();
  const shared: Shared = {
    cache: new Map(),
    loadTexts: parts.loadTexts,
    secrets: createSessionSecrets(() => sessionStorage, Date.now),
    endpointOf: (given) => onThisPage(resolveEndpoint(given, parts.scriptUrl, parts.builtInRoot)),
  };
  return {
    async mount(target, given, signal = new AbortController().signal, onFailedTry) {
      const host = findHost(target);
      const abort = new AbortController();
      // Until the mount has failed, or its reports have ended.
      const release = onAbort(signal, () => abort.abort(signal.reason));
      const forget = watchPresence(host, () => abort.abort(abortError()));
      const leave = () => {
        release();
        forget();
      };
      try {
        const mounting = await prepare(shared, given, abort.signal, leave, (look) => showLoading(parts, host, look));
        return await settled(mounting, runIn(parts, host, mounting, null, onFailedTry));
      } catch (error) {
        leave();
        throw error;
      }
    },
    async session(given) {
      const abort = new AbortController();
      let forget = () => {};
      const mounting = await prepare(shared, given, abort.signal, () => forget());
      const created = await createFirst(mounting);
      return sessionOf(created, abort, mounting, async (target) => {
        const host = findHost(target);
        forget = watchPresence(host, () => abort.abort(abortError()));
        return settle(runIn(parts, host, mounting, created), abort.signal);
      });
    },
    verifyToken: (jwt, { apiEndpoint, ...expected } = {}) => {
      const csp = watchCsp(document);
      return checkToken(jwt, shared.endpointOf(apiEndpoint), expected, makeTransport(csp)).finally(() => csp.stop());
    },
  };
}

/** The whole address, also of a path of the page's own host. */
function onThisPage(endpoint: string): string {
  if (URL.canParse(endpoint, location.href)) return new URL(endpoint, location.href).href;
  throw invalidOption(`apiEndpoint is no web address: ${endpoint}`);
}

function findHost(target: Element | string): Element {
  if (target instanceof Element) return target;
  const found = typeof target === 'string' ? find(target) : null;
  if (found !== null) return found;
  const what =
    typeof target === 'string'
      ? `Element ${target} does not exist. Mount when it is on the page.`
      : `The mount target is ${String(target)}. Pass an element or a selector.`;
  throw invalidOption(what);
}

function find(selector: string): Element | null {
  try {
    return document.querySelector(selector);
  } catch (cause) {
    throw invalidOption(`${selector} is not a CSS selector. Pass an element or a valid selector.`, cause);
  }
}

/** A card of no project: neither its mode nor its texts are known yet. A page that chose invisible mode shows nothing. */
function showLoading({ createView }: SdkParts, host: Element, look: Omit<Look, 'config'>): () => void {
  if (look.options.widgetMode === 'invisible') return () => undefined;
  const view = createView({ ...viewOptionsOf(host, { ...look, config: null }), mode: 'standard' });
  view.showProgress('starting');
  return view.close;
}

/** A mount whose project could be read; the same one where it cannot be, and the respondent has seen why. */
async function readable(parts: SdkParts, host: Element, mounting: Mounting): Promise<Mounting> {
  const { config, options } = mounting;
  if (!('kind' in config) || options.widgetMode === 'invisible') return mounting;
  const view = parts.createView(viewOptionsOf(host, mounting));
  onAbort(mounting.signal, view.close);
  if (config.kind === 'trouble' && options.degradedMode !== 'FAIL_CLOSED') {
    void view.showOutcome(unreachable);
    return mounting;
  }
  if ((await settle(view.showOutcome(outcomeOfError(config)), mounting.signal)) === 'done') return mounting;
  view.showProgress('starting');
  const project = await mounting.read();
  view.close();
  return readable(parts, host, { ...mounting, ...project });
}

async function runIn(
  parts: SdkParts,
  host: Element,
  prepared: Mounting,
  created: OpenSession | null,
  onFailedTry?: OnFailedTry,
): Promise<VHMountResult> {
  const mounting = await readable(parts, host, prepared);
  const { config, options, signal } = mounting;
  if ('kind' in config) return finish(mounting, endOf(config), null);
  const plan = planOf(options, config);
  const modelsBaseUrl = config.models.baseUrl.replace(/\/*$/, '/');
  const look = viewOptionsOf(host, mounting);
  const { demands } = look;
  const view = parts.createView(look);
  const modelsOf = () => ({
    baseUrl: modelsBaseUrl,
    demographics: config.demographics,
    takesPictures: demands.evidenceFrames === 'sampled',
  });
  try {
    const outcome = await run({
      ...mounting,
      plan,
      view,
      demands,
      models: createModelLoader(parts.loadCamera, modelsOf, loadingPage()),
      onVerdict(detail, error) {
        host.dispatchEvent(new CustomEvent('vh:outcome', { bubbles: true, detail }));
        if (error !== null && !plan.isScored) onFailedTry?.(error);
      },
      modelsBaseUrl,
      created: created ?? mounting.created,
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

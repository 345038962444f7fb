/**
 * Pages that carry the browser SDK by each of its ways in, under the content security policy that integrators are told, on an origin of their
 * own, in real Chromium. What comes of a mount is read the same for all ways.
 */
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import type { MountOptions, VHMountResult } from '../../sdk/widget/api.js';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';
import { launchDriven, startDisplay } from './browser.js';
import { readPersonFiles } from './capture-page.js';
import { readRepositoryFile, repositoryRoot } from './repository.js';
import { startStaticSite, type StaticSite } from './static-site.js';
import { pollUntil } from './wait-until.js';

/** The package's entry for Next.js hands on that for React, as test/sdk/widget/package.test.ts holds. */
export const ways = ['html', 'mount', 'react'] as const;
export type Way = (typeof ways)[number];

/** How a mount ended: one of the two is null. Errors are told by their public fields. */
export interface Ended {
  readonly result: VHMountResult | null;
  readonly error: {
    readonly name: string;
    readonly code: string | null;
    readonly message: string;
    readonly recoverable: boolean | null;
    readonly context: Record<string, unknown> | null;
    readonly reason: string | null;
  } | null;
}

export type PlainOptions = Omit<MountOptions, 'onResult'>;

export interface SdkPage {
  readonly page: Page;
  /** Console errors and uncaught errors so far. */
  readonly errors: string[];
  /** Begins a mount; `settled` waits for its end. */
  begin(options: PlainOptions): Promise<void>;
  settled(timeoutMs?: number): Promise<Ended>;
}

export interface SdkSite {
  readonly site: StaticSite;
  /** The policy of its pages. */
  readonly policy: string;
  /** `person` is a page of `mount` that can put a computed person before its camera, `bare` one without a script; `policy` takes the place of the site's. */
  open(way: Way | 'person' | 'bare', prepare?: (page: Page) => Promise<unknown>, policy?: string): Promise<SdkPage>;
  /** Clears what the site keeps in the browser, which takes part as another one from then on. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Runs in the page: what a widget shows, in words. */
const shownText = `[...document.querySelectorAll('*')].map(({ shadowRoot }) => shadowRoot?.textContent ?? '').join(' ').slice(0, 500)`;

/** The policy of docs/reference/browser-sdk.md for a site that takes the script from the service, and models from there or another host. */
export const policyFor = (serviceOrigin: string, modelsOrigin = ''): string =>
  [
    "default-src 'none'",
    `connect-src 'self' ${serviceOrigin} ${modelsOrigin}`.trim(),
    `script-src 'self' ${serviceOrigin} 'wasm-unsafe-eval'`,
    "worker-src 'self' blob:",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
  ].join('; ');

/** Runs in the page: sums an end up as `Ended`. Serialised, so it may refer to nothing outside itself. */
const recorder = `
  const plain = (error) => ({ name: error.name, code: error.code ?? null, message: error.message,
    recoverable: error.recoverable ?? null, context: error.context ?? null, reason: error.reason ?? null });
  window.seen = { ended: null, dispatches: [], events: [], answer: undefined };
  window.ended = (result, error) => { window.seen.ended = { result, error: error && plain(error) }; };
  document.addEventListener('vh:verified', (event) => { seen.events.push(event.type); window.fromEvent?.(event.detail); });
  document.addEventListener('vh:error', (event) => { seen.events.push(event.type); window.ended(null, event.detail); });
  document.addEventListener('vh:integrity-error', (event) => seen.events.push(event.type + ' ' + event.detail.name));
`;

const reactEntry = `
  import { createRoot } from 'react-dom/client';
  import { useVerifyHuman, VerifyHuman } from './sdk/react.js';
  window.render = (options) => createRoot(document.getElementById('target')).render(
    <VerifyHuman {...options} onVerified={(result) => window.ended(result, null)} onError={(error) => window.ended(null, error)}
      onResult={(dispatch) => { window.seen.dispatches.push(dispatch); return window.seen.answer; }} />);
  const Hooked = (options) => { window.hook = useVerifyHuman(options); return <div ref={window.hook.ref} />; };
  window.renderHook = (options) => createRoot(document.getElementById('target')).render(<Hooked {...options} />);
`;

async function bundleReact(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: reactEntry, resolveDir: repositoryRoot, loader: 'tsx' },
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    target: 'es2022',
    platform: 'browser',
    // A bundler splits it off in the same way.
    alias: { '#capture': '/capture.js' },
    external: ['/capture.js'],
  });
  return outputFiles[0]?.text ?? '';
}

async function startSdkSite(
  context: BrowserContext,
  { siteUrl, baseUrl }: Bootstrap,
  modelsOrigin: string | undefined,
): Promise<SdkSite> {
  const script = `<script src="${siteUrl}/sdk/v1/verifyhuman.umd.js"></script>`;
  const pageOf = (scripts: string) =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Survey</title><body><div id="target"></div>${scripts}</body></html>`;
  const policy = policyFor(siteUrl, modelsOrigin);
  const site = await startStaticSite({
    files: {
      '/script': pageOf(script),
      '/person': pageOf(`<video hidden></video>${script}<script type="module" src="/run.js"></script>`),
      ...readPersonFiles(),
      '/react': pageOf('<script type="module" src="/react.js"></script>'),
      '/react.js': await bundleReact(),
      '/bare': pageOf(''),
      '/copied.js': readRepositoryFile('dist/sdk/lite/v1/vh-lite.esm.js'),
      '/capture.js': readRepositoryFile('dist/sdk/v1/verifyhuman.capture.js'),
      '/done': '<!doctype html><title>Done</title>done',
      '/favicon.ico': '',
    },
    headers: ({ searchParams }) => ({ 'content-security-policy': searchParams.get('policy') ?? policy }),
  });
  return {
    site,
    policy,
    close: () => site.close(),
    async forget() {
      const client = await context.newCDPSession(context.pages()[0] ?? (await context.newPage()));
      await client.send('Storage.clearDataForOrigin', { origin: site.origin, storageTypes: 'all' });
      await client.detach();
    },
    async open(way, prepare, given) {
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.addInitScript(recorder);
      // A page whose requests may be intercepted takes nothing out of the browser's cache: every mount reads the project as it is now.
      await page.route('**/never-asked-for', (route) => route.abort());
      await prepare?.(page);
      const path = way === 'html' || way === 'mount' ? 'script' : way;
      const query = given === undefined ? '' : `?policy=${encodeURIComponent(given)}`;
      await page.goto(`${site.origin}/${path}${query}`, { waitUntil: 'load' });
      return {
        page,
        errors,
        async begin(options) {
          const beginner = beginners[way === 'person' || way === 'bare' ? 'mount' : way];
          await page.evaluate(`(${beginner})(${JSON.stringify({ apiEndpoint: baseUrl, ...options })})`);
        },
        // The page's policy forbids the evaluation that playwright's own waiting needs.
        settled: (timeoutMs) =>
          pollUntil<Ended>(
            `the end of a mount by ${way}`,
            async () => (await page.evaluate<Ended | null>('window.seen.ended')) ?? undefined,
            timeoutMs,
          ).catch(async (error: unknown) => {
            throw new Error(`${String(error)} The widget says: ${await page.evaluate<string>(shownText)}`);
          }),
      };
    },
  };
}

/** Such pages in a browser with a window, which looks less like automation; everything ends with the test. `modelsOrigin` is for their policy. */
export async function startSdkSiteInWindow(
  t: { teardown(work: () => Promise<void>): unknown },
  bootstrap: Bootstrap,
  modelsOrigin?: string,
): Promise<SdkSite> {
  const display = await startDisplay();
  const driven = await launchDriven({
    headless: false,
    display: display.name,
    args: ['--disable-blink-features=AutomationControlled'],
    // Pages are kept when they are left, as browsers do by themselves.
    ignoreDefaultArgs: ['--enable-automation', '--disable-back-forward-cache'],
  });
  const site = await startSdkSite(driven.context, bootstrap, modelsOrigin);
  t.teardown(async () => {
    await driven.close();
    await display.close();
    await site.close();
  });
  return site;
}

/** The page's side of each way; `fromCallback` and the event must bring the very same result. */
const beginners: Record<Way, string> = {
  html: `(options) => {
    const names = { siteKey: 'data-sitekey', widgetTheme: 'data-theme', widgetStyle: 'data-style' };
    const element = document.getElementById('target');
    for (const [name, value] of Object.entries(options)) {
      const attribute = names[name] ?? 'data-' + name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase());
      element.setAttribute(attribute, typeof value === 'string' ? value : JSON.stringify(value));
    }
    window.fromCallback = (result) => { window.fromEvent = (again) => window.ended(again === result ? result : null, null); };
    element.setAttribute('data-callback', 'fromCallback');
    VerifyHuman.init();
  }`,
  mount: `(options) => {
    const onResult = (dispatch) => { seen.dispatches.push(dispatch); return seen.answer; };
    VH.mount('#target', { ...options, onResult }).then((result) => ended(result, null), (error) => ended(null, error));
  }`,
  react: '(options) => window.render(options)',
};

/** A press that takes its time: a click without one is told from a hand. */
export const pressed = { delay: 90 };

/** A camera that shows noise, and no face; its tracks are the page’s `tracks`. */
export const showNoise = async (page: Page): Promise<void> => {
  await page.addInitScript(`navigator.mediaDevices.getUserMedia = async () => {
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('2d');
      setInterval(() => { context.fillStyle = 'rgb(' + [0, 0, 0].map(() => Math.random() * 255 | 0) + ')'; context.fillRect(0, 0, 640, 480); }, 100);
      const stream = canvas.captureStream(15);
      (window.tracks ??= []).push(...stream.getTracks());
      return stream;
    }`);
};

/** A camera that says no, as after a lasting refusal; how often it was asked for is the page’s `asked`. */
export const failCamera = (name: string, message: string) => async (page: Page) => {
  await page.addInitScript(`window.asked = 0;
    navigator.permissions.query = async () => ({ state: 'denied' });
    navigator.mediaDevices.getUserMedia = async () => {
      window.asked += 1;
      throw new DOMException(${JSON.stringify(message)}, ${JSON.stringify(name)});
    };`);
};

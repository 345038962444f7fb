/**
 * A page with the camera part of the SDK, its models and, where a test wants one, a computed person before its camera. Opened in real
 * Chromium under the content security policy that an embedding page is asked for.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import type { ChallengeCall } from '../../src/contract/session.js';
import type { IssuedChallenge } from '../../src/contract/verdict.js';
import { hasChromium, launchDriven, openContext, type Driven } from './browser.js';
import { temporaryDirectory } from './directories.js';
import { repositoryPath } from './repository.js';
import type { FrameClock } from './frame-clock.js';
import { startStaticSite, type StaticSite } from './static-site.js';
import { pollUntil } from './wait-until.js';

export const modelsPath = '/models/';
export const withoutChromium = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';

export interface Test {
  teardown(work: () => Promise<void>): unknown;
}

/** The result of a capture, seen from the page. The outcome is the camera part's. */
export interface CaptureRun {
  readonly outcome?: {
    readonly kind: 'captured' | 'unavailable' | 'refused';
    readonly reason?: string;
    readonly name?: string;
    readonly parts: Readonly<Record<string, unknown>>;
    readonly telemetry: Readonly<Record<string, unknown>>;
  };
  readonly rejected?: string;
  readonly guided: readonly {
    readonly kind: string;
    readonly type?: string;
    readonly atMs: number;
    readonly bytes?: { readonly loaded: number; readonly total: number };
  }[];
  /** The calls for challenges of a service, each at the time of its answer. */
  readonly calls: readonly ChallengeCall[];
  readonly tracks: readonly string[];
  readonly tracksAtDone: readonly string[] | null;
  readonly isShowing: boolean;
  readonly totalMs: number;
}

export interface RunOptions {
  readonly challenges?: readonly IssuedChallenge[];
  /** A session of a service, asked for its challenges in place of those. */
  readonly session?: {
    readonly url: string;
    readonly clientSecret: string;
    readonly count: number;
    readonly jitterMs?: number;
    readonly patienceMs?: number;
  };
  readonly models?: string;
  readonly answering?: boolean;
  readonly abortAt?: string;
  readonly deepfake?: boolean;
  readonly demographics?: boolean;
  readonly pictures?: boolean;
  /** How long challenges wait that no service gives, ms. */
  readonly startAfterMs?: number;
}

export interface CapturePage {
  readonly page: Page;
  readonly site: StaticSite;
  /** Puts a computed person before the camera; options of test/sdk/capture/page/run.js. */
  placeFace(options?: Readonly<Record<string, unknown>>): Promise<void>;
  run(options?: RunOptions): Promise<CaptureRun>;
  /** Messages of the console and errors of the page. */
  readonly complaints: readonly string[];
}

export interface CapturePageOptions {
  /** A browser that runs, where the page gets a context of its own; else one is started, with `args`. */
  readonly browser?: Driven | undefined;
  /** Flags of Chromium, besides those that let a page have a camera without asking. */
  readonly args?: readonly string[];
  /** Model files to answer with other bytes, or null for not at all, by a part of their name. */
  readonly models?: Readonly<Record<string, Buffer | null>>;
  /** Host that the page may also fetch from. */
  readonly connect?: string;
  /** Permission for the camera; given unless said otherwise. */
  readonly permitted?: boolean;
  /** How many times slower the page’s own thread runs; not its workers. */
  readonly slowness?: number;
  readonly clock?: FrameClock;
}

/** Files below dist/sdk/v1, as the build made them. */
const builtPath = (path: string): string => repositoryPath(join('dist/sdk/v1', path));

export async function openCapturePage(t: Test, options: CapturePageOptions = {}): Promise<CapturePage> {
  const { models = {}, connect = '', permitted = true, slowness = 1 } = options;
  const site = await startStaticSite({
    files: {
      '/': '<!doctype html><meta charset="utf-8"><title>capture</title><video muted playsinline></video><script type="module" src="/run.js"></script>',
      '/favicon.ico': '',
      ...readPersonFiles(),
      '/capture.js': readFileSync(builtPath('verifyhuman.capture.js')),
      ...readModels(models),
    },
    headers: {
      'content-security-policy': [
        `default-src 'none'`,
        `connect-src 'self' ${connect}`,
        `script-src 'self' 'wasm-unsafe-eval'`,
        `worker-src 'self' blob:`,
        `img-src 'self' data: blob:`,
        `media-src 'self' blob:`,
      ].join('; '),
    },
  });
  t.teardown(() => site.close());
  const context = await contextOf(t, options);
  if (permitted) await context.grantPermissions(['camera'], { origin: site.origin });
  const page = await context.newPage();
  await options.clock?.set(page);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const rate = { rate: slowness };
  if (slowness > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', rate);
  await page.goto(site.origin);
  // Not waitForFunction: it evaluates in the page what the policy forbids.
  await pollUntil('the page', async () =>
    (await page.evaluate('"runCapture" in window')) === true ? true : undefined,
  );
  return {
    page,
    site,
    complaints,
    placeFace: (face = {}) => page.evaluate(`placeFace(${JSON.stringify(face)})`),
    run: ({ challenges = [], models: base = modelsPath, ...rest } = {}) =>
      page.evaluate(`runCapture(${JSON.stringify({ challenges, models: base, ...rest })})`),
  };
}

async function contextOf(t: Test, { browser, args = [] }: CapturePageOptions): Promise<BrowserContext> {
  if (browser === undefined) {
    const driven = await launchDriven({ args: [...args] });
    t.teardown(() => driven.close());
    return driven.context;
  }
  const context = await openContext(browser);
  t.teardown(() => context.close());
  return context;
}

/** Flags of Chromium that show a file as its camera, over and over: frames of the computed person, who moves at the frames named. */
export async function recordCamera(
  t: Test,
  count: number,
  moveAt: Readonly<Record<number, string>>,
): Promise<{ readonly args: readonly string[] }> {
  const { page, placeFace } = await openCapturePage(t);
  await placeFace({});
  const frames: string[] = await page.evaluate(`recordFace(${count}, ${JSON.stringify(moveAt)})`);
  const file = join(temporaryDirectory(t), 'clip.mjpeg');
  writeFileSync(file, Buffer.concat(frames.map((frame) => Buffer.from(frame, 'base64'))));
  await page.close();
  return { args: ['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${file}`] };
}

/** The files of a page with a computed person: `/run.js` and its imports. */
export const readPersonFiles = (): Record<string, Buffer> => ({
  ...readFolder('test/sdk/capture/page', '/', /\.js$/),
  '/photo.jpg': readFileSync(repositoryPath('node_modules/@vladmandic/face-api/demo/sample6.jpg')),
  '/human.esm.js': readFileSync(repositoryPath('node_modules/@vladmandic/human/dist/human.esm.js')),
  ...readFolder('node_modules/@vladmandic/human/models', '/human/', /^(blazeface|facemesh|models)\./),
  ...readFolder('node_modules/@tensorflow/tfjs-backend-wasm/dist', '/wasm/', /\.wasm$/),
});

function readFolder(folder: string, prefix: string, takes: RegExp): Record<string, Buffer> {
  const names = readdirSync(repositoryPath(folder)).filter((name) => takes.test(name));
  return Object.fromEntries(names.map((name) => [prefix + name, readFileSync(repositoryPath(join(folder, name)))]));
}

/** The model files, below `/models/`; `changed` are answered with other bytes or not at all, by a part of their name. */
export function readModels(changed: Readonly<Record<string, Buffer | null>> = {}): Record<string, Buffer> {
  const files: Record<string, Buffer> = {};
  for (const name of readdirSync(builtPath('models')).filter((one) => !/\.(br|gz)$/.test(one))) {
    const change = Object.entries(changed).find(([part]) => name.startsWith(part));
    const bytes = change === undefined ? readFileSync(builtPath(join('models', name))) : change[1];
    if (bytes !== null) files[modelsPath + name] = bytes;
  }
  return files;
}

/** Challenges as a server issues them, for captures that no server judges. */
export const challengesOf = (...types: readonly IssuedChallenge['type'][]): IssuedChallenge[] =>
  types.map((type, index) => ({ id: `challenge-${index + 1}`, type, timeoutMs: 8_000 }));

/** Runs in the page: the person does what the stage asks for. */
export const answering = `(() => {
  const asked = { 'Blink slowly': 'blink', 'Turn your head to the left': 'turn_left', 'Turn your head to the right': 'turn_right',
    'Nod your head': 'nod', Smile: 'smile' };
  let last = '';
  setInterval(() => {
    const roots = [...document.querySelectorAll('div')].map(({ shadowRoot }) => shadowRoot);
    const shown = roots.map((root) => root?.querySelector('.guide')?.textContent ?? '').join('');
    if (shown === last) return;
    last = shown;
    for (const [text, type] of Object.entries(asked)) if (shown.startsWith(text)) perform(type);
  }, 40);
})()`;

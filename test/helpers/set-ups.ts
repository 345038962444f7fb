/**
 * Ways in which a page can be operated: by a person's hand, and by kinds of automation. Each opens the
 * survey page of a site, acts on it, and ends what it started.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { WebSocket } from 'undici';
import { launchDriven, launchPlain, startDisplay } from './browser.js';
import { actLikePerson, actLikeRobot, sendInput, type Point } from './input.js';
import { type StaticSite } from './static-site.js';
import { pollUntil } from './wait-until.js';

export interface SetUp {
  readonly name: string;
  readonly isPerson: boolean;
  /** Whether it acts on the page; without, only what stands still can tell. */
  readonly acts: boolean;
  run(site: StaticSite): Promise<void>;
}

/** Centres of the survey page's controls, in the page. */
const controls: readonly Point[] = [
  { x: 400, y: 110 },
  { x: 400, y: 250 },
  { x: 400, y: 390 },
];
const answer = 'hello';

/** A page that was busy sends a first load message without what took long: the one that knows the window is waited for. */
const waitForLoad = (site: StaticSite) =>
  site.waitForProbe('the load message', ({ body }) => body.phase === 'load' && body.scr !== undefined, 30_000);
const waitForEnd = (site: StaticSite) =>
  site.waitForProbe('the last press', ({ body }) => (body.beh?.clicks ?? 0) >= controls.length, 30_000);

/** Acts through the X server on a browser that nothing is attached to. */
async function runOnDisplay(site: StaticSite, act: (targets: Point[]) => readonly string[]): Promise<void> {
  const display = await startDisplay();
  const browser = await launchPlain(site.origin, { display: display.name });
  try {
    const { scr } = (await waitForLoad(site)).body;
    // The window stands at the display's corner; what is above the page is the browser's own.
    const top = (scr?.outerH ?? 0) - (scr?.innerH ?? 0);
    await sendInput(display.name, act(controls.map(({ x, y }) => ({ x, y: y + top }))));
    await waitForEnd(site);
  } finally {
    await browser.close();
    await display.close();
  }
}

async function actThroughDriver(page: Page, site: StaticSite): Promise<void> {
  await page.goto(site.origin);
  await waitForLoad(site);
  await page.mouse.move(20, 20);
  for (const [index, { x, y }] of controls.entries()) {
    await page.mouse.move(x, y, { steps: 25 });
    await page.mouse.click(x, y);
    if (index === 1) await page.keyboard.type(answer);
  }
  await waitForEnd(site);
}

async function runDriven(
  site: StaticSite,
  options: NonNullable<Parameters<typeof launchDriven>[0]>,
  initScript?: string,
): Promise<void> {
  const display = options.headless === false ? await startDisplay() : undefined;
  const driven = await launchDriven({ ...options, ...(display ? { display: display.name } : {}) });
  try {
    if (initScript) await driven.context.addInitScript(initScript);
    await actThroughDriver(driven.context.pages()[0] ?? (await driven.context.newPage()), site);
  } finally {
    await driven.close();
    await display?.close();
  }
}

const unflagged = {
  headless: false,
  args: ['--disable-blink-features=AutomationControlled'],
  ignoreDefaultArgs: ['--enable-automation'],
};

/** Plug-ins against detection do this: proxies around the natives that reveal them. */
const stealthScript = `
  const wrap = (object, name, key, apply) => {
    const descriptor = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, { ...descriptor, [key]: new Proxy(descriptor[key], { apply }) });
  };
  wrap(Navigator.prototype, 'webdriver', 'get', () => false);
  wrap(Navigator.prototype, 'hardwareConcurrency', 'get', () => 8);
  wrap(Navigator.prototype, 'languages', 'get', () => Object.freeze(['de-DE', 'de']));
  wrap(WebGLRenderingContext.prototype, 'getParameter', 'value', (native, self, [name]) =>
    name === 37445 ? 'Intel Inc.' : name === 37446 ? 'Intel Iris OpenGL Engine' : Reflect.apply(native, self, [name]));`;

/** Plain functions in place of getters, as homemade scripts have them. */
const homemadeScript = `
  Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false });
  Object.defineProperty(navigator, 'platform', { get: () => 'Win32' });`;

/** Input through the debugging protocol, with the page's runtime never attached: no trace but the input's own. */
async function runRawProtocol(site: StaticSite): Promise<void> {
  const display = await startDisplay();
  const browser = await launchPlain(site.origin, { display: display.name, args: ['--remote-debugging-port=0'] });
  try {
    await waitForLoad(site);
    const port = readFileSync(join(browser.profile, 'DevToolsActivePort'), 'utf8').split('\n')[0];
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      type: string;
      url: string;
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(
      targets.find(({ type, url }) => type === 'page' && url.startsWith(site.origin))?.webSocketDebuggerUrl ?? '',
    );
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
    let id = 0;
    const send = async (method: string, params: object, pauseMs: number) => {
      socket.send(JSON.stringify({ id: ++id, method, params }));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    };
    const mouse = (type: string, x: number, y: number, extra: object, pauseMs: number) =>
      send('Input.dispatchMouseEvent', { type, x, y, ...extra }, pauseMs);
    for (const [index, { x, y }] of controls.entries()) {
      for (let step = 1; step <= 25; step++)
        await mouse(
          'mouseMoved',
          100 + ((x - 100) * step) / 25 + Math.sin(step) * 4,
          y - 60 + (60 * step) / 25,
          {},
          12,
        );
      await mouse('mousePressed', x, y, { button: 'left', clickCount: 1 }, 80);
      await mouse('mouseReleased', x, y, { button: 'left', clickCount: 1 }, 150);
      if (index === 1) await send('Input.insertText', { text: answer }, 1_200);
    }
    await waitForEnd(site);
    socket.close();
  } finally {
    await browser.close();
    await display.close();
  }
}

/** Operates the survey with events that it makes up, where the page's address asks for it. */
export const syntheticScript = `
  if (location.search === '?synthetic') document.addEventListener('vh-lite:probe', () => {
    for (const id of ['first', 'answer', 'last']) {
      const control = document.getElementById(id);
      for (const type of ['mousemove', 'mousedown', 'mouseup']) control.dispatchEvent(new MouseEvent(type, { bubbles: true }));
      control.click();
    }
    document.getElementById('answer').value = 'hello';
  });`;

/** A script of the page itself that makes its events up. */
async function runSynthetic(site: StaticSite): Promise<void> {
  const display = await startDisplay();
  const browser = await launchPlain(`${site.origin}/?synthetic`, { display: display.name });
  try {
    await waitForLoad(site);
    await waitForEnd(site);
  } finally {
    await browser.close();
    await display.close();
  }
}

async function runPlainHeadless(site: StaticSite): Promise<void> {
  const browser = await launchPlain(site.origin);
  try {
    await waitForLoad(site);
    await pollUntil('the verdict beside it', () => site.notes[0]);
  } finally {
    await browser.close();
  }
}

export const setUps: readonly SetUp[] = [
  { name: 'chromium --headless, nothing attached', isPerson: false, acts: false, run: runPlainHeadless },
  { name: 'playwright, headless', isPerson: false, acts: true, run: (site) => runDriven(site, {}) },
  {
    name: 'playwright, headless, other user agent',
    isPerson: false,
    acts: true,
    run: (site) =>
      runDriven(site, {
        userAgent:
          'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/155.0.0.0 Safari/537.36',
      }),
  },
  { name: 'playwright, headful, flag removed', isPerson: false, acts: true, run: (site) => runDriven(site, unflagged) },
  {
    name: 'playwright, headful, flag removed, natives behind proxies',
    isPerson: false,
    acts: true,
    run: (site) => runDriven(site, unflagged, stealthScript),
  },
  {
    name: 'playwright, headful, getters replaced by functions',
    isPerson: false,
    acts: true,
    run: (site) => runDriven(site, { headless: false }, homemadeScript),
  },
  { name: 'raw debugging protocol, input only', isPerson: false, acts: true, run: runRawProtocol },
  { name: 'events made up by a script of the page', isPerson: false, acts: true, run: runSynthetic },
  {
    name: 'xdotool, like a robot',
    isPerson: false,
    acts: true,
    run: (site) => runOnDisplay(site, (targets) => actLikeRobot(targets, answer)),
  },
  ...[7, 19, 23].map((seed) => ({
    name: `xdotool, like a person (seed ${seed})`,
    isPerson: true,
    acts: true,
    run: (site: StaticSite) => runOnDisplay(site, (targets: Point[]) => actLikePerson(targets, answer, seed)),
  })),
];

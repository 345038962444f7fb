/** Visits of one device, and of others, to a page with the probe and two libraries of identifiers. Each visit is a load of the page. */
import type { CDPSession, Page } from 'playwright-core';
import { devices } from 'playwright-core';
import { build } from 'esbuild';
import type { ProbeBody } from '../../src/contract/probe.js';
import { readPageHeaders } from '../../src/net/page-headers.js';
import { launchDriven, openContext } from '../../test/helpers/browser.js';
import { hasFirefox, launchFirefox } from '../../test/helpers/firefox.js';
import { bundle, scriptPath } from '../../test/helpers/probe-script.js';
import { repositoryPath } from '../../test/helpers/repository.js';
import { startStaticSite, type CollectedProbe } from '../../test/helpers/static-site.js';
import { pollUntil } from '../../test/helpers/wait-until.js';

export interface IdentityVisit {
  readonly message: { readonly body: ProbeBody; readonly transport: ReturnType<typeof readPageHeaders> };
  readonly fingerprint: string;
  readonly thumbmark: string;
}

/** Two visits: of one device, or of two. */
export interface Pair {
  readonly isSame: boolean;
  readonly name: string;
  readonly first: IdentityVisit;
  readonly second: IdentityVisit;
}

const rivals = `
import { load } from '@fingerprintjs/fingerprintjs';
import { Thumbmark } from '@thumbmarkjs/thumbmarkjs';
const visit = new URLSearchParams(location.search).get('visit');
Promise.all([load().then((agent) => agent.get()), new Thumbmark({ logging: false }).get()]).then(([one, other]) =>
  fetch('/note', { method: 'POST', body: JSON.stringify({ visit, fingerprint: one.visitorId, thumbmark: other.thumbmark }) }));`;

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Survey</title><p>Survey</p>
<script>
  const probe = document.createElement('script');
  probe.src = '${scriptPath}';
  Object.assign(probe.dataset, { projectKey: 'pk_bench', sessionId: new URLSearchParams(location.search).get('visit'), timeoutMs: '30000' });
  document.head.append(probe);
</script><script src="/rivals.js"></script></html>`;

async function startSite() {
  const { outputFiles } = await build({
    stdin: { contents: rivals, resolveDir: repositoryPath('bench/browsers') },
    ...{ bundle: true, write: false, format: 'iife' },
  });
  const files = { '/': page, '/rivals.js': outputFiles[0]?.text ?? '', [scriptPath]: bundle(), '/favicon.ico': '' };
  const site = await startStaticSite({ files });
  let visits = 0;
  const isWhole = ({ body }: CollectedProbe): boolean => body.phase === 'load' && body.gaps?.length === 0;
  return {
    close: () => site.close(),
    /** Loads the page, and waits for all three answers. */
    async visit(open: (url: string) => unknown): Promise<IdentityVisit> {
      const visit = `visit-${(visits += 1)}`;
      await open(`${site.origin}/?visit=${visit}`);
      const ids = await pollUntil(`the identifiers of ${visit}`, () =>
        (site.notes as ({ readonly visit: string } & Omit<IdentityVisit, 'message'>)[]).find(
          (note) => note.visit === visit,
        ),
      );
      const { body, headers } = await site.waitForProbe(
        `the probe of ${visit}`,
        (probe) => probe.body.sessionId === visit && isWhole(probe),
      );
      return { ...ids, message: { body, transport: readPageHeaders(headers) } };
    },
  };
}
type Site = Awaited<ReturnType<typeof startSite>>;

/** The override of the debugging protocol, as a page sees it when its reader zooms, or uses another screen. */
const screenOf = (width: number, height: number, zoom = 1) => ({
  width: Math.round(1_200 / zoom),
  height: Math.round(720 / zoom),
  deviceScaleFactor: zoom,
  mobile: false,
  screenWidth: width,
  screenHeight: height,
});

/** Another graphics card, as its driver names and draws: replaced in the page, because the protocol has no such override. */
const otherGraphics = `
  for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
    const read = prototype.getParameter;
    prototype.getParameter = function (name) {
      if (name === 37445) return 'Google Inc. (NVIDIA)';
      return name === 37446 ? 'ANGLE (NVIDIA, NVIDIA GeForce RTX 3060, OpenGL 4.6)' : read.call(this, name);
    };
  }
  const write = HTMLCanvasElement.prototype.toDataURL;
  HTMLCanvasElement.prototype.toDataURL = function (...as) {
    const context = this.getContext('2d');
    if (context) { context.fillStyle = '#010203'; context.fillRect(0, 0, 1, 1); }
    return write.apply(this, as);
  };`;

type Change = (page: Page, protocol: CDPSession) => Promise<unknown>;

const otherHardware: Change = async (_, protocol) => {
  await protocol.send('Emulation.setHardwareConcurrencyOverride', { hardwareConcurrency: 16 });
  await protocol.send('Emulation.setDeviceMetricsOverride', screenOf(2_560, 1_440));
};

/** The browser after its next update. */
const update: Change = async (page, protocol) => {
  const { agent, major } = await page.evaluate<{ agent: string; major: number }>(
    '({ agent: navigator.userAgent, major: Number(/Chrome\\/(\\d+)/.exec(navigator.userAgent)[1]) })',
  );
  const next = String(major + 1);
  const hints = await page.evaluate<
    Record<'platform' | 'platformVersion' | 'architecture' | 'model' | 'bitness', string>
  >("navigator.userAgentData.getHighEntropyValues(['platformVersion', 'architecture', 'model', 'bitness'])");
  const brands = [
    { brand: 'Chromium', version: next },
    { brand: 'Not_A Brand', version: '24' },
  ];
  await protocol.send('Emulation.setUserAgentOverride', {
    userAgent: agent.replace(`Chrome/${major}`, `Chrome/${next}`),
    userAgentMetadata: { ...hints, brands, fullVersion: `${next}.0.0.0`, mobile: false },
  });
};

const sameDevice: Readonly<Record<string, Change>> = {
  'another window size': (_, protocol) => resize(protocol),
  'page zoomed to 150%': (_, protocol) => protocol.send('Emulation.setDeviceMetricsOverride', screenOf(800, 600, 1.5)),
  'browser updated': update,
  'cleared storage': clear,
  'cleared storage, updated, another window size': async (page, protocol) => {
    await clear(page);
    await update(page, protocol);
    await resize(protocol);
  },
  'cleared storage, abroad': async (page, protocol) => {
    await clear(page);
    await protocol.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
  },
};

async function clear(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.evaluate('localStorage.clear()');
}

async function resize(protocol: CDPSession): Promise<void> {
  const { windowId } = await protocol.send('Browser.getWindowForTarget');
  await protocol.send('Browser.setWindowBounds', { windowId, bounds: { width: 640, height: 520 } });
}

const otherDesktop: Readonly<Record<string, Change>> = {
  'desktop of the same model': () => Promise.resolve(),
  'desktop with other cores and screen': otherHardware,
  'desktop with another graphics card': (page) => page.addInitScript(otherGraphics),
  'desktop that differs in all of these': async (page, protocol) => {
    await page.addInitScript(otherGraphics);
    await otherHardware(page, protocol);
  },
};

/** A change that lasts gets a browser that was used for the first visit alone. */
async function visitChromium(site: Site): Promise<Pair[]> {
  const pairs: Pair[] = [];
  const add = (isSame: boolean, name: string, first: IdentityVisit, second: IdentityVisit) =>
    pairs.push({ isSame, name: `Chromium, ${name}`, first, second });
  const driven = await launchDriven();
  try {
    const home = driven.context.pages()[0] ?? (await driven.context.newPage());
    const first = await site.visit((url) => home.goto(url));
    add(true, 'loaded again', first, await site.visit((url) => home.goto(url)));
    const tab = await driven.context.newPage();
    add(true, 'second tab', first, await site.visit((url) => tab.goto(url)));
    await tab.close();
    const hidden = await openContext(driven);
    add(true, 'private window', first, await site.visit(async (url) => (await hidden.newPage()).goto(url)));
    await hidden.close();
    for (const [name, change] of Object.entries(otherDesktop)) add(false, name, first, await visitAfter(site, change));
  } finally {
    await driven.close();
  }
  for (const [name, change] of Object.entries(sameDevice)) {
    const browser = await launchDriven();
    try {
      const tab = browser.context.pages()[0] ?? (await browser.context.newPage());
      const first = await site.visit((url) => tab.goto(url));
      await change(tab, await browser.context.newCDPSession(tab));
      add(true, name, first, await site.visit((url) => tab.goto(url)));
    } finally {
      await browser.close();
    }
  }
  return pairs;
}

/** A fresh profile that is changed before its first visit. */
async function visitAfter(site: Site, change: Change): Promise<IdentityVisit> {
  const browser = await launchDriven();
  try {
    const tab = browser.context.pages()[0] ?? (await browser.context.newPage());
    await change(tab, await browser.context.newCDPSession(tab));
    return await site.visit((url) => tab.goto(url));
  } finally {
    await browser.close();
  }
}

const androidForm = /Android (\d+)[^;]*; (?:[a-z-]+; )?([^;)]+?)(?: Build|\))/;

/** Client hints of an Android phone, which the emulation leaves as the desktop's. */
async function nameModel(protocol: CDPSession, userAgent: string): Promise<void> {
  const [, platformVersion = '', model = ''] = androidForm.exec(userAgent) ?? [];
  if (model === '') return;
  const brands = [{ brand: 'Chromium', version: '156' }];
  const hints = { platform: 'Android', platformVersion, model, architecture: '', mobile: true, brands };
  await protocol.send('Emulation.setUserAgentOverride', { userAgent, userAgentMetadata: hints });
}

async function visitPhones(site: Site): Promise<Pair[]> {
  const driven = await launchDriven();
  try {
    const visitAs = async (name: string, script = ''): Promise<IdentityVisit> => {
      const device = devices[name];
      if (device === undefined) throw new Error(`playwright has no device ${name}`);
      const context = await driven.context.browser()!.newContext(device);
      await context.addInitScript(script);
      const tab = await context.newPage();
      await nameModel(await context.newCDPSession(tab), device.userAgent);
      const visit = await site.visit((url) => tab.goto(url));
      await context.close();
      return visit;
    };
    const pairs: Pair[] = [];
    for (const [name, model, other, script] of [
      ['phones of one model (iPhone 15)', 'iPhone 15', 'iPhone 15'],
      ['phones of one model (Pixel 7)', 'Pixel 7', 'Pixel 7'],
      ['phones of two models that draw alike', 'Pixel 7', 'Galaxy S9+'],
      ['phones of two models and graphics', 'Pixel 7', 'Galaxy S9+', otherGraphics],
    ] as const)
      pairs.push({ isSame: false, name, first: await visitAs(model), second: await visitAs(other, script) });
    return pairs;
  } finally {
    await driven.close();
  }
}

async function visitFirefox(site: Site): Promise<Pair[]> {
  if (!hasFirefox()) return [];
  const visitOnce = async (preferences: Readonly<Record<string, boolean>>): Promise<IdentityVisit> => {
    let started: { close(): Promise<void> } | undefined;
    try {
      return await site.visit((url) => (started = launchFirefox(url, { preferences })));
    } finally {
      await started?.close();
    }
  };
  const first = await visitOnce({});
  return [
    { isSame: true, name: 'Firefox, cleared storage', first, second: await visitOnce({}) },
    {
      ...{ isSame: true, name: 'Firefox, private window' },
      ...{ first, second: await visitOnce({ 'browser.privatebrowsing.autostart': true }) },
    },
    {
      ...{ isSame: true, name: 'Firefox, fingerprinting protection' },
      ...{ first, second: await visitOnce({ 'privacy.fingerprintingProtection': true }) },
    },
  ];
}

export async function visitPairs(): Promise<Pair[]> {
  const site = await startSite();
  try {
    return [...(await visitChromium(site)), ...(await visitFirefox(site)), ...(await visitPhones(site))];
  } finally {
    await site.close();
  }
}

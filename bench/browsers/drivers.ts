/** Browsers under puppeteer, playwright, chromedriver and their relatives, each used as its users do. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDisplay } from '../../test/helpers/browser.js';
import { answerSurvey, createPause, type Actor, type Pause } from './actor.js';
import { loadOptional, ToolMissing, type DriverPage, type Puppeteer } from './optional.js';
import type { Survey } from './survey.js';

export type Run = (survey: Survey) => Promise<void>;

const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'];
const unflagged = {
  args: [...quiet, '--disable-blink-features=AutomationControlled'],
  ignoreDefaultArgs: ['--enable-automation'],
};

/** Runs on a virtual display of its own where there is a window. */
async function onDisplay(headless: boolean, run: (environment: Record<string, string | undefined>) => Promise<void>) {
  const display = headless ? null : await startDisplay();
  try {
    await run({ ...process.env, ...(display && { DISPLAY: display.name }) });
  } finally {
    await display?.close();
  }
}

/** How a page is operated: the driver's own way unless more is asked for. */
export interface Manner {
  /** Mean pause before each answer, ms. */
  readonly pauseMs?: number;
  /** Between keys, ms; the driver's default without. */
  readonly keyMs?: number;
  /** Between press and release, ms. */
  readonly pressMs?: number;
  /** Sets texts at once rather than typing them. */
  readonly fills?: boolean;
  /** Walks the pointer to a random place in each control first. */
  readonly walks?: boolean;
}

const directly = (
  page: DriverPage,
  survey: Survey,
  { keyMs, pressMs, fills = false, walks = false }: Manner,
): Actor => ({
  async click(id) {
    if (walks) {
      await page.evaluate(`document.getElementById('${id}').scrollIntoView({ block: 'center' })`);
      await sleep(400);
      const { boxes } = await survey.places();
      const { x = 0, y = 0, width = 0, height = 0 } = boxes[id] ?? {};
      const [toX, toY] = [x + width * (0.2 + 0.6 * Math.random()), y + height * (0.2 + 0.6 * Math.random())];
      await page.mouse.move(toX, toY, { steps: 40 });
      await page.click(`#${id}`, {
        delay: pressMs ?? 0,
        position: { x: toX - x, y: toY - y },
        offset: { x: toX - x, y: toY - y },
      });
    } else await page.click(`#${id}`, pressMs === undefined ? {} : { delay: pressMs });
  },
  async type(id, text) {
    if (fills && page.fill) await page.fill(`#${id}`, text);
    else await page.type(`#${id}`, text, ...(keyMs === undefined ? [] : [{ delay: keyMs }]));
  },
});

const takeWith = async (page: DriverPage, survey: Survey, manner: Manner, makeActor = directly): Promise<void> => {
  await page.goto(survey.url);
  await answerSurvey(survey, makeActor(page, survey, manner), createPause(manner.pauseMs ?? 0));
};

interface PuppeteerOptions extends Manner {
  readonly headless?: boolean;
  readonly plugin?: string;
  readonly prepare?: (page: DriverPage) => Promise<void>;
  readonly actor?: (page: DriverPage) => Promise<Actor>;
}

export const withPuppeteer =
  (name: string, { headless = false, plugin, prepare, actor, ...manner }: PuppeteerOptions): Run =>
  (survey) =>
    onDisplay(headless, async (env) => {
      let puppeteer = await loadOptional<Puppeteer>(name);
      if (plugin !== undefined) {
        const { addExtra } = await loadOptional<{ addExtra(base: Puppeteer): Puppeteer }>('puppeteer-extra');
        puppeteer = addExtra(puppeteer);
        puppeteer.use?.((await loadOptional<() => unknown>(plugin))());
      }
      const browser = await puppeteer.launch({
        executablePath: chromiumPath,
        headless,
        env,
        defaultViewport: headless ? { width: 1280, height: 900 } : null,
        ...(headless ? { args: quiet } : { ...unflagged, args: [...unflagged.args, '--window-size=1200,860'] }),
      });
      try {
        const page = await browser.newPage();
        await prepare?.(page);
        const made = await actor?.(page);
        await takeWith(page, survey, manner, made ? () => made : directly);
      } finally {
        await browser.close();
      }
    });

interface GhostCursor {
  click(selector: string, options?: object): Promise<void>;
}

/** Curves of ghost-cursor, and typing with a pause after each key. */
export const ghostActor =
  (pause: Pause) =>
  async (page: DriverPage): Promise<Actor> => {
    const module = await loadOptional<Record<string, (page: DriverPage) => GhostCursor>>('ghost-cursor');
    const cursor = module['createCursor']?.(page);
    if (cursor === undefined) throw new ToolMissing('ghost-cursor has no createCursor');
    return {
      click: (id) => cursor.click(`#${id}`, { moveDelay: 300, waitForClick: 60 + 50 * Math.random() }),
      async type(id, text) {
        await cursor.click(`#${id}`, { moveDelay: 300, waitForClick: 60 + 50 * Math.random() });
        for (const letter of text) {
          await page.keyboard.type(letter, { delay: 40 + 60 * Math.random() });
          await pause(90);
        }
      },
    };
  };

interface Playwright {
  readonly chromium: { launch(options: object): Promise<PlaywrightBrowser> };
  readonly devices: Readonly<Record<string, object>>;
}
interface PlaywrightBrowser {
  newContext(
    options: object,
  ): Promise<{ newPage(): Promise<DriverPage>; addInitScript(script: string): Promise<void> }>;
  close(): Promise<void>;
}

interface PlaywrightOptions extends Manner {
  readonly headless?: boolean;
  /** Options of the context: user agent, time zone, languages. */
  readonly context?: object;
  /** A device that is emulated, by playwright's name. */
  readonly device?: string;
  readonly script?: string;
}

export const withPlaywright =
  (name: string, { headless = false, context = {}, device, script, ...manner }: PlaywrightOptions): Run =>
  (survey) =>
    onDisplay(headless, async (env) => {
      const { chromium, devices } = await loadOptional<Playwright>(name);
      const browser = await chromium.launch({
        executablePath: chromiumPath,
        headless,
        env,
        ...(headless ? { args: quiet } : unflagged),
      });
      try {
        const made = await browser.newContext({
          ...(headless || device ? {} : { viewport: null }),
          ...(device ? devices[device] : {}),
          ...context,
        });
        if (script !== undefined) await made.addInitScript(script);
        const page = await made.newPage();
        await takeWith(page, survey, manner);
      } finally {
        await browser.close();
      }
    });

/** Firefox, remotely controlled through WebDriver BiDi. */
export const withFirefox =
  (headless: boolean, manner: Manner = {}): Run =>
  (survey) =>
    onDisplay(headless, async (env) => {
      const puppeteer = await loadOptional<Puppeteer>('puppeteer-core');
      const browser = await puppeteer.launch({
        browser: 'firefox',
        executablePath: '/usr/bin/firefox-esr',
        headless,
        env,
        defaultViewport: null,
      });
      try {
        await takeWith(await browser.newPage(), survey, manner);
      } finally {
        await browser.close();
      }
    });

/** The driver with its telling names replaced, as undetected-chromedriver does it. */
function renameDriver(folder: string): string {
  const path = join(folder, 'chromedriver');
  const source = ['/usr/lib/chromium/chromedriver', '/usr/bin/chromedriver'].find((each) => {
    try {
      return readFileSync(each).includes('cdc_');
    } catch {
      return false;
    }
  });
  if (source === undefined) throw new ToolMissing('chromedriver is not installed');
  const text = readFileSync(source, 'latin1').replace(/cdc_(?=[A-Za-z0-9]{22})/g, 'qxz_');
  writeFileSync(path, text, 'latin1');
  chmodSync(path, 0o755);
  return path;
}

interface Selenium {
  readonly Builder: new () => SeleniumBuilder;
  readonly By: { id(id: string): unknown };
}
interface SeleniumBuilder {
  forBrowser(name: string): this;
  setChromeOptions(options: unknown): this;
  setChromeService(service: unknown): this;
  build(): Promise<SeleniumDriver>;
}
interface SeleniumElement {
  click(): Promise<void>;
  sendKeys(text: string): Promise<void>;
}
interface SeleniumDriver {
  get(url: string): Promise<void>;
  findElement(by: unknown): SeleniumElement;
  actions(): { move(to: object): { pause(ms: number): { click(): { perform(): Promise<void> } } } };
  quit(): Promise<void>;
}

interface SeleniumChrome {
  readonly Options: new () => {
    setChromeBinaryPath(path: string): void;
    addArguments(...args: string[]): void;
    excludeSwitches(...names: string[]): void;
  };
  readonly ServiceBuilder: new (path: string) => { setEnvironment(environment: object): unknown };
}

export const withSelenium =
  ({ headless = false, isRenamed = false, moves = false, pauseMs = 0 }): Run =>
  (survey) =>
    onDisplay(headless, async (env) => {
      const selenium = await loadOptional<Selenium>('selenium-webdriver');
      const chrome = await loadOptional<SeleniumChrome>('selenium-webdriver/chrome.js');
      const folder = mkdtempSync(join(tmpdir(), 'vh-driver-'));
      const options = new chrome.Options();
      options.setChromeBinaryPath(chromiumPath);
      options.addArguments(...quiet, '--window-size=1200,860', ...(headless ? ['--headless'] : []));
      if (isRenamed) {
        options.addArguments('--disable-blink-features=AutomationControlled');
        options.excludeSwitches('enable-automation');
      }
      const service = new chrome.ServiceBuilder(isRenamed ? renameDriver(folder) : '/usr/bin/chromedriver');
      service.setEnvironment(env);
      const driver = await new selenium.Builder()
        .forBrowser('chrome')
        .setChromeOptions(options)
        .setChromeService(service)
        .build();
      try {
        await driver.get(survey.url);
        const find = (id: string) => driver.findElement(selenium.By.id(id));
        const click = (id: string) =>
          moves
            ? driver
                .actions()
                .move({ origin: find(id) })
                .pause(200)
                .click()
                .perform()
            : find(id).click();
        await answerSurvey(
          survey,
          { click, type: async (id, text) => (await click(id), await find(id).sendKeys(text)) },
          createPause(pauseMs),
        );
      } finally {
        await driver.quit();
        rmSync(folder, { recursive: true, force: true });
      }
    });

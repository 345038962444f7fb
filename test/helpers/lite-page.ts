/**
 * Pages that carry the lite probe, opened in real Chromium under playwright. One browser serves a
 * test file, each test has a context of its own and every page its own site, so that nothing is left
 * over from another test.
 */
import t, { type Test } from 'tap';
import type { Page } from 'playwright-core';
import { Check, Errors } from 'typebox/value';
import { ProbeBody } from '../../src/contract/probe.js';
import { hasChromium, launchForPages, openContext, type Driven } from './browser.js';
import { bundle, defaultAttributes, scriptPath } from './probe-script.js';
import { startStaticSite, type CollectedProbe, type StaticSite } from './static-site.js';

/** The page records this of itself, for tests to ask. */
const recorder =
  "<script>window.seen={probes:[],errors:[]};document.addEventListener('vh-lite:probe',e=>seen.probes.push(e.detail));addEventListener('error',e=>seen.errors.push(e.message));addEventListener('unhandledrejection',e=>seen.errors.push(String(e.reason)))</script>";

export interface LitePageOptions {
  /** Attributes of the script element; the key and the session of most tests when left out. */
  readonly attributes?: string;
  /** HTML before the script element. */
  readonly html?: string;
  readonly headers?: Record<string, string>;
  readonly probeStatus?: number | 'hang';
  /** Further files by path. */
  readonly files?: Record<string, string>;
  /** The query string of the page's address. */
  readonly query?: string;
}

export interface LitePage {
  readonly page: Page;
  readonly site: StaticSite;
  /** The result of the automatic run; waits for it. */
  waitForEvent(): Promise<{ sessionId: string; sent: boolean }>;
  /**
   * The load message with every signal in it, but for those that `gaps` names. A page that was busy sends a first one without what took long, and
   * this one later.
   */
  waitForLoad(gaps?: readonly string[], sessionId?: string): Promise<CollectedProbe>;
  /** Errors that reached the page. */
  readErrors(): Promise<string[]>;
}

export interface LiteBrowser {
  open(options?: LitePageOptions): Promise<LitePage>;
}

/** A machine that others use takes its time. */
t.setTimeout(300_000);

let shared: Promise<Driven> | undefined;

/** The browser of this file, started by the first test that needs it. */
const launchOnce = (): Promise<Driven> =>
  (shared ??= launchForPages().then((driven) => {
    t.teardown(() => driven.close());
    return driven;
  }));

/** A test with a context of its own in the browser of its file; its pages and sites are closed when it ends. */
export function testInBrowser(name: string, run: (t: Test, browser: LiteBrowser) => Promise<void>): void {
  void t.test(name, { skip: hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)' }, async (t) => {
    const context = await openContext(await launchOnce());
    t.teardown(() => context.close());
    await run(t, {
      async open({ attributes = defaultAttributes, html = '', headers, probeStatus, files, query = '' } = {}) {
        const content = `<!doctype html><meta charset="utf-8"><body>${recorder}${html}<script src="${scriptPath}" ${attributes}></script>`;
        const site = await startStaticSite({
          files: { '/': content, [scriptPath]: bundle(), '/next': '<!doctype html>next', ...files },
          ...(headers ? { headers } : {}),
          ...(probeStatus === undefined ? {} : { probeStatus }),
        });
        t.teardown(() => site.close());
        const page = await context.newPage();
        await page.goto(site.origin + '/' + query);
        return {
          page,
          site,
          async waitForEvent() {
            await page.waitForFunction('window.seen.probes.length > 0');
            return page.evaluate('window.seen.probes[0]');
          },
          waitForLoad: (gaps = [], sessionId) =>
            site.waitForProbe(
              'the whole load message',
              ({ body }) =>
                body.phase === 'load' &&
                (sessionId === undefined || body.sessionId === sessionId) &&
                [...(body.gaps ?? [])].sort().join() === [...gaps].sort().join(),
            ),
          readErrors: () => page.evaluate('window.seen.errors'),
        };
      },
    });
  });
}

/** Violations of the contract in a message; empty if there are none. */
export const listContractErrors = (body: unknown): string[] =>
  Check(ProbeBody, body) ? [] : Errors(ProbeBody, body).map((error) => `${error.instancePath} ${error.message}`);

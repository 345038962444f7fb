/**
 * The gallery of the widget’s screens in real Chromium, on a page whose policy allows no inline style and no inline script. What the
 * page does not allow, and every error of it, is remembered.
 */
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { repositoryPath } from './repository.js';
import { startStaticSite } from './static-site.js';

/** Nothing but the page’s own script. */
const policy =
  "default-src 'none'; script-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; require-trusted-types-for 'script'";

/** Options of a View other than the defaults, as in sdk/widget/ports.ts. */
export type Given = Readonly<Record<string, unknown>>;

export interface GalleryPage {
  readonly page: Page;
  /** Names of all screens. */
  readonly names: readonly string[];
  /** Draws screens, each into an element `[data-screen=NAME]`, in place of what was drawn before. */
  show(names: readonly string[], given?: Given): Promise<void>;
  /** Answers of respondents so far, in order. */
  answers(): Promise<unknown[]>;
  /** Violations of the policy and errors of the page so far. */
  complaints(): Promise<string[]>;
  close(): Promise<void>;
}

let bundle: Promise<string> | undefined;

/** The gallery as one script, of the sources as they are now. */
const bundleGallery = (): Promise<string> =>
  (bundle ??= build({
    entryPoints: [repositoryPath('test/sdk/gallery/gallery.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'utf8',
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? ''));

/** Screens that are modal dialogs: one at a time. */
export const isDialog = (name: string): boolean => ['captcha-consent', 'invisible-stage'].includes(name);

/** `html` stands before the screens. */
export async function openGallery(context: BrowserContext, html = ''): Promise<GalleryPage> {
  const site = await startStaticSite({
    files: {
      '/': `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Gallery</title><main><h1>Gallery</h1>${html}<div id="host"></div></main><script src="/seen.js"></script><script src="/gallery.js"></script>`,
      '/gallery.js': await bundleGallery(),
      '/seen.js':
        "window.seen=[];document.addEventListener('securitypolicyviolation',e=>seen.push(e.violatedDirective+' '+e.sourceFile));addEventListener('error',e=>seen.push(e.message))",
    },
    headers: { 'content-security-policy': policy },
  });
  const page = await context.newPage();
  await page.goto(site.origin);
  return {
    page,
    names: await page.evaluate('gallery.names'),
    async show(names, given = {}) {
      await page.evaluate(`gallery.load(${JSON.stringify(given['locale'] ?? 'en')})`);
      await page.evaluate(`(() => {
        const host = document.querySelector('#host');
        for (const old of [...host.children]) { gallery.close(old); old.remove(); }
        for (const name of ${JSON.stringify(names)}) {
          const cell = document.createElement('div');
          cell.dataset.screen = name;
          host.append(cell);
          gallery.show(name, ${JSON.stringify(given)}, cell);
        }
      })()`);
    },
    answers: () => page.evaluate('gallery.answers'),
    complaints: () => page.evaluate('window.seen'),
    async close() {
      await page.close();
      await site.close();
    },
  };
}

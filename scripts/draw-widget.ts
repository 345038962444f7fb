/**
 * Draws docs/pictures/widget-*.png: every screen of the widget as it ships, in real Chromium, at desktop and phone widths. Run it when the
 * interface changes, and look at what it drew. A script that the machine has no font for is drawn as boxes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { packageRoot } from '../src/package-root.js';
import { launchDriven } from '../test/helpers/browser.js';
import { isDialog, openGallery, type GalleryPage, type Given } from '../test/helpers/gallery.js';
import { indexColours } from './indexed-png.js';

/** One picture of a sheet: a screen with its options; its caption is its name by default. */
interface Cell {
  readonly name: string;
  readonly given?: Given;
  readonly caption?: string;
}

const avatars = ['friendly', 'minimal', 'neon'] as const;
const looks = (['light', 'dark'] as const).flatMap((theme) =>
  (['classic', 'friendly'] as const).flatMap((style) => avatars.map((avatar) => ({ theme, style, avatar }))),
);
const challenges = ['blink', 'turn-left', 'turn-right', 'nod', 'smile'];
const languages = ['en', 'de', 'fr', 'es', 'pt', 'ar', 'ja'];
const brands: readonly Given[] = [
  {
    companyName: 'Nordlicht Research',
    primaryColor: '#0b7a75',
    privacyUrl: 'https://a.test',
    supportEmail: 'help@a.test',
  },
  { companyName: 'Sonnenfeld', primaryColor: '#ffd400', backgroundColor: '#fffbe8', hidePoweredBy: true },
  { companyName: 'Atelier Noir', primaryColor: '#ff5c8a', backgroundColor: '#1c1024', fontFamily: 'Georgia, serif' },
];

const folder = join(packageRoot, 'docs', 'pictures');
mkdirSync(folder, { recursive: true });
const browser = await launchDriven({ args: ['--hide-scrollbars'] });
const gallery = await openGallery(browser.context, '<p>What did you have for breakfast today?</p>'.repeat(9));
const { page, names } = gallery;
await page.emulateMedia({ reducedMotion: 'reduce' });
const plain = names.filter((name) => !isDialog(name));
const dialogs = names.filter(isDialog);
const all = (given: Given): Cell[] => plain.map((name) => ({ name, given }));

await drawSheet('desktop-light', 3, 400, all({}));
await drawSheet('desktop-dark', 4, 400, all({ theme: 'dark', style: 'friendly', avatar: 'neon' }), 0.8);
await drawSheet('phone-light', 6, 390, all({ style: 'friendly', avatar: 'minimal' }), 0.55);
await drawSheet('phone-dark-arabic', 6, 390, all({ theme: 'dark', locale: 'ar' }), 0.55);
await drawSheet(
  'looks',
  6,
  400,
  looks.flatMap(({ theme, style, avatar }) => ({
    name: 'start',
    given: { theme, style, avatar },
    caption: `${theme}, ${style}, ${avatar}`,
  })),
  0.5,
);
await drawSheet(
  'guide',
  5,
  400,
  avatars.flatMap((avatar) => challenges.map((name) => ({ name, given: { avatar }, caption: `${name}, ${avatar}` }))),
  0.6,
);
await drawSheet(
  'languages-and-brands',
  5,
  400,
  [
    ...languages.map((locale) => ({ name: 'consent', given: { locale }, caption: locale })),
    ...brands.map((branding) => ({ name: 'consent', given: { branding, style: 'friendly' }, caption: 'a brand' })),
  ],
  0.6,
);
await drawDialogs();
await gallery.close();
await browser.close();

/** Draws each cell at its own width, as on a page of that width, then all of them side by side. */
async function drawSheet(
  file: string,
  columns: number,
  width: number,
  cells: readonly Cell[],
  scale = 1,
): Promise<void> {
  const shots: string[] = [];
  await page.setViewportSize({ width: width + 32, height: 900 });
  for (const { name, given } of cells) shots.push(await shootCell(gallery, name, width, given));
  const figures = cells.map(
    ({ name, given, caption }, index) =>
      `<figure class="${given?.['theme'] === 'dark' ? 'dark' : ''}"><img src="data:image/png;base64,${shots[index]}"><figcaption>${caption ?? name}</figcaption></figure>`,
  );
  await writeSheet(file, columns, Math.round((width + 24) * scale), figures.join(''));
}

async function shootCell({ show }: GalleryPage, name: string, width: number, given: Given = {}): Promise<string> {
  await show([name], given);
  const cell = page.locator('[data-screen]');
  await page.evaluate(
    `document.querySelector('[data-screen]').style.cssText = 'padding:12px;width:${width + 24}px;margin-left:-8px;background:${given['theme'] === 'dark' ? '#0d0f14' : '#f0f1f4'}'`,
  );
  await settle(page);
  return (await cell.screenshot({ scale: 'css' })).toString('base64');
}

/** Modal dialogs over a page, at both widths. */
async function drawDialogs(): Promise<void> {
  const figures: string[] = [];
  for (const [width, height] of [
    [900, 760],
    [390, 760],
  ] as const)
    for (const name of dialogs) {
      await page.setViewportSize({ width, height });
      await gallery.show([name]);
      await settle(page);
      const shot = (await page.screenshot({ scale: 'css' })).toString('base64');
      figures.push(
        `<figure><img style="width:${width * 0.5}px" src="data:image/png;base64,${shot}"><figcaption>${name}</figcaption></figure>`,
      );
    }
  await writeSheet('dialogs', 4, 0, figures.join(''));
}

/** Long enough for the camera’s picture. */
async function settle(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 550))');
}

async function writeSheet(file: string, columns: number, width: number, figures: string): Promise<void> {
  const sheet = await browser.context.newPage();
  await sheet.setViewportSize({ width: width === 0 ? 1360 : columns * width + 32, height: 10 });
  const column = width === 0 ? 'max-content' : `${width}px`;
  await sheet.setContent(
    `<!doctype html><style>body{margin:16px;background:#fff;font:13px sans-serif;color:#333}main{display:grid;grid-template-columns:repeat(${columns},${column});align-items:start;row-gap:12px}figure{margin:0}img{display:block;${width === 0 ? '' : 'width:100%'}}figcaption{padding:4px 12px}</style><main>${figures}</main>`,
  );
  const png = indexColours(await sheet.screenshot({ fullPage: true }));
  writeFileSync(join(folder, `widget-${file}.png`), png);
  console.log(`${file}.png: ${png.length} bytes`);
  await sheet.close();
}

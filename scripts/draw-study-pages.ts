/** Draws docs/pictures/audience-*.png: every page of a study as it ships, in real Chromium. Run it when a page changes, and look at what it drew. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/package-root.js';
import { launchDriven } from '../test/helpers/browser.js';
import { serveStudyPages } from '../test/helpers/study-pages.js';
import { indexColours } from './indexed-png.js';

const folder = join(packageRoot, 'docs', 'pictures');
mkdirSync(folder, { recursive: true });
const browser = await launchDriven({ args: ['--hide-scrollbars'] });
const page = await browser.context.newPage();

for (const [file, language, colorScheme, width, height, columns] of [
  ['pages-light', 'en', 'light', 420, 300, 4],
  ['pages-phone-dark', 'ar', 'dark', 300, 400, 6],
] as const) {
  const site = await serveStudyPages({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width: columns * (width + 8) + 8, height: 600 });
  await page.goto(`${site.origin}/sheet/${language}`, { waitUntil: 'networkidle' });
  writeFileSync(
    join(folder, `audience-${file}.png`),
    indexColours(await page.screenshot({ fullPage: true, scale: 'css' })),
  );
  await site.close();
}
await browser.close();

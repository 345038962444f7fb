/**
 * Draws the console as it ships, against a real service: docs/pictures/console-*.png for its guide, and docs/internals/console/*.png, a sheet of
 * every page without data and with a sample, at three widths in both schemes. Run it when a page changes, and look at what it drew.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { packageRoot } from '../src/package-root.js';
import { launchDriven } from '../test/helpers/browser.js';
import { fillConsole } from '../test/helpers/console-sample.js';
import { printLink } from '../test/helpers/console-page.js';
import { startTestService } from '../test/helpers/service.js';
import { indexColours } from './indexed-png.js';

const widths = [390, 768, 1_440] as const;
const schemes = ['light', 'dark'] as const;
/** Longer pages are cut: the sheet shows how a page begins. */
const heightMax = 1_600;
/** Pictures on a sheet have half of their size. */
const scale = 0.5;
/** Pages in the guide, with the scheme of each. */
const guided = {
  overview: 'light',
  sessions: 'light',
  'sessions-one': 'dark',
  suppliers: 'light',
  thresholds: 'dark',
  'studies-one': 'light',
  verification: 'dark',
  'webhooks-one': 'light',
  settings: 'light',
} as const satisfies Readonly<Record<string, (typeof schemes)[number]>>;
const guideWidth = 1_200;

const stops: (() => unknown)[] = [];
const service = await startTestService({ teardown: (stop) => void stops.push(stop as () => unknown) });
const { siteUrl, projectId } = service.bootstrap;
const browser = await launchDriven({ args: ['--hide-scrollbars'] });
const page = await browser.context.newPage();
const desk = await browser.context.newPage();

const pictures = join(packageRoot, 'docs', 'pictures');
const sheets = join(packageRoot, 'docs', 'internals', 'console');
for (const folder of [pictures, sheets]) mkdirSync(folder, { recursive: true });

/** `webhooks/whk_1` is called webhooks-one. */
const nameOf = (path: string): string => path.replace(/\/.*/, '-one');

async function show(path: string, width: number, colorScheme: (typeof schemes)[number]): Promise<Page> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 800 });
  await page.goto(`${siteUrl}/console/${path}`, { waitUntil: 'networkidle' });
  return page;
}

/** One picture of all widths in both schemes. */
async function drawSheet(path: string, name: string): Promise<void> {
  const images: string[] = [];
  for (const scheme of schemes)
    for (const width of widths) {
      const shown = await show(path, width, scheme);
      const full: number = await shown.evaluate('document.documentElement.scrollHeight');
      const clip = { x: 0, y: 0, width, height: Math.min(full, heightMax) };
      const png = await shown.screenshot({ fullPage: true, clip });
      images.push(`<img width="${width * scale}" src="data:image/png;base64,${png.toString('base64')}">`);
    }
  await desk.setViewportSize({ width: widths.reduce((sum, width) => sum + width * scale + 16, 16), height: 800 });
  await desk.setContent(
    `<style>body{margin:16px;background:#999;display:grid;grid-template-columns:repeat(3,max-content);gap:16px;align-items:start}</style>${images.join('')}`,
  );
  writeFileSync(join(sheets, `${name}.png`), indexColours(await desk.screenshot({ fullPage: true })));
}

await drawSheet('', 'sign-in');
await page.goto(await printLink(service));
await page.locator('h1').waitFor();
const empty = [
  'overview',
  'sessions',
  'flags',
  'suppliers',
  'thresholds',
  'studies',
  'verification',
  'webhooks',
  'settings',
  'keys',
  'audit',
];
for (const path of empty) await drawSheet(`${projectId}/${path}`, `${path}-empty`);
for (const path of await fillConsole(service)) {
  const name = nameOf(path);
  await drawSheet(`${projectId}/${path}`, name);
  if (!(name in guided)) continue;
  const shown = await show(`${projectId}/${path}`, guideWidth, guided[name as keyof typeof guided]);
  const isLong = name === 'sessions' || name === 'settings';
  writeFileSync(
    join(pictures, `console-${name}.png`),
    indexColours(await shown.screenshot({ fullPage: !isLong, scale: 'css' })),
  );
}
await browser.close();
for (const stop of stops.reverse()) await stop();

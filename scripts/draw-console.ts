/** Draws docs/pictures/console-*.png: the console as it ships, against a real service with a sample of sessions. Run it when a page changes, and look at what it drew. `--all DIR` draws every page at three widths in both schemes into another folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/package-root.js';
import { launchDriven } from '../test/helpers/browser.js';
import { fillConsole } from '../test/helpers/console-sample.js';
import { printLink } from '../test/helpers/console-page.js';
import { startTestService } from '../test/helpers/service.js';
import { indexColours } from './indexed-png.js';

const stops: (() => unknown)[] = [];
const service = await startTestService({ teardown: (stop) => void stops.push(stop as () => unknown) });
const pages = await fillConsole(service);
const { siteUrl, projectId } = service.bootstrap;
const browser = await launchDriven({ args: ['--hide-scrollbars'] });
const page = await browser.context.newPage();
await page.goto(await printLink(service));
await page.locator('h1').waitFor();

const allAt = process.argv.indexOf('--all');
const folder = process.argv[allAt + 1] ?? '.';
const wanted =
  allAt > 0
    ? pages.flatMap((path) =>
        [390, 768, 1440].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ path, width, scheme }))),
      )
    : pages.map((path, index) => ({
        path,
        width: 1_200,
        scheme: index % 2 === 0 ? ('light' as const) : ('dark' as const),
      }));
const out = allAt > 0 ? folder : join(packageRoot, 'docs', 'pictures');
mkdirSync(out, { recursive: true });
for (const { path, width, scheme } of wanted) {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 800 });
  await page.goto(`${siteUrl}/console/${projectId}/${path}`, { waitUntil: 'networkidle' });
  const name = path.replaceAll(/[^a-z0-9]+/gi, '-');
  const file =
    allAt > 0
      ? `${name}-${width}-${scheme}.png`
      : `console-${name.split('-')[0]}${path.includes('/') ? '-one' : ''}.png`;
  writeFileSync(
    join(out, file),
    indexColours(await page.screenshot({ fullPage: !path.endsWith('sessions'), scale: 'css' })),
  );
}
await browser.close();
for (const stop of stops.reverse()) await stop();

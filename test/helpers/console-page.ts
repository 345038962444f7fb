/** The console in a real browser, against a whole service: signed in as an operator is, and checked as a reader would. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type t from 'tap';
import { packageRoot } from '../../src/package-root.js';
import { launchForPages } from './browser.js';
import { creation } from './fielding.js';
import type { TestService } from './service.js';

const command = join(packageRoot, 'dist', 'src', 'cli', 'console.js');

/** The output of `npm run console`. */
export async function printLink(
  { dataDirectory }: Pick<TestService, 'dataDirectory'>,
  args: readonly string[] = [],
): Promise<string> {
  const environment = { ...process.env, VH_DATA_DIR: dataDirectory };
  return (await promisify(execFile)('node', [command, ...args], { env: environment })).stdout.trim();
}

/** A small study of one country without a verification. */
export const smallStudy = creation('https://survey.example.com/coffee', {
  audience: { countries: ['DE'], language: 'en', sample_size: 1 },
  verification: { service_check: false },
});

/** A page in a browser of its own, with what it complains of so far: errors of scripts and of its console. */
export async function openWatched(
  test: Pick<typeof t, 'teardown'>,
): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const browser = await launchForPages();
  test.teardown(() => browser.close());
  const page = await browser.context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  return { page, complaints };
}

/** Findings of axe, by its rules and elements. The policy of the page allows no script of others, so it runs as the debugger’s. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`)))',
  );
}

export const sidewaysPx = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');

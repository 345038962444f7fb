/**
 * The Next.js example, built and started as its README says, with the package as npm would install it, in a folder of its own. Turbopack takes no
 * linked packages, so that webpack builds it here.
 */
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import t from 'tap';
import { hasChromium, launchForPages } from '../helpers/browser.js';
import { missingPackages } from '../helpers/other-packages.js';
import { repositoryPath } from '../helpers/repository.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';
import { pollUntil } from '../helpers/wait-until.js';

const modules = 'examples/next/node_modules';
const skip = hasChromium() ? missingPackages('examples/next') : 'Chromium is not installed (CHROMIUM_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(300_000);
const run = promisify(execFile);
const next = repositoryPath(`${modules}/next/dist/bin/next`);
const quiet = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' as const };

void t.test('the Next.js example runs as it stands', { skip, timeout: 300_000 }, async (t) => {
  const service = await startTestService(t);
  const { baseUrl, projectId, projectKey, organizationKey } = service.bootstrap;
  await service.call('PATCH', `/projects/${projectId}`, {
    body: { config: { widgetMode: 'invisible', challengeEnabled: false, maxRetries: 0 } },
    headers: { 'x-api-key': organizationKey },
  });
  const folder = await install();
  await run(process.execPath, [next, 'build', '--webpack'], { cwd: folder, env: { ...process.env, ...quiet } });
  const url = await start(folder);

  async function install(): Promise<string> {
    const folder = join(temporaryDirectory(t), 'next');
    await cp(repositoryPath('examples/next'), folder, {
      recursive: true,
      filter: (path) => !path.endsWith('node_modules'),
    });
    const own = join(folder, 'node_modules/verifyhuman');
    await mkdir(own, { recursive: true });
    await run(process.execPath, [repositoryPath('scripts/build-package.mjs'), '--out', join(own, 'dist')]);
    await cp(repositoryPath('sdk/package.json'), join(own, 'package.json'));
    for (const name of ['next', 'react', 'react-dom'])
      await symlink(repositoryPath(`${modules}/${name}`), join(folder, 'node_modules', name));
    return folder;
  }

  async function start(folder: string): Promise<string> {
    const child = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', '0'], {
      cwd: folder,
      env: { ...process.env, ...quiet, API: baseUrl, SITE_KEY: projectId, PROJECT_KEY: projectKey },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    for await (const line of createInterface({ input: child.stdout })) {
      const address = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(line)?.[0];
      if (address !== undefined) return address;
    }
    throw new Error('the server ended before it listened');
  }

  await t.test(
    'the server renders the page without the widget; the browser mounts it, and the backend answers',
    async (t) => {
      const html = await (await fetch(url)).text();
      t.match(html, /Please confirm that you are a person/);
      t.notOk(html.includes(projectKey), 'the project key stays on the server');
      const browser = await launchForPages();
      t.teardown(() => browser.close());
      const page = await browser.context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(url, { waitUntil: 'load' });
      const state = await pollUntil('the end of the page', async () => {
        const text = await page.evaluate<string>("document.getElementById('state')?.textContent ?? ''");
        return text === '' || text.startsWith('Please') ? undefined : text;
      });
      t.match(
        state,
        /^(Thank you|We could not confirm|Verification failed: (LIVENESS_FAILED|AUTHENTICITY_FAILED|FRAUD_SIGNAL))/,
      );
      t.strictSame(errors, []);
    },
  );

  await t.test('the backend takes the service’s token and no other', async (t) => {
    const ask = (body: string) => fetch(`${url}/verify`, { method: 'POST', body });
    t.equal((await ask('{}')).status, 400);
    t.equal((await ask('no JSON')).status, 400);
    t.equal((await ask('null')).status, 400);
    t.equal((await ask('{"token":"a.b.c"}')).status, 403);
  });
});

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import t from 'tap';
import { hasChromium, launchForPages } from '../helpers/browser.js';
import { repositoryPath } from '../helpers/repository.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';
import { createSession, verify } from '../helpers/verifications.js';
import { pollUntil } from '../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(300_000);

t.test('the examples run as they stand', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t);
  const { siteUrl, baseUrl, projectId, projectKey, organizationKey } = service.bootstrap;
  await service.call('PATCH', `/projects/${projectId}`, {
    body: { config: { widgetMode: 'invisible', challengeEnabled: false, maxRetries: 0 } },
    headers: { 'x-api-key': organizationKey },
  });
  const browser = await launchForPages();
  t.teardown(() => browser.close());

  /** Copies an example, and puts the address and key in where its README says so. */
  async function prepare(name: string): Promise<string> {
    const folder = join(temporaryDirectory(t), name);
    await cp(repositoryPath(`examples/${name}`), folder, { recursive: true });
    const text = await readFile(join(folder, 'index.html'), 'utf8');
    const own = text.replaceAll('https://verify.example', siteUrl).replaceAll('YOUR_SITE_KEY', projectId);
    await writeFile(join(folder, 'index.html'), own);
    return folder;
  }

  /** All that the backends wrote to the console as errors. */
  let complaints = '';

  /** The Express example, on a free port, serving a folder. */
  async function serve(folder: string, changed: NodeJS.ProcessEnv = {}): Promise<string> {
    const child = spawn(process.execPath, [repositoryPath('examples/express/server.mjs'), folder], {
      env: { ...process.env, API: baseUrl, PROJECT_KEY: projectKey, PORT: '0', ...changed },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    child.stderr.on('data', (data) => void (complaints += String(data)));
    for await (const line of createInterface({ input: child.stdout })) return line;
    throw new Error('the server ended before it listened');
  }

  /** The page's last words, and its backend's reply. */
  async function visit(url: string): Promise<string> {
    const page = await browser.context.newPage();
    await page.goto(url, { waitUntil: 'load' });
    return pollUntil(`the end of ${url}`, async () => {
      const state = await page.evaluate<string>("document.getElementById('state')?.textContent ?? ''");
      return state === '' || state.startsWith('Please') ? undefined : state;
    });
  }
  const outcome =
    /^(Thank you|We could not confirm|Verification failed: (LIVENESS_FAILED|AUTHENTICITY_FAILED|FRAUD_SIGNAL))/;

  await t.test('plain HTML, with the Express backend', async (t) => {
    const url = await serve(await prepare('html'));
    t.match(await visit(url), outcome);
  });

  await t.test('React, bundled by esbuild', async (t) => {
    const folder = await prepare('react');
    await build({
      entryPoints: [repositoryPath('examples/react/survey.jsx')],
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      outfile: join(folder, 'survey.js'),
      alias: { 'verifyhuman/react': repositoryPath('sdk/react.tsx') },
      external: ['#capture'],
    });
    t.match(await visit(await serve(folder)), outcome);
  });

  await t.test('the backend takes the service’s token and no other', async (t) => {
    const url = await serve(await prepare('html'));
    const ask = (body: unknown, respondent = randomUUID()) =>
      fetch(`${url}/verify`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: `respondent=${respondent}` },
        body: JSON.stringify(body),
      });
    t.equal((await ask({})).status, 400);
    const forged = await ask({ token: 'a.b.c' });
    t.equal(forged.status, 403);
    t.same(await forged.json(), { verified: false, sessionId: null });
    const respondentId = randomUUID();
    const tokenOf = async (fields: Readonly<Record<string, unknown>>): Promise<string> =>
      (await verify(service, await createSession(service, fields))).body.verificationToken;
    const own = await tokenOf({ studyId: 'study-7', respondentId });
    t.equal((await ask({ token: own }, randomUUID())).status, 403, 'somebody else’s');
    for (const id of [respondentId, respondentId])
      t.match(await (await ask({ token: own }, id)).json(), { verified: true }, 'a form may be sent twice');
    for (const fields of [{ studyId: 'study-8', respondentId }, { respondentId }, { studyId: 'study-7' }])
      t.equal((await ask({ token: await tokenOf(fields) }, respondentId)).status, 403, JSON.stringify(fields));
  });

  await t.test(
    'a mistake of the backend itself is said on its console, and is no verdict on the respondent',
    async (t) => {
      const folder = await prepare('html');
      const url = await serve(folder, { PROJECT_KEY: 'vf_live_wrong' });
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ token: 'a.b.c' });
      const reply = await fetch(`${url}/verify`, { method: 'POST', headers, body });
      t.match({ status: reply.status, text: await reply.text() }, { status: 503, text: /^((?!key).)*$/ });
      t.match(complaints, /The API key is missing or invalid/);
      await t.rejects(serve(folder, { PORT: new URL(url).port }));
      await pollUntil('the cause', async () => (complaints.includes('EADDRINUSE') ? true : undefined));
    },
  );
});

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import t from 'tap';
import { hasChromium, launchForPages } from '../helpers/browser.js';
import { missingPackages } from '../helpers/other-packages.js';
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
  const { siteUrl, baseUrl, projectId, projectKey, probeKey, organizationKey } = service.bootstrap;
  await service.call('PATCH', `/projects/${projectId}`, {
    body: { config: { widgetMode: 'invisible', challengeEnabled: false, maxRetries: 0 } },
    headers: { 'x-api-key': organizationKey },
  });
  const browser = await launchForPages();
  t.teardown(() => browser.close());

  /** Copies an example, and puts the address and key in where its README says so. */
  async function prepare(name: string): Promise<string> {
    const folder = join(temporaryDirectory(t), name);
    await cp(repositoryPath(`examples/${name}`), folder, {
      recursive: true,
      filter: (path) => !path.endsWith('node_modules'),
    });
    const text = await readFile(join(folder, 'index.html'), 'utf8');
    const own = text
      .replaceAll('https://verify.example', siteUrl)
      .replaceAll('YOUR_SITE_KEY', projectId)
      .replaceAll('YOUR_PROBE_KEY', probeKey);
    await writeFile(join(folder, 'index.html'), own);
    return folder;
  }

  /** All that the backends wrote to the console as errors. */
  let complaints = '';

  /** The backend of an example, on a free port, serving a folder. */
  async function serve(folder: string, changed: NodeJS.ProcessEnv = {}, example = 'express'): Promise<string> {
    const child = spawn(process.execPath, [repositoryPath(`examples/${example}/server.mjs`), folder], {
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

  await t.test(
    'SurveyJS: the probe measures under the id that the backend scores',
    { skip: missingPackages('examples/surveyjs') },
    async (t) => {
      const url = await serve(await prepare('surveyjs'), {}, 'surveyjs');
      const page = await browser.context.newPage();
      await page.goto(url, { waitUntil: 'load' });
      const sessionId = await page.evaluate<string>("document.querySelector('[data-session-id]').dataset.sessionId");
      t.match(sessionId, /^[0-9a-f-]{36}$/);
      const read = () => service.call('GET', `/lite/sessions/${sessionId}`);
      await pollUntil('the probe', async () => ((await read()).body as { probes?: unknown[] }).probes?.[0]);
      await page.fill('input[type=text]', 'Berlin');
      await page.click('.sd-navigation__next-btn');
      await page.fill('textarea', 'It is good.');
      await page.click('.sd-navigation__complete-btn');
      const end = await pollUntil('the end', async () => {
        const text = await page.evaluate<string>("document.querySelector('.sd-completedpage')?.textContent ?? ''");
        return text === '' ? undefined : text;
      });
      t.match(end, /^\s*Thank you\./);
      const receipts = await pollUntil('the receipt', async () => {
        const { body } = await read();
        const { receipts = [] } = body as { receipts?: readonly { readonly recommendation: string }[] };
        return receipts.length === 0 ? undefined : receipts;
      });
      t.equal(receipts.length, 1);
      t.equal(/qualify/.test(end), receipts[0]?.recommendation === 'block', end);
      const again = await fetch(`${url}/answers`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ sessionId, answers: {} }),
      });
      t.equal(again.status, 409, 'an interview is sent once');

      const refused = await browser.context.newPage();
      const unkeyed = await serve(await prepare('surveyjs'), { PROJECT_KEY: 'vf_live_wrong' }, 'surveyjs');
      await refused.goto(unkeyed, { waitUntil: 'load' });
      await refused.fill('input[type=text]', 'Berlin');
      await refused.click('.sd-navigation__next-btn');
      await refused.click('.sd-navigation__complete-btn');
      await refused.waitForSelector('text=could not be saved');
      t.equal(await refused.isVisible('textarea'), true, 'the answers can be sent again');
    },
  );

  await t.test(
    'survey gate: a platform gets the session in its link, and the verdict from server to server',
    async (t) => {
      const own = { CHECK_TOKEN: 'of the platform', SURVEY_URL: 'https://survey.example/s1?wave=2' };
      const url = await serve('', own, 'survey-gate');
      const entered = await fetch(`${url}/enter`, { redirect: 'manual', headers: { 'user-agent': 'curl/8.0' } });
      const link = new URL(entered.headers.get('location') ?? '');
      t.match(link.href, /^https:\/\/survey\.example\/s1\?wave=2&vh_session=[0-9a-f-]{36}$/);
      const session = link.searchParams.get('vh_session') ?? '';
      const check = (body: string | URLSearchParams, headers: Readonly<Record<string, string>> = {}) =>
        fetch(`${url}/check`, {
          method: 'POST',
          body,
          headers: { authorization: 'Bearer of the platform', ...headers },
        });
      const json = { 'content-type': 'application/json' };
      const verdict = { verdict: /^(allow|review|block)$/ };
      t.match(await (await check(JSON.stringify({ session }), json)).json(), verdict);
      t.match(await (await check(new URLSearchParams({ session }))).json(), verdict, 'as a form');
      t.same(await (await check(JSON.stringify({ session: 'unknown' }), json)).json(), { verdict: 'review' });
      t.equal((await check(JSON.stringify({ session }), { ...json, authorization: 'Bearer x' })).status, 401);
      t.equal(await (await fetch(`${url}/done?session=${session}&response=7`)).text(), 'Thank you.');
      const alone = await serve('', { ...own, API: 'http://127.0.0.1:9' }, 'survey-gate');
      const late = await fetch(`${alone}/enter`, { redirect: 'manual' });
      const body = JSON.stringify({
        session: new URL(late.headers.get('location') ?? '').searchParams.get('vh_session'),
      });
      const headers = { authorization: 'Bearer of the platform', ...json };
      const reply = await fetch(`${alone}/check`, { method: 'POST', body, headers });
      t.same(await reply.json(), { verdict: 'review' }, 'the service is away');
    },
  );

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

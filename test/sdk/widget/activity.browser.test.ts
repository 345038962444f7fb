/**
 * Reports of a page’s mounts while a session goes on, in a real browser against the real service: a question that the page observes raises
 * the project’s flag, reports are bounded, and none of them touches a verdict.
 */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Page, Request } from 'playwright-core';
import type { CreatedWebhookReply } from '../../../src/contract/webhook.js';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { startReceiver } from '../../helpers/receiver.js';
import { startSdkSiteInWindow } from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';
import { waitUntil } from '../../helpers/wait-until.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(300_000);

void t.test('activity of a session', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
  const { siteKey, projectId, organizationKey, siteUrl, baseUrl } = service.bootstrap;
  const receiver = await startReceiver(t);
  const webhook = await service.call('POST', `/projects/${projectId}/webhooks`, {
    body: { url: receiver.url, events: ['question.flagged'] },
  });
  t.ok((webhook.body as CreatedWebhookReply).secret);
  const patched = await service.call('PATCH', `/projects/${projectId}`, {
    body: {
      customThresholds: { liveness: 0, uniqueness: 0, authenticity: 0, screenDetection: 0 },
      config: {
        widgetMode: 'invisible',
        deduplication: { perDataCollector: true },
        monitoring: { question: { maxPastes: 1, minTimeMs: 600_000 } },
      },
    },
    headers: { 'x-api-key': organizationKey },
  });
  t.equal(patched.status, 200, JSON.stringify(patched.body).slice(0, 200));
  const site = await startSdkSiteInWindow(t, service.bootstrap);

  /** A survey with a question and a button, the probe’s script beside the widget’s, and the reports that it sends. */
  async function open(prepare?: (page: Page) => Promise<void>) {
    const opened = await site.open('mount', prepare);
    const { page } = opened;
    const reports: Request[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/activity')) reports.push(request);
    });
    await page.evaluate(`new Promise((loaded) => {
      document.body.insertAdjacentHTML('beforeend', '<div id="q1"><input id="answer"></div><button id="next">Next</button>');
      const script = document.createElement('script');
      script.src = ${JSON.stringify(`${siteUrl}/sdk/lite/v1/vh-lite.iife.js`)};
      script.onload = () => loaded(null);
      document.body.append(script);
    })`);
    const options = JSON.stringify({ siteKey, apiEndpoint: baseUrl, dataCollector: randomUUID() });
    return { ...opened, reports, options };
  }
  const paste = `document.getElementById('answer').dispatchEvent(new ClipboardEvent('paste', { bubbles: true }))`;
  const flagsOf = (sessionId: string) =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as { data: { session_id: string; question: { metric: string } } })
      .filter(({ data }) => data.session_id === sessionId)
      .map(({ data }) => data.question.metric);

  await t.test('a session that waits reports an observed question, and its flag is raised', async (t) => {
    const { page, reports, options, errors } = await open();
    const sessionId = await page.evaluate<string>(`VH.session(${options}).then((session) => {
      window.running = session;
      window.observer = VHLite.startQuestionObserver('#q1', { questionId: 'q1' });
      ${paste}; ${paste};
      return session.sessionId;
    })`);
    await page.evaluate(`document.getElementById('next').onclick = () => observer.stop()`);
    await page.click('#next');
    await waitUntil(() => flagsOf(sessionId).length >= 2, 'both flags of the question arrive');
    t.strictSame(flagsOf(sessionId).sort(), ['maxPastes', 'minTimeMs']);
    const [request] = reports;
    t.match(request?.postDataJSON(), { questions: [{ questionId: 'q1', pasteCount: 2, ended: true }], behavior: {} });
    t.ok(request?.headers()['x-client-secret'], 'with the client secret');
    t.equal((await request?.response())?.status(), 202);
    t.notMatch(JSON.stringify(request?.postDataJSON()), /"text"/, 'and no text of the question');
    await page.evaluate('running.cancel()');
    const sent = reports.length;
    await page.click('#next');
    t.equal(reports.length, sent, 'a session that was called off reports nothing');
    t.strictSame(errors, []);
    await page.close();
  });

  await t.test('a mount goes on to report after its verdict, within bounds', async (t) => {
    const { page, reports, options, errors } = await open();
    t.match(await page.evaluate(`VH.mount('#target', ${options})`), { status: 'pass', token: String });
    await page.evaluate(`VHLite.startQuestionObserver('#q1', { questionId: 'q1', captureText: true })`);
    await page.evaluate(`for (let n = 0; n < 500; n++) document.getElementById('next').click()`);
    await page.click('#next');
    await waitUntil(() => reports.length >= 1, 'a report goes out');
    t.ok(reports.length <= 3, `a flood of clicks makes ${reports.length} reports`);
    t.strictSame(errors, []);
    await page.close();
  });

  await t.test('reports go on where a page is come back to, and end where the element is taken off it', async (t) => {
    for (const begin of [
      (options: string) => `VH.mount('#target', ${options})`,
      (options: string) => `VH.session(${options}).then((session) => session.start('#target'))`,
    ]) {
      const { page, reports, options, errors } = await open();
      t.match(await page.evaluate(begin(options)), { status: 'pass', token: String });
      await page.evaluate("addEventListener('pageshow', ({ persisted }) => { window.persisted = persisted; })");
      await page.goto(`${site.site.origin}/done`);
      await page.goBack({ waitUntil: 'commit' });
      await waitUntil(async () => (await page.evaluate('window.persisted')) === true, 'the page was kept');
      const before = reports.length;
      await page.click('#next');
      await waitUntil(() => reports.length > before, 'what is done after it was come back to is reported');
      await page.evaluate("document.getElementById('target').remove()");
      await page.evaluate('new Promise((done) => setTimeout(done))');
      const sent = reports.length;
      await page.click('#next');
      // New data that waits would go out now.
      await page.evaluate("void dispatchEvent(new PageTransitionEvent('pagehide'))");
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      t.equal(reports.length, sent, 'and nothing after the element has gone');
      t.strictSame(errors, []);
      await page.close();
    }
  });

  await t.test('what becomes of a report touches no verdict; a refusal ends them', async (t) => {
    const { page, reports, options } = await open(async (page) => {
      await page.route('**/activity', (route) =>
        route.request().method() === 'OPTIONS'
          ? route.continue()
          : route.fulfill({ status: 410, headers: { 'access-control-allow-origin': '*' }, json: {} }),
      );
    });
    await page.evaluate(`window.waiting = VH.session(${options})`);
    await page.evaluate(`globalThis[Symbol.for('vh.questions')] = () => { throw 1; }`);
    await page.click('#next');
    await waitUntil(() => reports.length === 1, 'the report goes out whatever the page put in its way');
    // A click without a hand may be judged either way; that it is judged is what this is about.
    const token = `waiting.then((session) => session.start()).then((result) => result.token, (error) => error.context.token)`;
    t.match(await page.evaluate(token), /^[\w-]+\.[\w-]+\.[\w-]+$/, 'the session is judged');
    await page.click('#next');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    t.equal(reports.length, 1, 'and no other after the refusal');
    await page.close();
  });
});

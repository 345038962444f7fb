import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import type { ScoreReply } from '../../src/contract/score.js';
import { hasChromium, launchDriven } from '../helpers/browser.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(300_000);
const sizes = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
  small: { width: 360, height: 740 },
} as const;
const isProbePost = (url: string): boolean => url.endsWith('/api/v1/public/lite/probe');

async function answerSurvey(page: Page): Promise<void> {
  await page.getByText('Tea', { exact: true }).click();
  await page.locator('#rested').press('ArrowRight');
  await page.locator('#better-mornings').pressSequentially('An hour more');
  await page.locator('#country').selectOption('DE');
}

const readReply = async (page: Page): Promise<ScoreReply> =>
  JSON.parse((await page.locator('#reply pre').textContent()) ?? '') as ScoreReply;
const sidewaysPx = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth - innerWidth');

t.test('the demo in a real browser', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t);
  const browser = await launchDriven();
  t.teardown(() => browser.close());
  const shots = temporaryDirectory(t);
  const url = `${service.bootstrap.siteUrl}/demo`;

  const open = async (size: keyof typeof sizes = 'desktop') => {
    const page = await browser.context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await page.setViewportSize(sizes[size]);
    await page.goto(url);
    return { page, complaints };
  };

  for (const size of ['desktop', 'phone', 'small'] as const) {
    await t.test(`survey and result fit a ${size} and tell what the reply says`, async (t) => {
      const { page, complaints } = await open(size);
      await page.waitForSelector('#probe-state[data-state=sent]');
      t.equal(await sidewaysPx(page), 0);
      const form = join(shots, `form-${size}.png`);
      await page.screenshot({ path: form, fullPage: true });
      await answerSurvey(page);
      await page.locator('#submit').click();
      await page.locator('#score').waitFor();
      const reply = await readReply(page);
      t.equal(await page.locator('#score').textContent(), String(reply.score));
      t.equal(await page.locator('#summary').textContent(), reply.evidence.summary);
      t.equal(await page.locator('#receipt').textContent(), reply.receiptId);
      for (const list of ['against', 'for', 'notes'] as const) {
        t.strictSame(
          await page.locator(`#evidence-${list} .finding > p`).allTextContents(),
          reply.evidence[list].map(({ detail }) => detail),
        );
      }
      t.ok(reply.evidence.against.length > 0, 'a driven browser has something against it');
      t.notOk(reply.degradedSignals.includes('client_probe_missing'), 'the probe came before the score');
      t.equal(await page.locator('#degraded li').count(), reply.degradedSignals.length);
      t.equal(await page.locator('.axis').count(), 6);
      t.ok(await page.locator('#address-note').isVisible(), 'a local address is explained');
      t.equal(await sidewaysPx(page), 0);
      const result = join(shots, `result-${size}.png`);
      await page.screenshot({ path: result, fullPage: true });
      for (const path of [form, result]) t.ok(statSync(path).size > 10_000, path);
      t.strictSame(complaints, []);
      await page.close();
    });
  }

  await t.test(
    'the request shown, with the key put in, scores the same session; the key itself never reaches the browser',
    async (t) => {
      const page = await browser.context.newPage();
      const bodies: string[] = [];
      page.on(
        'response',
        (response) =>
          void response.text().then(
            (text) => bodies.push(text),
            () => undefined,
          ),
      );
      await page.goto(url);
      await answerSurvey(page);
      await page.locator('#submit').click();
      await page.locator('#score').waitFor();
      const command = (await page.locator('#request pre').first().textContent()) ?? '';
      t.match(command, '-H "X-API-Key: $PROJECT_KEY"');
      t.match(command, `curl -s ${service.bootstrap.baseUrl}/lite/score`);
      const shown = await readReply(page);
      const body: unknown = JSON.parse(/-d '(.*)'$/s.exec(command)?.[1] ?? '');
      await page.close();
      // The receipt may be a new one: the probe’s last message, sent as the page closes, is newer than the score.
      const { status, body: reply } = (await service.call('POST', '/lite/score', { body })) as unknown as {
        status: number;
        body: ScoreReply;
      };
      t.equal(status, 200);
      t.equal(reply.sessionId, shown.sessionId);
      t.ok(bodies.some((text) => text.includes(shown.receiptId)));
      for (const secret of [service.bootstrap.projectKey, service.bootstrap.organizationKey])
        t.notOk(bodies.some((text) => text.includes(secret)));
    },
  );

  await t.test(
    'asking again ends at a receipt that repeats, and a new visit is a new session of the same person',
    async (t) => {
      const { page } = await open();
      await answerSurvey(page);
      await page.locator('#submit').click();
      await page.locator('#score').waitFor();
      const first = await readReply(page);
      await page.locator('#score-again').click();
      await page.locator('#message .callout').waitFor();
      const again = await readReply(page);
      t.match(await page.locator('#message').textContent(), again.receiptId);
      t.equal(again.sessionId, first.sessionId);
      t.equal(
        again.duplicate.evidence.respondentDay,
        first.duplicate.evidence.respondentDay,
        'the session counts once',
      );

      await Promise.all([page.waitForEvent('load'), page.locator('#new-visit').click()]);
      await answerSurvey(page);
      await page.locator('#submit').click();
      await page.locator('#score').waitFor();
      const next = await readReply(page);
      t.not(next.sessionId, first.sessionId);
      t.ok((next.duplicate.evidence.respondentDay ?? 0) > (first.duplicate.evidence.respondentDay ?? 0));

      await Promise.all([page.waitForEvent('load'), page.locator('#new-person').click()]);
      await answerSurvey(page);
      await page.locator('#submit').click();
      await page.locator('#score').waitFor();
      t.equal((await readReply(page)).duplicate.evidence.respondentDay, 1, 'somebody else was not here before');
      await page.close();
    },
  );

  await t.test('an unanswered question is named, and the first one gets the focus', async (t) => {
    const { page } = await open('phone');
    await page.locator('#submit').click();
    t.equal(await page.locator('.field-error:visible').count(), 3);
    t.equal(await page.evaluate('document.activeElement.name'), 'first-drink');
    await answerSurvey(page);
    t.equal(await page.locator('.field-error:visible').count(), 0);
    t.equal(await page.locator('.progress').getAttribute('aria-valuenow'), '3');
    await page.close();
  });

  await t.test('without the probe the score comes all the same, and says what was not measured', async (t) => {
    const { page } = await open();
    await page.route('**/vh-lite.iife.js', (route) => route.abort());
    await page.reload();
    await page.waitForSelector('#probe-state[data-state=failed]');
    await answerSurvey(page);
    await page.locator('#submit').click();
    await page.locator('#score').waitFor();
    t.match(await page.locator('#degraded').textContent(), /client_probe_missing/);
    const independence = page.getByRole('region', { name: 'Independence' });
    t.match(await independence.textContent(), /Not judged yet–of 100/, 'a few sessions are no sample');
    await page.close();
  });

  await t.test('a failure is told in words with its code, and pressing again tries again', async (t) => {
    const { page } = await open();
    await page.route(
      '**/demo/score',
      (route) =>
        route.fulfill({
          status: 429,
          headers: { 'retry-after': '12' },
          json: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many calls.', requestId: 'request-1' },
        }),
      { times: 1 },
    );
    await answerSurvey(page);
    await page.locator('#submit').click();
    t.match(await page.getByRole('alert').textContent(), /Too many calls\. .*12 s.*RATE_LIMIT_EXCEEDED.*request-1/);
    await page.route('**/demo/score', (route) => route.abort(), { times: 1 });
    await page.locator('#submit').click();
    await page.getByText('UNREACHABLE').waitFor();
    await page.locator('#submit').click();
    await page.locator('#score').waitFor();
    await page.close();
  });

  await t.test('answers stay in the browser', async (t) => {
    const { page } = await open();
    const sent: string[] = [];
    let probePosts = 0;
    page.on('request', (request) => {
      sent.push(request.url() + (request.postData() ?? ''));
      if (isProbePost(request.url())) probePosts += 1;
    });
    await answerSurvey(page);
    await page.locator('#submit').click();
    await page.locator('#score').waitFor();
    t.ok(probePosts > 0);
    t.notOk(sent.some((text) => /An hour more|"tea"/.test(text)));
    await page.close();
  });
});

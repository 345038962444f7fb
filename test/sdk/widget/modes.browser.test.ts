/** Modes as a respondent meets them: the script that ships, the product’s own service, the policy of an integrator. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { modelsPath, readModels } from '../../helpers/capture-page.js';
import { verifyByHand } from '../../helpers/hand-page.js';
import { createPatch, lenient } from '../../helpers/project-fields.js';
import { pressed, showNoise, startSdkSiteInWindow } from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';
import { startStaticSite } from '../../helpers/static-site.js';
import { waitUntil } from '../../helpers/wait-until.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';

t.setTimeout(330_000);
const config = { challengeEnabled: false, deduplication: { perDataCollector: true } };

void t.test('from end to end', { skip, timeout: 300_000 }, async (t) => {
  const models = await startStaticSite({ files: readModels(), headers: { 'access-control-allow-origin': '*' } });
  t.teardown(() => models.close());
  const service = await startTestService(t, { VH_MODELS_URL: models.origin + modelsPath });
  const site = await startSdkSiteInWindow(t, service.bootstrap, models.origin);
  const { siteKey } = service.bootstrap;
  const patch = createPatch(t, service);
  await patch({
    customThresholds: lenient,
    config,
    userDisclosure: 'CUSTOM',
    userDisclosureCustomText: 'This is <b>our</b> survey.',
    branding: { companyName: 'Nordlicht' },
  });
  const mount = async (widgetMode: 'standard') => {
    const opened = await site.open('mount');
    await opened.begin({ siteKey, widgetMode, dataCollector: randomUUID(), locale: 'en' });
    return opened;
  };

  await t.test('standard: who declines consent goes on without the camera', async (t) => {
    const { page, settled, errors } = await mount('standard');
    await page.getByRole('button', { name: 'Start' }).click(pressed);
    await page.getByText('Nordlicht').nth(1).waitFor();
    await page.getByRole('button', { name: 'Continue without camera' }).click();
    await page.getByRole('heading', { name: 'Continuing without camera' }).waitFor();
    // The project decides its worth; it is never left open, and never asked again.
    const { result, error } = await settled();
    t.equal(
      result?.verificationOutcome ?? error?.context?.['sessionId'] !== undefined,
      result === null ? true : 'declined_by_user',
    );
    t.equal(await page.getByRole('button').count(), 0);
    t.strictSame(errors, []);
    await page.close();
  });

  await t.test('a step-up that needs a capture offers no way without the camera, and says what to do', async (t) => {
    const asking = { stepUpEnabled: true, stepUpThreshold: 0, stepUpIntensityThreshold: 0 };
    await patch({ config: { ...config, liteConfig: asking } });
    const headers = { 'x-api-key': service.bootstrap.projectKey };
    const score = { sessionId: randomUUID(), clientIp: '203.0.113.24' };
    const { body: scored } = await service.call('POST', '/lite/score', { body: score, headers });
    const { receiptId: stepUpFor } = scored as { readonly receiptId: string };
    const { body: session } = await service.call('POST', '/sessions', { body: { stepUpFor }, headers });
    const { page, begin } = await site.open('mount');
    await begin({ siteKey, session, locale: 'en' });
    await page.getByRole('button', { name: 'Start' }).click(pressed);
    await page.getByRole('button', { name: 'No, thanks' }).waitFor();
    t.equal(await page.getByText('without the camera').count(), 0);
    await page.getByRole('button', { name: 'No, thanks' }).click();
    await page.getByRole('heading', { name: 'This check needs your camera' }).waitFor();
    t.equal(await page.getByRole('button', { name: 'Continue without camera' }).count(), 0);
    t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 1);
    await page.close();
    await patch({ config: { ...config, liteConfig: null } });
  });

  await t.test(
    'a hand in a browser of its own passes the box, the slider and unseen, three mounts on one page',
    async (t) => {
      await patch({ customThresholds: null });
      const ended = await verifyByHand(service.bootstrap);
      for (const id of ['box', 'slider', 'unseen'] as const)
        t.match(
          ended.get(id),
          {
            code: null,
            result: { status: 'pass', token: String, assuranceLevel: 'device_only', verificationOutcome: 'completed' },
          },
          id,
        );
      t.equal(
        new Set([...ended.values()].map(({ result }) => result?.sessionId)).size,
        3,
        'each has a session of its own',
      );
      await patch({ customThresholds: lenient });
    },
  );

  await t.test('a refusal says what it is and what can be done, at each step, and is never degraded', async (t) => {
    await patch({ customThresholds: lenient });
    const cases = [
      ['sessions', 402, 'TRIAL_EXPIRED', 'This check is not available right now', false],
      ['sessions', 409, 'RETRY_BUDGET_EXHAUSTED', 'No attempts left', false],
      ['sessions', 429, 'RATE_LIMIT_EXCEEDED', "We're very busy right now", true],
      ['verify', 409, 'RETRY_BUDGET_EXHAUSTED', 'No attempts left', false],
      ['verify', 410, 'SESSION_EXPIRED', 'This check has expired', true],
      ['verify', 422, 'INVALID_ENVELOPE', 'This check is not available right now', false],
      ['verify', 429, 'QUOTA_EXCEEDED', 'This check is not available right now', false],
      ['verify', 429, 'RATE_LIMIT_EXCEEDED', "We're very busy right now", true],
    ] as const;
    for (const [step, status, code, title, canRetry] of cases) {
      const asked = { sessions: 0, verify: 0 };
      const { page, begin, settled } = await site.open('mount', async (page) => {
        for (const name of ['sessions', 'verify'] as const)
          await page.route(`**/public/${name}`, async (route) => {
            if (route.request().method() === 'OPTIONS') return route.continue();
            asked[name] += 1;
            if (name !== step || asked[name] > 1) return route.continue();
            await route.fulfill({
              status,
              headers: { 'access-control-allow-origin': '*' },
              json: { code, message: 'as told' },
            });
          });
      });
      const name = `${step} ${status} ${code}`;
      await begin({
        siteKey,
        widgetMode: 'captcha',
        degradedMode: 'FAIL_OPEN_TRUSTED',
        dataCollector: randomUUID(),
        locale: 'en',
      });
      await page.getByRole('checkbox').click(pressed);
      await page.getByRole('heading', { name: title }).waitFor();
      if (canRetry) {
        await page.getByRole('button', { name: 'Try again' }).click(pressed);
        t.match(await settled(), { result: { status: 'pass', token: String }, error: null }, `${name}: and again`);
        t.strictSame(asked, code === 'SESSION_EXPIRED' ? { sessions: 2, verify: 2 } : { ...asked, [step]: 2 }, name);
      } else {
        const error = {
          name: 'VerifyError',
          code,
          message: 'as told',
          recoverable: false,
          context: { serverCode: code },
        };
        t.match(await settled(), { result: null, error }, name);
        t.equal(await page.getByRole('button').count(), 0, `${name}: nothing to press in vain`);
      }
      await page.close();
    }
  });

  await t.test(
    'who leaves during the capture and comes back finds the camera off, nothing sent, and a way on',
    async (t) => {
      const { page, begin, settled } = await site.open('mount', showNoise);
      const sent: string[] = [];
      page.on('request', (request) => request.url().endsWith('/public/verify') && sent.push(request.method()));
      await begin({ siteKey, widgetMode: 'standard', dataCollector: randomUUID(), locale: 'en' });
      await page.getByRole('button', { name: 'Start' }).click(pressed);
      await page.getByRole('button', { name: 'I agree, use my camera' }).click(pressed);
      await page.getByRole('heading', { name: /Move your face/ }).waitFor();
      await page.evaluate("addEventListener('pageshow', ({ persisted }) => { window.persisted = persisted; })");
      await page.goto(`${site.site.origin}/done`);
      await page.goBack({ waitUntil: 'commit' });
      await waitUntil(async () => (await page.evaluate('window.persisted')) === true, 'the page was kept');
      t.strictSame(await page.evaluate('tracks.map(({ readyState }) => readyState)'), ['ended']);
      await page.getByRole('heading', { name: 'Camera access is needed' }).waitFor();
      t.strictSame(sent, [], 'leaving is no verdict');
      await page.getByRole('button', { name: 'Continue without camera' }).click(pressed);
      const { result, error } = await settled();
      t.match(result?.verificationOutcome ?? error?.code, /declined_by_user|_FAILED|FRAUD_SIGNAL/);
      t.ok(sent.length > 0);
      await page.close();
    },
  );
});

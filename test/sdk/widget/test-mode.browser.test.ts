/** Test respondents in a driven browser, and a session that a backend made: the script that ships and the product’s own service. */
import t from 'tap';
import type { SessionReply } from '../../../src/contract/session.js';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { startSdkSiteInWindow, type Ended, type PlainOptions } from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';

t.setTimeout(240_000);

void t.test('in a driven browser', { skip, timeout: 200_000 }, async (t) => {
  const service = await startTestService(t);
  const { siteKey, projectId, organizationKey } = service.bootstrap;
  const site = await startSdkSiteInWindow(t, service.bootstrap);
  const settle = async (options: Omit<PlainOptions, 'siteKey'>): Promise<Ended> => {
    const { page, begin, settled } = await site.open('mount');
    await begin({ siteKey: `${siteKey}:test`, widgetMode: 'invisible', locale: 'en', ...options });
    const ended = await settled();
    await page.close();
    return ended;
  };

  await t.test('a test respondent decides how a mount ends', async (t) => {
    t.match((await settle({ respondentId: 'test_pass' })).result, { assuranceLevel: 'biometric' });
    t.match((await settle({ respondentId: 'test_pass_device_only' })).result, { assuranceLevel: 'device_only' });
    t.match(await settle({ respondentId: 'test_fail_fraud' }), { result: null, error: { code: 'FRAUD_SIGNAL' } });
    t.match(await settle({ respondentId: 'test_duplicate' }), { error: { code: 'DUPLICATE_DETECTED' } });
    t.match(await settle({ respondentId: 'test_expired' }), { error: { code: 'SESSION_EXPIRED' } });
  });

  await t.test('the interface of a test says so, and that of a live mount does not', async (t) => {
    for (const [key, isTest] of [
      [`${siteKey}:test`, true],
      [siteKey, false],
    ] as const)
      for (const widgetMode of ['captcha', 'standard'] as const) {
        const { page, begin } = await site.open('mount');
        await begin({ siteKey: key, widgetMode, locale: 'en' });
        await page.getByText('Protected by VerifyHuman').waitFor();
        t.equal(await page.getByText('Test mode').isVisible(), isTest, `${key} ${widgetMode}`);
        await page.close();
      }
  });

  await t.test('the hook has failed once a try has, while the interface offers another', async (t) => {
    const { page } = await site.open('react');
    const options = { apiEndpoint: service.bootstrap.baseUrl, widgetMode: 'captcha', autoStart: true, locale: 'en' };
    const test = { siteKey: `${siteKey}:test`, respondentId: 'test_fail_liveness' };
    await page.evaluate(`renderHook(${JSON.stringify({ ...options, ...test })})`);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    t.match(await page.evaluate('({ status: hook.status, code: hook.error?.code })'), {
      status: 'failed',
      code: 'LIVENESS_FAILED',
    });
    await page.close();
  });

  await t.test('a mount continues the session that a backend made', async (t) => {
    const { body: made } = await service.call('POST', `/projects/${projectId}/api-keys`, {
      body: { name: 'Test', isTest: true },
      headers: { 'x-api-key': organizationKey },
    });
    const { body } = await service.call('POST', '/sessions', {
      body: { respondentId: 'test_pass', widgetMode: 'invisible' },
      headers: { 'x-api-key': (made as { apiKey: string }).apiKey },
    });
    const session: SessionReply = body;
    t.match((await settle({ session })).result, { sessionId: session.sessionId, assuranceLevel: 'biometric' });
  });
});

/** Standard mode as a respondent meets it: the script that ships, the product’s own service, the policy of an integrator. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { startSdkSiteInWindow } from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';

void t.test('standard mode, from end to end', { skip, timeout: 170_000 }, async (t) => {
  const service = await startTestService(t);
  const site = await startSdkSiteInWindow(t, service.bootstrap);
  const { siteKey, projectId, organizationKey } = service.bootstrap;
  const set = await service.call('PATCH', `/projects/${projectId}`, {
    body: {
      customThresholds: { liveness: 0, uniqueness: 0, authenticity: 0, screenDetection: 0 },
      config: { challengeEnabled: false, deduplication: { perDataCollector: true } },
      userDisclosure: 'CUSTOM',
      userDisclosureCustomText: 'This is <b>our</b> survey.',
      branding: { companyName: 'Nordlicht' },
    },
    headers: { 'x-api-key': organizationKey },
  });
  t.equal(set.status, 200);
  const mount = async (widgetMode: 'standard') => {
    const opened = await site.open('mount');
    await opened.begin({ siteKey, widgetMode, dataCollector: randomUUID(), locale: 'en' });
    return opened;
  };

  await t.test('standard: who declines consent goes on without the camera', async (t) => {
    const { page, settled, errors } = await mount('standard');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Nordlicht').nth(1).waitFor();
    await page.getByRole('button', { name: 'Go on without camera' }).click();
    await page.getByRole('heading', { name: 'You carry on without the camera' }).waitFor();
    // What that is worth is the project's to say; it is never left open, and never asked again.
    const { result, error } = await settled();
    t.equal(
      result?.verificationOutcome ?? error?.context?.['sessionId'] !== undefined,
      result === null ? true : 'declined_by_user',
    );
    t.equal(await page.getByRole('button').count(), 0);
    t.strictSame(errors, []);
    await page.close();
  });
});

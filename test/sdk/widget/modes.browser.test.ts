/** Modes as a respondent meets them: the script that ships, the product’s own service, the policy of an integrator. */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import t from 'tap';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { startSdkSiteInWindow } from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';
import { waitUntil } from '../../helpers/wait-until.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';

void t.test('from end to end', { skip, timeout: 170_000 }, async (t) => {
  const service = await startTestService(t);
  const site = await startSdkSiteInWindow(t, service.bootstrap);
  const { siteKey, projectId, organizationKey, baseUrl } = service.bootstrap;
  const patch = async (body: Readonly<Record<string, unknown>>): Promise<void> => {
    const headers = { 'x-api-key': organizationKey };
    const { status } = await service.call('PATCH', `/projects/${projectId}`, { body, headers });
    t.equal(status, 200);
  };
  await patch({
    customThresholds: { liveness: 0, uniqueness: 0, authenticity: 0, screenDetection: 0 },
    config: { challengeEnabled: false, deduplication: { perDataCollector: true } },
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

  const heading = (page: Page) => page.getByRole('heading', { name: 'A short check that you are a real person' });

  await t.test('a page that takes the element away calls the mount off; one that moves it does not', async (t) => {
    for (const way of ['mount', 'html'] as const) {
      const { page, begin, settled } = await site.open(way);
      await begin({ siteKey, widgetMode: 'standard', locale: 'en' });
      await heading(page).waitFor();
      await page.evaluate(`(() => {
        const target = document.getElementById('target');
        const section = document.createElement('section');
        document.body.append(section);
        section.append(target);
        target.addEventListener('vh:error', ({ detail }) => ended(null, detail));
      })()`);
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      t.equal(await heading(page).count(), 1, `${way}: moved, it goes on`);
      t.equal(await page.evaluate('seen.ended'), null);
      await page.evaluate("document.querySelector('section').remove()");
      t.match(await settled(), { result: null, error: { name: 'AbortError' } }, way);
      await page.close();
    }
  });

  await t.test(
    'a retry in React names the session that failed, also after the way to the service failed',
    async (t) => {
      const asked: unknown[] = [];
      const opened = await site.open('react', async (page) => {
        await page.route('**/public/sessions', async (route) => {
          if (route.request().method() === 'OPTIONS') return route.continue();
          asked.push((route.request().postDataJSON() as { previousSessionId?: string }).previousSessionId);
          await route.abort('connectionrefused');
        });
      });
      const options = { siteKey, apiEndpoint: baseUrl, widgetMode: 'invisible', degradedMode: 'FAIL_CLOSED' };
      const failedFor = (count: number) =>
        waitUntil(
          async () => asked.length === count && (await opened.page.evaluate("hook.status === 'failed'")) === true,
          'the mount fails',
        );
      await opened.page.evaluate(`renderHook(${JSON.stringify({ ...options, previousSessionId: 'sess_before' })})`);
      await failedFor(3);
      await opened.page.evaluate('hook.retry()');
      await failedFor(6);
      t.strictSame([...new Set(asked)], ['sess_before']);
      await opened.page.close();
    },
  );

  await t.test('a redirect that is no web address is not followed, and the page’s author is told', async (t) => {
    await patch({ verificationMode: 'score' });
    const opened = await site.open('mount', async (page) => {
      await page.route('**/public/sessions/*/result', async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { dispatch: object };
        const dispatch = { ...body.dispatch, redirectUrl: "javascript:document.title='taken'" };
        await route.fulfill({ response, json: { ...body, dispatch } });
      });
    });
    await opened.begin({ siteKey, widgetMode: 'invisible', dataCollector: randomUUID() });
    t.match(await opened.settled(), { result: { status: String }, error: null });
    await waitUntil(() => opened.errors.length > 0, 'it is said on the console');
    t.match(opened.errors, [/redirectUrl is no web address/]);
    t.equal(await opened.page.title(), 'Survey');
    await opened.page.close();
    await patch({ verificationMode: 'block' });
  });
});

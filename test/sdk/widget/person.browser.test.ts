/** A person before the camera, as the widget sees one: the script that ships, the product’s own service, the policy of an integrator. */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import t from 'tap';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { answering, modelsPath, readModels } from '../../helpers/capture-page.js';
import { createPatch, lenient } from '../../helpers/project-fields.js';
import { pressed, startSdkSiteInWindow } from '../../helpers/sdk-page.js';
import { repositoryPath } from '../../helpers/repository.js';
import { startTestService } from '../../helpers/service.js';
import { startFrameClock } from '../../helpers/frame-clock.js';
import { startStaticSite } from '../../helpers/static-site.js';
import { waitUntil } from '../../helpers/wait-until.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';

t.setTimeout(590_000);

void t.test('a person before the camera', { skip, timeout: 570_000 }, async (t) => {
  const models = await startStaticSite({ files: readModels(), headers: { 'access-control-allow-origin': '*' } });
  t.teardown(() => models.close());
  const clock = startFrameClock();
  /** How far the service’s clock is ahead of that. */
  let aheadMs = 0;
  const service = await startTestService(
    t,
    {
      VH_MODELS_URL: models.origin + modelsPath,
      VH_FACE_MODELS: repositoryPath('deploy/face-models.example.json'),
    },
    { now: () => clock.now() + aheadMs },
  );
  const site = await startSdkSiteInWindow(t, service.bootstrap, models.origin);
  const { siteKey, baseUrl, adminUrl } = service.bootstrap;
  const patch = createPatch(t, service);
  /** A respondent who is seen passes by the capture. */
  const seen = {
    customThresholds: { ...lenient, liveness: 0.65 },
    config: {
      challengeEnabled: true,
      demographics: true,
      deduplication: { perDataCollector: true, reEligibilityDays: 7 },
    },
  };
  const dataCollector = randomUUID();
  /** A page with a person before its camera, who does what a stage asks for. */
  const openPerson = async () => {
    const opened = await site.open('person', (page) => clock.set(page));
    const { page } = opened;
    await waitUntil(async () => (await page.evaluate("'placeFace' in window")) === true, 'the page has its person');
    await page.evaluate('placeFace()');
    await page.evaluate(answering);
    return opened;
  };

  await t.test(
    'a person before the camera passes through the widget; without its place on the page the camera goes off',
    async (t) => {
      await waitUntil(async () => (await fetch(`${adminUrl}/readyz`)).ok, 'face index ready');
      await patch(seen);
      const { page, begin, settled, errors } = await openPerson();
      await begin({
        siteKey,
        widgetMode: 'standard',
        useDeepfakeDetection: true,
        dataCollector,
        respondentId: 'first',
        locale: 'en',
      });
      await page.getByRole('button', { name: 'Start' }).click(pressed);
      t.strictSame(await page.evaluate('readTracks()'), [], 'no camera before consent');
      await waitUntil(() => models.requests.length > 10, 'the models load while consent is read');
      await page.getByRole('button', { name: 'I agree, use my camera' }).click(pressed);
      const { result, error } = await settled(240_000);
      t.match(
        result,
        {
          status: 'pass',
          assuranceLevel: 'biometric',
          verificationOutcome: 'completed',
          scores: { liveness: Number },
          challengesTotal: 3,
          step: 2,
          deepfake: { verdict: 'ok', flags: Array, frameCount: Number, hasSufficientData: Boolean },
          demographics: Object,
        },
        'the verdict',
        { error },
      );
      t.notOk('priorParticipation' in (result ?? {}) || 'duplicateMatch' in (result ?? {}), 'nobody came before');
      t.ok(models.requests.length > 10, 'the models came from their own host');
      t.notOk(await isLive(page));
      t.strictSame(errors, []);
      await page.evaluate(`(() => {
      seen.ended = null;
      document.body.insertAdjacentHTML('beforeend', '<div id="second"></div>');
      const consent = { biometric: true, at: new Date().toISOString() };
      const options = ${JSON.stringify({ siteKey, apiEndpoint: baseUrl, widgetMode: 'standard', autoStart: true, dataCollector: randomUUID() })};
      VH.mount('#second', { ...options, consent }).then((result) => ended(result, null), (error) => ended(null, error));
    })()`);
      await waitUntil(() => isLive(page), 'consent that was given before opens the camera');
      await page.evaluate("document.getElementById('second').remove()");
      t.match(await settled(), { result: null, error: { name: 'AbortError' } });
      t.notOk(await isLive(page));
      await page.close();
    },
  );

  await t.test(
    'unseen: whose passive signals do not pass is asked for the camera in the same session, shown challenges but no picture, and told from a newcomer',
    async (t) => {
      aheadMs += 8 * 86_400_000;
      const { page, begin, settled, errors } = await openPerson();
      const created: unknown[] = [];
      await page.route('**/public/sessions', (route) => {
        if (route.request().method() === 'POST') created.push(route.request().postDataJSON());
        return route.continue();
      });
      // The widget measures no glasses; an envelope may bring them.
      await page.route('**/public/verify', (route) => {
        const envelope = route.request().postDataJSON() as { frames?: object } | null;
        if (envelope?.frames === undefined) return route.continue();
        return route.continue({ postData: JSON.stringify({ ...envelope, glassesDetected: true }) });
      });
      const dialog = page.getByRole('dialog');
      await patch({ ...seen, customThresholds: { ...lenient, authenticity: 1 } });
      await begin({ siteKey, widgetMode: 'invisible', escalateOnSuspicion: true, dataCollector, locale: 'en' });
      await dialog.getByRole('heading', { name: 'May we use your camera?' }).waitFor();
      t.notOk(await isLive(page), 'no camera before consent');
      t.equal(created.length, 1, 'one session');
      t.match(created, [{ widgetMode: 'invisible', previousSessionId: undefined }]);
      await patch(seen);
      await page.getByRole('button', { name: 'I agree, use my camera' }).click(pressed);
      await dialog.getByText('Step 1 of 2', { exact: true }).waitFor();
      t.ok(await isLive(page));
      t.equal(await dialog.locator('.live').count(), 0, 'the picture stays hidden');
      const ended = await settled(240_000);
      t.match(
        ended.result,
        {
          status: 'pass',
          assuranceLevel: 'biometric',
          challengesTotal: 2,
          step: 2,
          glassesDetected: true,
          priorParticipation: {
            fingerprintId: String,
            similarity: Number,
            lastSeenAt: Number,
          },
        },
        'the verdict',
        { error: ended.error },
      );
      t.notOk('respondentId' in (ended.result?.priorParticipation ?? {}), 'and not who that was');
      t.notOk('duplicateMatch' in (ended.result ?? {}), 'after the window nobody is a duplicate');
      t.equal(ended.result?.scores.uniqueness, null, 'nobody of the window was there to compare with');
      t.equal(created.length, 1, 'and one end');
      t.notOk('deepfake' in (ended.result ?? {}), 'nobody asked for the detector');
      t.notOk(await isLive(page));
      t.equal(await dialog.count(), 0, 'nothing is left on the page');
      t.strictSame(errors, []);
      await page.close();
    },
  );
});

/** Whether a camera of the page is on. */
const isLive = async (page: Page): Promise<boolean> => (await page.evaluate<string[]>('readTracks()')).includes('live');

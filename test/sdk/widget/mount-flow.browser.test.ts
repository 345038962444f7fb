/**
 * How a mount gets from its options to its end: the camera check of a session that is already open, the moment at which a verdict is told, and what
 * takes the place of a configuration or an address that the SDK does not get. The service is the product’s own, the browser a real one with a window.
 */
import { randomUUID } from 'node:crypto';
import type { Route } from 'playwright-core';
import t from 'tap';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { flagged } from '../../helpers/mount-cases.js';
import { createMountPatch } from '../../helpers/project-fields.js';
import { lenient } from '../../helpers/project-fields.js';
import {
  failCamera,
  pressed,
  startSdkSiteInWindow,
  ways,
  type Ended,
  type SdkPage,
  type Way,
} from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';
t.setTimeout(300_000);

void t.test('from options to end', { skip }, async (t) => {
  const service = await startTestService(t);
  const { bootstrap } = service;
  const { siteKey } = bootstrap;
  const site = await startSdkSiteInWindow(t, bootstrap);
  const patch = createMountPatch(t, service);
  // Together they make more sessions than one browser may in a minute.
  t.beforeEach(() => site.forget());
  /** Records a page's requests to the service, by path. */
  const watchCalls = (page: SdkPage['page']) => {
    const calls = { sessions: [] as unknown[], verify: [] as unknown[] };
    page.on('request', (request) => {
      const name = /\/public\/(sessions|verify)$/.exec(request.url())?.[1] as keyof typeof calls | undefined;
      if (name !== undefined && request.method() === 'POST') calls[name].push(request.postDataJSON());
    });
    return calls;
  };

  await t.test('a session that is made ahead goes on to its camera check', async (t) => {
    await patch({ customThresholds: { ...lenient, authenticity: 1 } });
    const { page } = await site.open('mount');
    const calls = watchCalls(page);
    const options = { siteKey, apiEndpoint: bootstrap.baseUrl, escalateOnSuspicion: true, locale: 'en' };
    await page.evaluate(`VH.session(${JSON.stringify(options)}).then((session) => void session.start('#target'))`);
    await page.getByRole('dialog').getByRole('heading', { name: 'May we use your camera?' }).waitFor();
    t.equal(calls.sessions.length, 1);
    t.match(calls.verify, [{ canEscalate: true }]);
    await page.close();
  });

  await t.test(
    'a camera check belongs to its session, whatever the mode, the budget and the consent that was passed',
    async (t) => {
      const consent = { biometric: true, at: '2026-05-04T12:00:00Z' } as const;
      const cases = [
        [{ widgetMode: 'captcha', autoStart: true, consent }, {}],
        [{ escalateOnSuspicion: true, consent }, { config: { maxRetries: 0 } }],
        [{ escalateOnSuspicion: true, consent }, { verificationMode: 'score' }],
        [{ consent }, { config: { escalateOnSuspicion: true } }],
        [{ escalateOnSuspicion: false, consent }, { config: { minimumAssurance: 'biometric' } }],
        [
          { widgetMode: 'captcha', autoStart: true, consent },
          { config: { minimumAssurance: 'biometric', challengeEnabled: false } },
        ],
      ] as const;
      for (const [options, project] of cases) {
        await patch({ ...project, customThresholds: { ...lenient, authenticity: 1 } });
        const { page, begin, settled } = await site.open(
          'mount',
          failCamera('NotFoundError', 'Requested device not found'),
        );
        const calls = watchCalls(page);
        await begin({ siteKey, dataCollector: randomUUID(), locale: 'en', ...options });
        const title = 'No camera found';
        if ('widgetMode' in options) {
          const failed = page.getByRole('region').filter({ has: page.getByRole('heading', { name: title }) });
          await failed.waitFor();
          t.notMatch(await failed.textContent(), /light/i, 'nobody is told to face a camera that nobody opened');
          await page.getByRole('button', { name: 'Close' }).click(pressed);
        }
        const { result, error } = await settled();
        const name = JSON.stringify({ ...options, ...project });
        const code = name.includes('minimumAssurance') ? 'LIVENESS_FAILED' : 'FRAUD_SIGNAL';
        t.equal(result?.status ?? error?.code, 'verificationMode' in project ? 'fail' : code, name);
        t.equal(await page.evaluate('window.asked'), 1, `${name}: the camera was asked for, without another question`);
        t.equal(calls.sessions.length, 1, name);
        t.match(calls.verify, [{ canEscalate: true }, { cameraFailureReason: 'NotFoundError' }], name);
        await page.close();
      }
    },
  );

  await t.test('vh:outcome tells a verdict while the failure still waits to be read', async (t) => {
    await patch({
      config: { widgetMode: 'captcha', challengeEnabled: false },
      customThresholds: { ...lenient, authenticity: 1 },
    });
    for (const way of ways) {
      const { page, begin, settled } = await site.open(way);
      await page.evaluate(`addEventListener('vh:outcome', ({ target, detail }) => {
        window.told = [...(window.told ?? []), { id: target.closest('#target')?.id, ...detail }];
      })`);
      await begin({ siteKey, autoStart: true, dataCollector: randomUUID(), locale: 'en' });
      await page.getByRole('button', { name: 'Close' }).waitFor();
      t.equal(await page.evaluate('seen.ended'), null, `${way}: the promise waits`);
      const failed = {
        id: 'target',
        sessionId: /^sess_/,
        status: 'fail',
        code: 'FRAUD_SIGNAL',
        token: /^[\w-]+\.[\w-]+\.[\w-]+$/,
      };
      t.match(await page.evaluate('told'), [failed], way);
      await patch({ config: { widgetMode: 'captcha' } });
      await page.getByRole('button', { name: 'Try again' }).click(pressed);
      t.match(await settled(), { result: { status: 'pass' } }, way);
      t.match(await page.evaluate('told'), [failed, { status: 'pass', code: null }], way);
      await page.close();
      await patch({
        config: { widgetMode: 'captcha', challengeEnabled: false },
        customThresholds: { ...lenient, authenticity: 1 },
      });
    }
  });

  const blockConfig = async (page: SdkPage['page']): Promise<void> => {
    await page.route('**/public-config', (route) => route.abort('connectionrefused'));
  };

  await t.test('one blocked address costs nobody the token: the session says how the mount goes on', async (t) => {
    await patch();
    const passBy = async (way: Way): Promise<void> => {
      const { page, begin, settled } = await site.open(way, blockConfig);
      const calls = watchCalls(page);
      await begin({ siteKey, studyId: 'study', dataCollector: randomUUID() });
      const { result } = await settled();
      t.match(result, { status: 'pass', token: /^[\w-]+\.[\w-]+\.[\w-]+$/ }, way);
      t.notOk('degraded' in (result ?? {}), way);
      t.match(calls.sessions, [{ studyId: 'study' }], `${way}: one session, by the mount’s own options`);
      t.equal(calls.sessions.length, 1, way);
      await page.close();
    };
    await Promise.all(ways.map(passBy));
    await patch({ verificationMode: 'score', config: { widgetMode: 'captcha' } });
    const { page, begin, settled } = await site.open('mount', blockConfig);
    await begin({ siteKey, dataCollector: randomUUID(), locale: 'en' });
    await page.getByRole('checkbox').click(pressed);
    t.match(await settled(), { result: { token: String }, error: null });
    t.equal((await page.evaluate<unknown[]>('seen.dispatches')).length, 1, 'in the mode of the project');
    await page.close();
    const made = await site.open('mount', blockConfig);
    const options = JSON.stringify({ siteKey, apiEndpoint: bootstrap.baseUrl, widgetMode: 'invisible' });
    t.match(await made.page.evaluate(`VH.session(${options}).then((session) => session.start())`), { token: String });
    await made.page.close();
  });

  await t.test('without configuration and sessions nobody knows the policy, and the default flags', async (t) => {
    await patch({ config: { degradedMode: 'FAIL_CLOSED' } });
    const mountWith = async (answer: (route: Route) => Promise<void>): Promise<Ended> => {
      const { page, begin, settled } = await site.open('mount', async (page) => {
        await blockConfig(page);
        await page.route('**/public/sessions', answer);
      });
      await begin({ siteKey });
      const ended = await settled();
      await page.close();
      return ended;
    };
    const headers = { 'access-control-allow-origin': '*' };
    const [unreached, refused] = await Promise.all([
      mountWith((route) => route.abort('connectionrefused')),
      mountWith((route) => route.fulfill({ status: 402, headers, json: { code: 'TRIAL_EXPIRED' } })),
    ]);
    t.match(unreached, flagged('network'));
    t.match(refused, { error: { code: 'TRIAL_EXPIRED' } }, 'a refusal is never degraded');
  });

  await t.test('a module finds its service by its own address, or names the option that is missing', async (t) => {
    await patch();
    const script = JSON.stringify(`${bootstrap.siteUrl}/sdk/v1/verifyhuman.umd.js`);
    const mount = `VH.mount('#target', ${JSON.stringify({ siteKey, dataCollector: randomUUID() })})`;
    const element = await site.open('bare');
    await element.page.evaluate(`new Promise((resolve) => {
      document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: ${script}, onload: resolve }));
    })`);
    t.match(await element.page.evaluate(mount), { status: 'pass', token: String });
    await element.page.close();
    const imported = await site.open('bare');
    t.match(
      await imported.page.evaluate(
        `import(${script}).then(() => ${mount}).catch(({ code, message }) => ({ code, message }))`,
      ),
      { code: 'INVALID_OPTION', message: /^apiEndpoint is needed/ },
    );
    const probe = (address: string) =>
      imported.page.evaluate(
        `import(${JSON.stringify(address)}).then(({ VHLite }) => VHLite.run(${JSON.stringify({ projectKey: bootstrap.probeKey })}))`,
      );
    t.match(await probe(`${bootstrap.siteUrl}/sdk/lite/v1/vh-lite.esm.js`), { sent: true });
    t.match(
      await probe('/copied.js'),
      { sent: false, reason: 'endpoint' },
      'a copy does not take the page for its service',
    );
    t.match(imported.errors, [/VHLite: endpoint is missing/]);
    await imported.page.close();
  });
});

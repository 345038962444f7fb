/**
 * One table of cases, run through every way in: the HTML drop-in, `VH.mount` and React must end the same. The service is the product’s own and
 * the browser a real one with a window, under the policy that integrators are told.
 */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import type { VHRisk } from '../../../sdk/widget/api.js';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { failing, mountCases } from '../../helpers/mount-cases.js';
import { createMountPatch } from '../../helpers/project-fields.js';
import { lenient } from '../../helpers/project-fields.js';
import {
  failCamera,
  pressed,
  startSdkSiteInWindow,
  ways,
  type Ended,
  type PlainOptions,
  type SdkPage,
  type Way,
} from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';
import { waitUntil } from '../../helpers/wait-until.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';
t.setTimeout(300_000);

void t.test('every way in ends the same', { skip }, async (t) => {
  const service = await startTestService(t);
  const site = await startSdkSiteInWindow(t, service.bootstrap);
  const { siteKey, projectId, organizationKey, bootstrap } = { ...service.bootstrap, bootstrap: service.bootstrap };
  const patch = createMountPatch(t, service);
  // Together they make more sessions than one browser may in a minute.
  t.beforeEach(() => site.forget());
  /** A session that failed, for retries. */
  const failOnce = async (): Promise<string> => {
    const page = await site.open('mount', failing('liveness'));
    await page.begin({ siteKey, dataCollector: randomUUID() });
    const { error } = await page.settled();
    await page.page.close();
    return String(error?.context?.['sessionId']);
  };

  for (const { name, options = {}, project, prepare, expect, isNoisy = false, check } of mountCases) {
    await t.test(name, async (t) => {
      await patch(project);
      const given =
        options.previousSessionId === undefined ? options : { ...options, previousSessionId: await failOnce() };
      // Each waits for the service in its own time, so all at once.
      const run = async (way: Way): Promise<void> => {
        const page = await site.open(way, prepare);
        await page.begin({ siteKey, respondentId: way, dataCollector: randomUUID(), ...given });
        const ended = await page.settled();
        t.match(ended, expect, way);
        if (!isNoisy) t.strictSame(page.errors, [], `${way} leaves no error in the console`);
        await check?.(t, page, ended, way);
        await page.page.close();
      };
      await Promise.all(ways.map(run));
    });
  }

  await t.test('score mode calls onResult with the signed envelope, then goes to the redirect', async (t) => {
    const done = `${site.site.origin}/done`;
    await patch({ verificationMode: 'score', scoreModeConfig: { redirectPassUrl: done, redirectFailUrl: done } });
    for (const way of ways) {
      const page = await site.open(way);
      await page.begin({ siteKey, respondentId: way, dataCollector: randomUUID() });
      await waitUntil(() => page.page.url().startsWith(done), `${way} follows the redirect`);
      t.match(new URL(page.page.url()).searchParams.get('vh_token'), /^[\w-]+\.[\w-]+\.[\w-]+$/, way);
      await page.page.close();
    }
    for (const way of ['mount', 'react'] as const) {
      const page = await site.open(way);
      await page.page.evaluate('window.seen.answer = false');
      await page.begin({ siteKey, respondentId: 'r', studyId: 's', dataCollector: randomUUID() });
      t.match(await page.settled(), { result: { status: String, token: String }, error: null }, way);
      const dispatches = await page.page.evaluate<object[]>('window.seen.dispatches');
      t.equal(dispatches.length, 1);
      t.match(dispatches[0], {
        mode: 'score',
        status: 'scored',
        redirectUrl: /\/redirect\?code=/,
        reason: null,
        envelope: { sessionId: /^sess_/, respondentId: 'r', studyId: 's', token: String, scores: { overall: Number } },
      });
      t.notOk(page.page.url().startsWith(done), `${way}: false keeps the page`);
      const { redirectUrl } = dispatches[0] as { redirectUrl: string };
      if (way === 'mount') await checkToken(t, page, redirectUrl);
      await page.page.close();
    }
  });

  /** The token of a redirect, checked in the page. */
  async function checkToken(t: Test, { page }: SdkPage, redirectUrl: string): Promise<void> {
    const answer = await fetch(redirectUrl, { redirect: 'manual' });
    const token = new URL(answer.headers.get('location') ?? '').searchParams.get('vh_token') ?? '';
    const verify = (jwt: string, audience: string) =>
      page.evaluate(`VH.verifyToken(${JSON.stringify(jwt)}, ${JSON.stringify({ audience })})`);
    t.match(await verify(token, projectId), { valid: true, claims: { aud: projectId } });
    t.strictSame(await verify(token, 'proj_other'), { valid: false, error: 'WRONG_AUDIENCE' });
    const [header, , signature] = token.split('.');
    const forged = `${header}.${Buffer.from('{"exp":9999999999}').toString('base64url')}.${signature}`;
    t.strictSame(await verify(forged, projectId), { valid: false, error: 'INVALID' });
    t.strictSame(await verify('not a token', projectId), { valid: false, error: 'MALFORMED' });
  }

  await t.test('a session without a mount is created at once, runs once, and can be called off', async (t) => {
    await patch();
    const { page } = await site.open('mount');
    const options = JSON.stringify({ siteKey, apiEndpoint: bootstrap.baseUrl, dataCollector: randomUUID() });
    t.match(
      await page.evaluate(
        `VH.session(${options}).then(async (s) => ({ id: s.sessionId, expiresAt: s.expiresAt, result: await s.start() }))`,
      ),
      { id: /^sess_/, expiresAt: Number, result: { status: 'pass' } },
    );
    t.equal(
      await page.evaluate(
        `VH.session(${options}).then((s) => { const running = s.start(); s.cancel(); return running.catch((e) => e.name); })`,
      ),
      'AbortError',
    );
    await page.close();
  });

  await t.test('the globals cannot be replaced; where another script was first, the document is told', async (t) => {
    const first = await site.open('mount');
    t.equal(
      await first.page.evaluate("(() => { 'use strict'; try { window.VH = 1; } catch (e) { return e.name; } })()"),
      'TypeError',
    );
    t.equal(await first.page.evaluate('Object.isFrozen(VH) && Object.isFrozen(VerifyHuman)'), true);
    await first.page.close();
    const taken = await site.open('mount', async (page) => {
      await page.addInitScript('window.VH = { mount() {} }');
    });
    t.strictSame(await taken.page.evaluate('window.seen.events'), ['vh:integrity-error IntegrityError']);
    t.match(taken.errors, [/IntegrityError/]);
    await taken.page.close();
  });

  await t.test('a callback of the page that throws changes no verdict', async (t) => {
    const page = await site.open('html');
    await page.page.evaluate(`
      document.addEventListener('vh:verified', ({ detail }) => ended(detail, null));
      window.throwing = () => { throw new Error('of the page'); };
      const element = document.getElementById('target');
      element.dataset.callback = 'throwing';
      element.dataset.apiEndpoint = ${JSON.stringify(bootstrap.baseUrl)};
      element.dataset.dataCollector = ${JSON.stringify(randomUUID())};
      element.dataset.sitekey = ${JSON.stringify(siteKey)};
      VerifyHuman.init();`);
    t.match(await page.settled(), { result: { status: 'pass' } });
    t.ok(page.errors.some((text) => text.includes('data-callback threw')));
    await page.page.close();
  });

  await t.test('what the element looks like is said alike by every way in', async (t) => {
    await patch({ config: { widgetMode: 'captcha' } });
    const drawn = new Set<unknown>();
    for (const way of ways) {
      const { page, begin } = await site.open(way);
      const slider = way === 'react' ? { interactionType: 'slider' } : { interaction: 'slider' };
      const looks = { widgetTheme: 'dark', widgetStyle: 'friendly', avatarStyle: 'neon', locale: 'ar' } as const;
      await begin({ siteKey, ...looks, ...slider } as PlainOptions);
      // The card's entrance begins with the frame after it is drawn.
      await page.locator('.enter').getByRole('slider').waitFor();
      drawn.add(
        await page.evaluate("[...document.querySelectorAll('div')].find((div) => div.shadowRoot).shadowRoot.innerHTML"),
      );
      await page.close();
    }
    t.equal(drawn.size, 1);
    const { page, begin } = await site.open('mount');
    await begin({ siteKey, interactionType: 'slider', locale: 'en' } as PlainOptions);
    await page.getByRole('checkbox').waitFor();
    t.equal(await page.getByRole('slider').count(), 0, 'VH.mount does not know interactionType');
    await page.close();
  });

  await t.test(
    'autoStart without consent asks all the same; a camera that is not given is an error of its own',
    async (t) => {
      await patch({ config: { widgetMode: 'standard' } });
      const refusals = [
        ['html', 'NotAllowedError', 'Permission denied', 'denied', 'Camera access is blocked'],
        ['mount', 'NotReadableError', 'In use', 'busy', 'Your camera is in use'],
        ['react', 'NotAllowedError', 'Permission dismissed', 'dismissed', 'Camera access is needed'],
      ] as const;
      for (const [way, name, message, reason, title] of refusals) {
        const { page, begin, settled } = await site.open(way, failCamera(name, message));
        await begin({ siteKey, autoStart: true, dataCollector: randomUUID(), locale: 'en' });
        await page.getByRole('heading', { name: 'May we use your camera?' }).waitFor();
        t.equal(await page.evaluate('window.asked'), 0, `${way}: not before consent`);
        await page.getByRole('button', { name: 'I agree, use my camera' }).click(pressed);
        await page.getByRole('heading', { name: title }).waitFor();
        await page.getByRole('button', { name: 'Cancel' }).click(pressed);
        const error = { name: 'CameraAccessError', reason, code: null, context: null };
        t.match(await settled(), { result: null, error }, `${way}: ${reason}`);
        await page.close();
      }
    },
  );

  await t.test(
    'without a camera the device is judged; consent holds for a retry, and its time is told once',
    async (t) => {
      await patch({ config: { widgetMode: 'standard' }, customThresholds: { ...lenient, authenticity: 1 } });
      const { page, begin, settled } = await site.open(
        'mount',
        failCamera('NotFoundError', 'Requested device not found'),
      );
      interface Sent {
        readonly consent: object;
        readonly timings: { readonly consentMs: number | null };
      }
      const sent: Sent[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/public/verify') && request.method() === 'POST')
          sent.push(request.postDataJSON() as Sent);
      });
      await begin({ siteKey, dataCollector: randomUUID(), locale: 'en' });
      await page.getByRole('button', { name: 'Start' }).click(pressed);
      await page.getByRole('button', { name: 'I agree, use my camera' }).click(pressed);
      await page.getByRole('heading', { name: 'No camera found' }).waitFor();
      await patch({ config: { widgetMode: 'standard' } });
      await page.getByRole('button', { name: 'Try again' }).click(pressed);
      t.match(await settled(), {
        error: null,
        result: {
          status: 'pass',
          cameraFailureReason: 'NotFoundError',
          assuranceLevel: 'device_only',
          verificationOutcome: 'unverified_technical',
        },
      });
      t.match(sent, [
        { consent: { biometric: true }, timings: { consentMs: Number } },
        { consent: { biometric: true }, timings: { consentMs: null } },
      ]);
      await page.close();
    },
  );

  const refusals = [
    [402, 'TRIAL_EXPIRED', false],
    [409, 'CONFLICT', false],
    [410, 'SESSION_EXPIRED', true],
    [422, 'VALIDATION_FAILED', false],
    [429, 'RATE_LIMIT_EXCEEDED', true],
  ] as const;
  /**
   * Mounts as many times as there are refusals, each answered with its own at `path`, and presses Close on each of the `asked` screens that
   * offer another try; tells how they ended, and what onResult got.
   */
  const mountRefused = async (path: string, asked: number) => {
    const { page, errors } = await site.open('mount', async (page) => {
      let count = 0;
      await page.route(path, async (route) => {
        const [status, code] = refusals[count++] ?? [500, ''];
        const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
        if (route.request().method() === 'OPTIONS') count -= 1;
        await route.fulfill({ status, headers, json: { code, message: 'as told' } });
      });
    });
    const options = { siteKey, apiEndpoint: bootstrap.baseUrl, degradedMode: 'FAIL_OPEN_TRUSTED' };
    const ending = page.evaluate<
      Ended[]
    >(`Promise.all(${JSON.stringify(refusals.map(() => randomUUID()))}.map((dataCollector) => {
      const host = document.body.appendChild(document.createElement('div'));
      const onResult = (dispatch) => void seen.dispatches.push(dispatch);
      return VH.mount(host, { ...${JSON.stringify(options)}, dataCollector, onResult }).then(
        (result) => ({ result, error: null }),
        ({ code, recoverable }) => ({ result: null, error: { code, recoverable } }),
      );
    }))`);
    const close = page.getByRole('button', { name: 'Close' });
    for (let left = asked; left > 0; left -= 1) await close.first().click(pressed);
    const ends = await ending;
    const dispatches = await page.evaluate<unknown[]>('seen.dispatches');
    await page.close();
    return { ends, dispatches, errors };
  };

  await t.test('a refusal of the project’s configuration rejects with its code, and is never degraded', async (t) => {
    await patch();
    const { ends } = await mountRefused('**/public-config', refusals.filter(([, , recoverable]) => recoverable).length);
    const told = ends.map(({ error }) => `${error?.code} ${error?.recoverable}`);
    t.strictSame(told.sort(), refusals.map(([, code, recoverable]) => `${code} ${recoverable}`).sort());
  });

  await t.test('a refusal of the envelope takes no verdict away; the page’s author is told', async (t) => {
    await patch({ verificationMode: 'score' });
    const { ends, dispatches, errors } = await mountRefused('**/public/sessions/*/result', 0);
    for (const { result } of ends) t.match(result, { status: String, token: /^[\w-]+\.[\w-]+\.[\w-]+$/ });
    t.strictSame(dispatches, []);
    const said = errors.filter((text) => text.includes('onResult was not called'));
    t.equal(said.length, refusals.length);
  });

  await t.test('what a risk is made of is told to who asks for it, in a session whose key allows it', async (t) => {
    await patch({ config: { riskAggregator: 'on' } });
    const headers = { 'x-api-key': organizationKey };
    const made = await service.call('POST', `/projects/${projectId}/api-keys`, {
      body: { diagnosticsEnabled: true },
      headers,
    });
    const { apiKey } = made.body as { apiKey: string };
    const { page } = await site.open('mount', async (page) => {
      await page.addInitScript(`{
        const plain = fetch;
        window.fetch = (url, init) => {
          const headers = { ...init?.headers, ...(window.diagnoses && url.endsWith('/verify') ? { 'x-vh-diagnostics': '1' } : {}) };
          return plain(url, { ...init, headers });
        };
      }`);
      await page.route('**/public/sessions', async (route) => {
        if (route.request().method() === 'OPTIONS') return route.continue();
        const body = { dataCollector: randomUUID() };
        const { body: session } = await service.call('POST', '/sessions', { body, headers: { 'x-api-key': apiKey } });
        await route.fulfill({ status: 201, headers: { 'access-control-allow-origin': '*' }, json: session });
      });
    });
    const mount = (diagnoses: boolean) =>
      page.evaluate(
        `(window.diagnoses = ${diagnoses}, VH.mount('#target', ${JSON.stringify({ siteKey, apiEndpoint: bootstrap.baseUrl })}).then(({ risk }) => risk))`,
      );
    const axes = { overall: Number, device: Number, droppedSignals: Array, degradedSignals: Array };
    t.match(await mount(false), axes);
    t.strictSame(((await mount(false)) as VHRisk).contributions, []);
    const risk = (await mount(true)) as VHRisk;
    t.match(risk, axes);
    t.match(risk.contributions[0], { signal: String, axis: String, contribution: Number });
    await page.close();
  });

  await t.test('the local widget asks no service, and goes when it is told to', async (t) => {
    const { page, errors } = await site.open('mount');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.evaluate(`void (window.local = VerifyHuman.createVerifyWidget({ container: '#target', locale: 'en',
      onComplete: (result) => { seen.ended = { result, error: null }; } }))`);
    await page.getByRole('checkbox').click(pressed);
    await waitUntil(async () => (await page.evaluate('seen.ended !== null')) === true, 'it tells what it came to');
    t.match(await page.evaluate('local.result'), {
      success: Boolean,
      confidence: Number,
      behavioralSignals: { mouseScore: Number, lieCount: Number },
      deviceId: String,
      timestamp: Number,
    });
    t.strictSame(
      asked.filter((url) => url.includes('/api/')),
      [],
    );
    await page.evaluate('local.destroy()');
    t.equal(await page.evaluate("document.getElementById('target').childElementCount"), 0);
    t.strictSame(errors, []);
    await page.close();
  });
});

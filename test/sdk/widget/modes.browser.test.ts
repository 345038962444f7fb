/** Modes as a respondent meets them: the script that ships, the product’s own service, the policy of an integrator. */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import t from 'tap';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { verifyByHand } from '../../helpers/hand-page.js';
import { startSdkSiteInWindow } from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';
import { waitUntil } from '../../helpers/wait-until.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';

t.setTimeout(330_000);
/** A press that takes its time: a click without one is told from a hand. */
const pressed = { delay: 90 };
/** Everything passes that a browser under playwright can show. */
const lenient = { liveness: 0, uniqueness: 0, authenticity: 0, screenDetection: 0 };
const config = { challengeEnabled: false, deduplication: { perDataCollector: true } };

void t.test('from end to end', { skip, timeout: 300_000 }, async (t) => {
  const service = await startTestService(t);
  const site = await startSdkSiteInWindow(t, service.bootstrap);
  const { siteKey, projectId, organizationKey, baseUrl } = service.bootstrap;
  const patch = async (body: Readonly<Record<string, unknown>>): Promise<void> => {
    const headers = { 'x-api-key': organizationKey };
    const { status } = await service.call('PATCH', `/projects/${projectId}`, { body, headers });
    t.equal(status, 200);
  };
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
      ['sessions', 409, 'RETRY_BUDGET_EXHAUSTED', 'That was the last attempt', false],
      ['sessions', 429, 'RATE_LIMIT_EXCEEDED', 'A lot is going on just now', true],
      ['verify', 409, 'RETRY_BUDGET_EXHAUSTED', 'That was the last attempt', false],
      ['verify', 410, 'SESSION_EXPIRED', 'That took a little long', true],
      ['verify', 422, 'INVALID_ENVELOPE', 'This check is not available right now', false],
      ['verify', 429, 'QUOTA_EXCEEDED', 'This check is not available right now', false],
      ['verify', 429, 'RATE_LIMIT_EXCEEDED', 'A lot is going on just now', true],
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

  /** A camera that shows noise, and no face. */
  const noise = async (page: Page): Promise<void> => {
    await page.addInitScript(`navigator.mediaDevices.getUserMedia = async () => {
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('2d');
      setInterval(() => { context.fillStyle = 'rgb(' + [0, 0, 0].map(() => Math.random() * 255 | 0) + ')'; context.fillRect(0, 0, 640, 480); }, 100);
      const stream = canvas.captureStream(15);
      (window.tracks ??= []).push(...stream.getTracks());
      return stream;
    }`);
  };

  await t.test('with a directive of the policy left out, the page’s author reads which', async (t) => {
    const { policy } = site;
    const change = (from: string | RegExp, to: string): string => {
      const changed = policy.replace(from, to);
      t.not(changed, policy);
      return changed;
    };
    const cases = [
      [
        'worker-src',
        change("worker-src 'self' blob:", "worker-src 'self'"),
        /: the page’s [^:]* blocks blob:\. Add .* worker-src 'self' blob:$/,
      ],
      ['WebAssembly', change(" 'wasm-unsafe-eval'", ''), /a policy has to say script-src 'wasm-unsafe-eval'/],
      [
        'the camera part’s file',
        change(/script-src 'self' (\S+)/, "script-src 'self' $1/sdk/v1/verifyhuman.umd.js"),
        /Add http:\S+ to its script-src directive/,
      ],
      ['images and media', change(/; img-src.*$/, ''), null],
    ] as const;
    for (const [name, given, said] of cases) {
      const { page, begin, errors } = await site.open('mount', noise, given);
      await begin({ siteKey, widgetMode: 'standard', dataCollector: randomUUID(), locale: 'en' });
      await page.getByRole('button', { name: 'Start' }).click(pressed);
      await page.getByRole('button', { name: 'I agree, use my camera' }).click(pressed);
      // Whoever the policy keeps from the camera is verified without; the others are looked at.
      await page
        .getByRole('heading', { name: said === null ? /Come into/ : /Thank you|not work|last attempt/ })
        .waitFor();
      const ours = errors.filter((text) => text.startsWith('VerifyHuman'));
      if (said === null) t.strictSame(errors, [], name);
      else t.match(ours, [said], name);
      const states = await page.evaluate<string[] | undefined>('window.tracks?.map(({ readyState }) => readyState)');
      if (said !== null) t.notOk(states?.includes('live'), `${name}: no camera is left on`);
      await page.close();
    }
  });

  await t.test(
    'who leaves during the capture and comes back finds the camera off, nothing sent, and a way on',
    async (t) => {
      const { page, begin, settled } = await site.open('mount', noise);
      const sent: string[] = [];
      page.on('request', (request) => request.url().endsWith('/public/verify') && sent.push(request.method()));
      await begin({ siteKey, widgetMode: 'standard', dataCollector: randomUUID(), locale: 'en' });
      await page.getByRole('button', { name: 'Start' }).click(pressed);
      await page.getByRole('button', { name: 'I agree, use my camera' }).click(pressed);
      await page.getByRole('heading', { name: /Come into/ }).waitFor();
      await page.evaluate("addEventListener('pageshow', ({ persisted }) => { window.persisted = persisted; })");
      await page.goto(`${site.site.origin}/done`);
      await page.goBack({ waitUntil: 'commit' });
      await waitUntil(async () => (await page.evaluate('window.persisted')) === true, 'the page was kept');
      t.strictSame(await page.evaluate('tracks.map(({ readyState }) => readyState)'), ['ended']);
      await page.getByRole('heading', { name: 'The camera has not been allowed yet' }).waitFor();
      t.strictSame(sent, [], 'leaving is no verdict');
      await page.getByRole('button', { name: 'Go on without camera' }).click(pressed);
      const { result, error } = await settled();
      t.match(result?.verificationOutcome ?? error?.code, /declined_by_user|_FAILED|FRAUD_SIGNAL/);
      t.ok(sent.length > 0);
      await page.close();
    },
  );

  await t.test(
    'a person before the camera passes through the widget; without its place on the page the camera goes off',
    async (t) => {
      await patch({ customThresholds: { ...lenient, liveness: 0.65 }, config: { ...config, challengeEnabled: true } });
      const { page, begin, settled, errors } = await site.open('person');
      await waitUntil(async () => (await page.evaluate("'placeFace' in window")) === true, 'the page has its person');
      await page.evaluate('placeFace()');
      await page.evaluate(answering);
      await begin({
        siteKey,
        widgetMode: 'standard',
        useDeepfakeDetection: true,
        dataCollector: randomUUID(),
        locale: 'en',
      });
      await page.getByRole('button', { name: 'Start' }).click(pressed);
      t.strictSame(await page.evaluate('readTracks()'), [], 'no camera before consent');
      await page.getByRole('button', { name: 'I agree, use my camera' }).click(pressed);
      const { result, error } = await settled(90_000);
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
      t.strictSame(await page.evaluate('readTracks()'), ['ended']);
      t.strictSame(errors, []);
      await page.evaluate(`(() => {
      seen.ended = null;
      document.body.insertAdjacentHTML('beforeend', '<div id="second"></div>');
      const consent = { biometric: true, at: new Date().toISOString() };
      const options = ${JSON.stringify({ siteKey, apiEndpoint: baseUrl, widgetMode: 'standard', autoStart: true, dataCollector: randomUUID() })};
      VH.mount('#second', { ...options, consent }).then((result) => ended(result, null), (error) => ended(null, error));
    })()`);
      await waitUntil(
        async () => (await page.evaluate('readTracks()[1]')) === 'live',
        'consent that was given before opens the camera',
      );
      await page.evaluate("document.getElementById('second').remove()");
      t.match(await settled(), { result: null, error: { name: 'AbortError' } });
      t.strictSame(await page.evaluate('readTracks()'), ['ended', 'ended']);
      await page.close();
    },
  );
});

/** Runs in the page: the person does what the stage asks for. */
const answering = `(() => {
  const asked = { 'Blink slowly': 'blink', 'Turn your head to the left': 'turn_left', 'Turn your head to the right': 'turn_right',
    'Nod your head': 'nod', Smile: 'smile' };
  let last = '';
  setInterval(() => {
    const told = document.querySelector('#target > div')?.shadowRoot?.querySelector('.told')?.textContent ?? '';
    if (told === last) return;
    last = told;
    for (const [text, type] of Object.entries(asked)) if (told.startsWith(text)) perform(type);
  }, 40);
})()`;

/** The mount and its page: the element, the policy, the way on after a failure, and what the script costs before anything is asked. */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import t from 'tap';
import { hasChromium, hasDisplayTools } from '../../helpers/browser.js';
import { traceTasks, type TaskTrace } from '../../helpers/main-thread.js';
import { readRepositoryFile } from '../../helpers/repository.js';
import { createPatch } from '../../helpers/project-fields.js';
import { lenient } from '../../helpers/project-fields.js';
import { pressed, showNoise, startSdkSiteInWindow } from '../../helpers/sdk-page.js';
import { startTestService } from '../../helpers/service.js';
import { startStaticSite } from '../../helpers/static-site.js';
import { waitUntil } from '../../helpers/wait-until.js';

const skip = hasChromium() && hasDisplayTools() ? false : 'Chromium or Xvfb is not installed (CHROMIUM_PATH)';
t.setTimeout(240_000);

void t.test('a mount on its page', { skip }, async (t) => {
  const service = await startTestService(t);
  const site = await startSdkSiteInWindow(t, service.bootstrap);
  const { siteKey, baseUrl } = service.bootstrap;
  const patch = createPatch(t, service);
  await patch({
    customThresholds: lenient,
    config: { challengeEnabled: false, deduplication: { perDataCollector: true } },
  });
  const heading = (page: Page) => page.getByRole('heading', { name: 'Quick check: are you a real person?' });

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
    t.match(opened.errors, [/redirectUrl is not a web URL/]);
    t.equal(await opened.page.title(), 'Survey');
    await opened.page.close();
    await patch({ verificationMode: 'block' });
  });

  await t.test('a page that the list does not name is told so, and by whose list', async (t) => {
    await patch({ config: { allowedDomains: ['https://elsewhere.example'] } });
    const { page, begin, settled, errors } = await site.open('mount');
    await begin({ siteKey, widgetMode: 'invisible', degradedMode: 'FAIL_OPEN_TRUSTED' });
    t.match(await settled(), { result: null, error: { code: 'ORIGIN_NOT_ALLOWED', recoverable: false } });
    const said = `VerifyHuman: Origin ${site.site.origin} isn’t allowed. Add it to config.allowedDomains of the project.`;
    await waitUntil(() => errors.includes(said), 'the page’s author is told');
    await page.close();
    await patch({ config: { allowedDomains: [] } });
  });

  await t.test(
    'what is wrong with an element, and a service that cannot be asked, is said on the console',
    async (t) => {
      const ours = (errors: readonly string[]) => errors.filter((text) => text.startsWith('VerifyHuman'));
      for (const [options, said] of [
        [
          { siteKey: 'proj_nobody' },
          /^VerifyHuman: NOT_FOUND: The site key was not found\. Use the siteKey of your project\.$/,
        ],
        [{ siteKey: 'pk_1' }, /^VerifyHuman: INVALID_OPTION: siteKey is the key of the probe/],
      ] as const) {
        const { page, begin, settled, errors } = await site.open('html');
        await begin(options);
        t.match(await settled(), { result: null, error: { name: 'VerifyError', recoverable: false } });
        t.match(ours(errors), [said]);
        await page.close();
      }
      const blocked = site.policy.replace(/connect-src 'self' [^;]+/, "connect-src 'self'");
      const { page, begin, settled, errors } = await site.open('mount', undefined, blocked);
      await begin({ siteKey, degradedMode: 'FAIL_OPEN_TRUSTED' });
      t.match(await settled(), { result: { status: 'pass', token: null }, error: null });
      t.match(ours(errors), [/E030: .* Add \S+ to its connect-src directive.* The mount applies FAIL_OPEN_TRUSTED/]);
      await page.close();
    },
  );

  await t.test('whoever meets a project that cannot be read is told what happened and whom to ask', async (t) => {
    const meet = async (
      options: object,
      title: string,
      reference: string | null,
      prepare?: (page: Page) => Promise<unknown>,
    ) => {
      const opened = await site.open('mount', async (page) => void (await prepare?.(page)));
      await opened.begin({ siteKey, locale: 'en', degradedMode: 'FAIL_CLOSED', ...options });
      await opened.page.getByRole('heading', { name: title }).waitFor();
      if (reference !== null) {
        await opened.page.getByText(reference).waitFor();
        t.match((await opened.settled()).error, { recoverable: false }, `${title}: the page hears at once`);
      }
      return opened;
    };
    const setup = 'This check is not available right now';
    const meetUnknown = async () => (await meet({ siteKey: 'proj_none' }, setup, 'Reference: ')).page.close();
    const refuse = (page: Page) =>
      page.route('**/public-config', (route) =>
        route.fulfill({
          status: 403,
          headers: { 'access-control-allow-origin': '*' },
          json: { code: 'ORIGIN_NOT_ALLOWED', message: 'as told' },
        }),
      );
    const meetRefusal = async () => (await meet({}, setup, 'Reference: \u2068ORIGIN_NOT_ALLOWED', refuse)).page.close();
    const offline = (page: Page) => page.route('**/api/v1/**', (route) => route.abort());
    const failing = (page: Page) =>
      page.route('**/api/v1/**', (route) =>
        route.fulfill({ status: 503, headers: { 'access-control-allow-origin': '*' }, body: '' }),
      );
    const meetFailure = async (title: string, prepare: (page: Page) => Promise<unknown>) => {
      const { page, settled } = await meet({}, title, null, prepare);
      await page.unroute('**/api/v1/**');
      await page.getByRole('button', { name: 'Try again' }).click(pressed);
      await page.getByRole('button', { name: 'Start' }).waitFor();
      t.equal(await page.getByRole('heading', { name: title }).count(), 0, `${title}: and again`);
      await page.evaluate("document.getElementById('target').remove()");
      t.match(await settled(), { error: { name: 'AbortError' } });
      await page.close();
    };
    const meetOpenFailure = async () => {
      const { page, settled } = await meet({ degradedMode: 'FAIL_OPEN_FLAGGED' }, 'You can continue', null, failing);
      t.match(await settled(), { result: { degraded: true, degradedReason: 'server', token: null } });
      await page.close();
    };
    // Each waits for the service in its own time, so all at once.
    await Promise.all([
      meetUnknown(),
      meetRefusal(),
      meetFailure('Connection lost', offline),
      meetFailure("Our service isn't responding", failing),
      meetOpenFailure(),
    ]);
  });

  await t.test(
    'while the service is slow, the page shows that the check is loading; invisible mode shows nothing',
    async (t) => {
      let answer = () => {};
      const answered = new Promise<void>((resolve) => (answer = resolve));
      const slow = async (page: Page) => {
        await page.route('**/public-config', async (route) => {
          await answered;
          await route.continue();
        });
      };
      const seen = await site.open('mount', slow);
      const unseen = await site.open('mount', slow);
      // The one that shows nothing begins first, so that it has waited longer.
      await unseen.begin({ siteKey, locale: 'de', widgetMode: 'invisible' });
      await seen.begin({ siteKey, locale: 'de', widgetMode: 'standard' });
      await seen.page.getByText('Einen Moment').first().waitFor();
      t.equal(await unseen.page.evaluate("document.getElementById('target').childElementCount"), 0);
      answer();
      await seen.page.getByRole('button', { name: 'Starten' }).waitFor();
      t.equal(await seen.page.evaluate("document.getElementById('target').childElementCount"), 1);
      await seen.page.close();
      await unseen.page.close();
    },
  );

  await t.test('a respondent who cancels in front of the camera can start again, or end the mount', async (t) => {
    const { page, begin, settled } = await site.open('mount', showNoise);
    await begin({ siteKey, widgetMode: 'standard', dataCollector: randomUUID(), locale: 'en' });
    await page.getByRole('button', { name: 'Start' }).click(pressed);
    await page.getByRole('button', { name: 'I agree, use my camera' }).click(pressed);
    const cancel = page.getByRole('button', { name: 'Cancel' });
    const stage = page.getByRole('heading', { name: /Move your face/ });
    const canceled = page.getByRole('heading', { name: 'You canceled the check' });
    const isOn = () => page.evaluate<boolean>("tracks.some(({ readyState }) => readyState === 'live')");
    await stage.waitFor();
    await cancel.click(pressed);
    await canceled.waitFor();
    t.equal(await isOn(), false, 'the camera is off');
    await page.getByRole('button', { name: 'Try again' }).click(pressed);
    await stage.waitFor();
    t.equal(await isOn(), true);
    await cancel.click(pressed);
    await canceled.waitFor();
    t.equal(await page.evaluate('seen.ended'), null);
    await cancel.click(pressed);
    t.match(await settled(), { result: null, error: { name: 'AbortError', code: 'CANCELED' } });
    t.equal(await isOn(), false);
    await page.close();
  });

  await t.test('targets and addresses that are none are refused by name', async (t) => {
    const { page } = await site.open('mount');
    const refusalOf = (target: string, apiEndpoint: string) =>
      page.evaluate<string>(
        `VH.mount(${target}, { siteKey: 'proj_1', apiEndpoint: '${apiEndpoint}', degradedMode: 'FAIL_CLOSED' }).catch(({ code, message }) => code + ' ' + message)`,
      );
    t.equal(
      await refusalOf("'##'", baseUrl),
      'INVALID_OPTION ## is not a CSS selector. Pass an element or a valid selector.',
    );
    t.match(await refusalOf("'#none'", baseUrl), /^INVALID_OPTION Element #none does not exist/);
    t.match(await refusalOf('null', baseUrl), /^INVALID_OPTION The mount target is null/);
    t.match(await refusalOf('document.body', 'https://'), /^INVALID_OPTION apiEndpoint is no web address/);
    t.match(await refusalOf('document.body', '/api/v1'), /^HTTP_404/, 'a path is of the page’s own host');
    await page.close();
  });

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
      [
        'trusted types',
        `${policy}; require-trusted-types-for 'script'; trusted-types verifyhuman 'allow-duplicates'`,
        null,
      ],
    ] as const;
    for (const [name, given, said] of cases) {
      const { page, begin, errors } = await site.open('mount', showNoise, given);
      await begin({ siteKey, widgetMode: 'standard', dataCollector: randomUUID(), locale: 'en' });
      await page.getByRole('button', { name: 'Start' }).click(pressed);
      await page.getByRole('button', { name: 'I agree, use my camera' }).click(pressed);
      // Whoever the policy keeps from the camera is verified without; the others are looked at.
      await page.getByRole('heading', { name: said === null ? /Move your face/ : /Thank|couldn't verify/ }).waitFor();
      const ours = errors.filter((text) => text.startsWith('VerifyHuman'));
      if (said === null) t.strictSame(errors, [], name);
      else t.match(ours, [said], name);
      const states = await page.evaluate<string[] | undefined>('window.tracks?.map(({ readyState }) => readyState)');
      if (said !== null) t.notOk(states?.includes('live'), `${name}: no camera is left on`);
      await page.close();
    }
  });

  await t.test(
    'a page is ready about as soon as with an empty script, and is never held before the camera',
    async (t) => {
      const pageOf = (src: string) =>
        `<!doctype html><html lang="en"><title>Survey</title><body><script src="${src}"></script></body></html>`;
      const files = {
        '/widget': pageOf('/widget.js'),
        '/widget.js': readRepositoryFile('dist/sdk/v1/verifyhuman.umd.js'),
        '/empty': pageOf('/empty.js'),
        '/empty.js': ';',
        '/favicon.ico': '',
      };
      const pages = await startStaticSite({ files });
      t.teardown(() => pages.close());
      const { page } = await site.open('mount');
      const readyMs = async (name: string): Promise<number> => {
        await page.goto(`${pages.origin}/${name}`, { waitUntil: 'load' });
        const [entry] = await page.evaluate<{ domContentLoadedEventEnd: number; fetchStart: number }[]>(
          "performance.getEntriesByType('navigation').map((entry) => entry.toJSON())",
        );
        return (entry?.domContentLoadedEventEnd ?? 0) - (entry?.fetchStart ?? 0);
      };
      // Another program's turn makes one page or the other late: of a few rounds the best counts, as it does for the other.
      const compare = async (): Promise<number> => {
        const ratios: number[] = [];
        for (let round = 0; round < 9; round += 1) ratios.push((await readyMs('widget')) / (await readyMs('empty')));
        return ratios.sort((a, b) => a - b)[4] ?? Infinity;
      };
      t.ok(
        await anyOf(4, async () => (await compare()) <= 1.5),
        'the median of pages in turn is within one and a half',
      );
      await page.close();

      const longest = async (): Promise<number> => {
        const opened: { trace?: TaskTrace } = {};
        const { page, begin } = await site.open('mount', async (page) => {
          opened.trace = await traceTasks(page);
        });
        await begin({ siteKey, widgetMode: 'standard', locale: 'en' });
        await page.getByRole('button', { name: 'Start' }).click(pressed);
        await page.getByRole('heading', { name: 'May we use your camera?' }).waitFor();
        const tasks = (await opened.trace?.stop()) ?? [];
        t.ok(tasks.length > 50, `${tasks.length} tasks were seen`);
        await page.close();
        return tasks[0] ?? Infinity;
      };
      t.ok(
        await anyOf(3, async () => (await longest()) <= 50),
        'from the load of the script to the consent no task is long',
      );
    },
  );
});

/** Whether a try out of a few came out well: on a machine that others use, each may be held up. */
async function anyOf(tries: number, attempt: () => Promise<boolean>): Promise<boolean> {
  for (let tried = 0; tried < tries; tried += 1) if (await attempt()) return true;
  return false;
}

/** The pages of studies in a real browser: the entry goes on by itself, and every page can be read by everybody. */
import axe from 'axe-core';
import t from 'tap';
import { languages } from '../../src/administration/pages/languages.js';
import { hasChromium, launchDriven, launchForPages } from '../helpers/browser.js';
import { callerOf, creation, desktopAgent, fieldStudy, startSurvey, titles } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { serveStudyPages, studyPagePaths } from '../helpers/study-pages.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(300_000);

t.test(
  'the entry checks the browser and goes on without a click, under its own policy',
  { skip, timeout: 280_000 },
  async (t) => {
    const service = await startTestService(t);
    const { audienceUrl, projectKey } = service.bootstrap;
    const survey = await startSurvey(t, () => null);
    const study = await fieldStudy(callerOf(audienceUrl, projectKey), creation(survey.url));
    // One that hides what drives it: a stock one is refused below.
    const browser = await launchDriven({
      userAgent: desktopAgent,
      args: ['--disable-blink-features=AutomationControlled'],
    });
    t.teardown(() => browser.close());
    const page = await browser.context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    const probe = page.waitForResponse((response) => response.url().endsWith('/enter/probe'));
    await page.goto(`${study.entryUrl}?rid=a&src=s`);
    t.equal((await probe).status(), 202, 'the probe is taken');
    await page.waitForURL((url) => url.href.startsWith(survey.url));
    t.same(errors, [], 'nothing on the console');
    const without = await (await browser.context.browser()?.newContext({ javaScriptEnabled: false }))?.newPage();
    if (without !== undefined) {
      await without.goto(`${study.entryUrl}?rid=b&src=s`);
      t.equal(await without.locator('h1:visible').textContent(), titles.unchecked, 'without JavaScript');
    }

    const answers: number[] = [];
    page.on('response', (response) => response.url().endsWith('/enter/probe') && answers.push(response.status()));
    await page.route('**/enter/probe', (route) => route.fulfill({ status: 503 }), { times: 1 });
    await page.goto(`${study.entryUrl}?rid=e&src=s`);
    await page.waitForURL(/vh_checked=/, { timeout: 30_000 });
    t.same(answers.slice(0, 2), [503, 202], 'a service that is busy is asked once more');
    await page.route('**/enter/probe', (route) => route.fulfill({ status: 503 }));
    await page.goto(`${study.entryUrl}?rid=d&src=s`);
    await page.waitForURL(/vh_checked=/, { timeout: 30_000 });
    t.equal(await page.textContent('h1'), titles.unchecked, 'and not for ever');

    await page.route('**/vh-lite.iife.js', (route) => route.abort());
    await page.goto(`${study.entryUrl}?rid=c&src=s`);
    t.equal(await page.textContent('h1:visible'), titles.checking);
    await page.waitForURL(/vh_checked=/, { timeout: 30_000 });
    t.equal(await page.textContent('h1'), titles.unchecked, 'a probe that is blocked does not hold the page up');
  },
);

t.test('a stock driven browser takes no place of a standard study', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t);
  const { audienceUrl, projectKey } = service.bootstrap;
  const call = callerOf(audienceUrl, projectKey);
  const survey = await startSurvey(t, () => null);
  const study = await fieldStudy(call, creation(survey.url));
  const browser = await launchDriven();
  t.teardown(() => browser.close());
  const page = await browser.context.newPage();
  await page.goto(`${study.entryUrl}?rid=a&src=s`);
  await page.waitForURL(/vh_checked=/, { timeout: 60_000 });
  t.equal(await page.textContent('h1'), titles.declined);
  t.equal(survey.arrivals.length, 0);
  t.match((await call('GET', `/studies/${study.studyId}/respondents?status=all`)).body, {
    respondents: [{ status: 'screened_out', screenOutReason: 'quality', reason: /webdriver|headless_user_agent/ }],
  });
});

t.test(
  'no page keeps anybody out: in light and dark, in every language, on a phone',
  { skip, timeout: 280_000 },
  async (t) => {
    const site = await serveStudyPages({ width: 360, height: 300 });
    t.teardown(() => site.close());
    const browser = await launchForPages();
    t.teardown(() => browser.close());
    const page = await browser.context.newPage();
    await page.setViewportSize({ width: 360, height: 640 });
    const paths = [...studyPagePaths('en'), ...languages.map((language) => `/${language}/checking`)];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const path of paths) {
        await page.goto(site.origin + path);
        await page.evaluate(axe.source);
        const violations = await page.evaluate(
          'axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].failureSummary))',
        );
        t.same(violations, [], `${path} in ${colorScheme}`);
        t.equal(
          await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
          true,
          `${path} fits a phone`,
        );
      }
    }
  },
);

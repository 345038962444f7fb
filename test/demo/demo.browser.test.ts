import { statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import t from 'tap';
import { riskAxes, unmeasuredAxes } from '../../src/contract/axes.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { scoreFacts } from '../../workers/scoring/score.js';
import { anyFacts } from '../helpers/any-facts.js';
import { hasChromium, launchForPages } from '../helpers/browser.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(300_000);
const sizes = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
  small: { width: 360, height: 740 },
} as const;
const isProbePost = (url: string): boolean => url.endsWith('/api/v1/public/lite/probe');

async function answerSurvey(page: Page): Promise<void> {
  await page.getByText('Tea', { exact: true }).click();
  await page.locator('#rested').press('ArrowRight');
  await page.locator('#better-mornings').pressSequentially('An hour more');
  await page.locator('#country').selectOption('DE');
}

const readReply = async (page: Page): Promise<ScoreReply> =>
  JSON.parse((await page.locator('#reply pre').textContent()) ?? '') as ScoreReply;
const sidewaysPx = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth - innerWidth');

/** A reply as the page shows it. */
interface Rendered {
  readonly score: string;
  readonly recommendation: string;
  readonly summary: string;
  readonly lists: Readonly<Record<'against' | 'for' | 'notes', { readonly count: string; readonly details: string[] }>>;
  readonly degraded: readonly string[];
  readonly axes: Readonly<Record<string, string>>;
  /** From the top of the page to the end of the foremost reason, or of the verdict where there is none. */
  readonly reasonEndPx: number;
}

/** Renders replies with the page’s own modules, and reads what a visitor sees. */
const renderScript = (answers: string): string => `(async () => {
  const { renderResult } = await import('/demo/assets/result.js');
  const view = document.getElementById('result-view');
  document.getElementById('survey-view').hidden = true;
  view.hidden = false;
  return ${answers}.map((answer) => {
    view.replaceChildren(...renderResult({ siteUrl: '', projectId: 'p' }, answer, {}).elements);
    const textOf = (selector) => view.querySelector(selector).textContent;
    const listOf = (name) => ({
      count: textOf('#evidence-' + name + ' .count'),
      details: [...view.querySelectorAll('#evidence-' + name + ' .finding > p')].map((each) => each.textContent),
    });
    return {
      score: textOf('#score'), recommendation: textOf('#recommendation'), summary: textOf('#summary'),
      lists: { against: listOf('against'), for: listOf('for'), notes: listOf('notes') },
      degraded: [...view.querySelectorAll('#degraded code')].map((each) => each.textContent),
      axes: Object.fromEntries([...view.querySelectorAll('.axis')].map((axis) => [axis.dataset.axis, axis.querySelector('.axis-value').textContent])),
      reasonEndPx: (view.querySelector('#evidence-against .finding') ?? view.querySelector('#summary')).getBoundingClientRect().bottom + scrollY,
    };
  });
})()`;

t.test('the demo in a real browser', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t);
  const browser = await launchForPages();
  t.teardown(() => browser.close());
  const shots = temporaryDirectory(t);
  const url = `${service.bootstrap.siteUrl}/demo`;

  const open = async (size: keyof typeof sizes = 'desktop') => {
    const page = await browser.context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await page.setViewportSize(sizes[size]);
    await page.goto(url);
    return { page, complaints };
  };

  for (const size of ['desktop', 'phone', 'small'] as const) {
    await t.test(`survey and result fit a ${size} and tell what the reply says`, async (t) => {
      const { page, complaints } = await open(size);
      await page.waitForSelector('#probe-state[data-state=sent]');
      t.equal(await sidewaysPx(page), 0);
      const form = join(shots, `form-${size}.png`);
      await page.screenshot({ path: form, fullPage: true });
      await answerSurvey(page);
      await page.locator('#submit').click();
      await page.locator('#score').waitFor();
      const reply = await readReply(page);
      t.equal(await page.locator('#score').textContent(), String(reply.score));
      t.equal(await page.locator('#summary').textContent(), reply.evidence.summary);
      t.equal(await page.locator('#receipt').textContent(), reply.receiptId);
      const details = page.locator('#details');
      t.equal((await details.getAttribute('open')) !== null, size === 'desktop');
      if (size !== 'desktop') await details.locator('> summary').click();
      t.match(
        await page.locator('[data-axis=network] .axis-value').textContent(),
        'not measured',
        'an address of this machine has no network',
      );
      t.equal(
        await page.locator('#console-link').getAttribute('href'),
        `/console/${service.bootstrap.projectId}/sessions/${reply.sessionId}`,
      );
      t.ok(reply.evidence.against.length > 0, 'a driven browser has something against it');
      t.notOk(reply.degradedSignals.includes('client_probe_missing'), 'the probe came before the score');
      t.equal(await page.locator('#degraded li').count(), reply.degradedSignals.length);
      t.equal(await page.locator('.axis').count(), 6);
      t.ok(await page.locator('#address-note').isVisible(), 'a local address is explained');
      t.equal(await sidewaysPx(page), 0);
      const result = join(shots, `result-${size}.png`);
      await page.screenshot({ path: result, fullPage: true });
      for (const path of [form, result]) t.ok(statSync(path).size > 10_000, path);
      t.strictSame(complaints, []);
      await page.close();
    });
  }

  await t.test(
    'the request shown, with the key put in, scores the same session; the key itself never reaches the browser',
    async (t) => {
      const page = await browser.context.newPage();
      const bodies: string[] = [];
      page.on(
        'response',
        (response) =>
          void response.text().then(
            (text) => bodies.push(text),
            () => undefined,
          ),
      );
      await page.goto(url);
      await answerSurvey(page);
      await page.locator('#submit').click();
      await page.locator('#score').waitFor();
      const command = (await page.locator('#request pre').first().textContent()) ?? '';
      t.match(command, '-H "X-API-Key: $PROJECT_KEY"');
      t.match(command, `curl -s ${service.bootstrap.baseUrl}/lite/score`);
      const shown = await readReply(page);
      const body: unknown = JSON.parse(/-d '(.*)'$/s.exec(command)?.[1] ?? '');
      await page.close();
      // The receipt may be a new one: the probe’s last message, sent as the page closes, is newer than the score.
      const { status, body: reply } = (await service.call('POST', '/lite/score', { body })) as unknown as {
        status: number;
        body: ScoreReply;
      };
      t.equal(status, 200);
      t.equal(reply.sessionId, shown.sessionId);
      t.ok(bodies.some((text) => text.includes(shown.receiptId)));
      for (const secret of [service.bootstrap.projectKey, service.bootstrap.organizationKey])
        t.notOk(bodies.some((text) => text.includes(secret)));
    },
  );

  await t.test(
    'asking again ends at a receipt that repeats, and a new visit is a new session of the same person',
    async (t) => {
      const { page } = await open();
      await answerSurvey(page);
      await page.locator('#submit').click();
      await page.locator('#score').waitFor();
      const first = await readReply(page);
      await page.locator('#score-again').click();
      await page.locator('#message .callout').waitFor();
      const again = await readReply(page);
      t.match(await page.locator('#message').textContent(), again.receiptId);
      t.equal(again.sessionId, first.sessionId);
      t.equal(
        again.duplicate.evidence.respondentDay,
        first.duplicate.evidence.respondentDay,
        'the session counts once',
      );

      await Promise.all([page.waitForEvent('load'), page.locator('#new-visit').click()]);
      await answerSurvey(page);
      await page.locator('#submit').click();
      await page.locator('#score').waitFor();
      const next = await readReply(page);
      t.not(next.sessionId, first.sessionId);
      t.ok((next.duplicate.evidence.respondentDay ?? 0) > (first.duplicate.evidence.respondentDay ?? 0));

      await Promise.all([page.waitForEvent('load'), page.locator('#new-person').click()]);
      await answerSurvey(page);
      await page.locator('#submit').click();
      await page.locator('#score').waitFor();
      t.equal((await readReply(page)).duplicate.evidence.respondentDay, 1, 'somebody else was not here before');
      await page.close();
    },
  );

  await t.test('verdict, summary, lists and axes of any reply agree', async (t) => {
    const { page } = await open('phone');
    const facts = fc.sample(anyFacts, { seed: 4_711, numRuns: 150 });
    const answers = facts.map((each) => {
      const reply = scoreFacts(each).reply;
      return { request: { clientIp: '8.8.4.4' }, unmeasured: unmeasuredAxes(reply), reply };
    });
    const rendered: readonly Rendered[] = await page.evaluate(renderScript(JSON.stringify(answers)));
    const labels = { allow: 'Allow', review: 'Review', step_up: 'Step up', block: 'Block' };
    const seen = { unmeasured: 0, folded: 0, allow: 0, block: 0 };
    for (const [index, { reply, unmeasured }] of answers.entries()) {
      const { score, recommendation, summary, lists, degraded, axes, reasonEndPx } = rendered[index] as Rendered;
      const { against, for: exculpatory, notes } = reply.evidence;
      t.ok(
        reasonEndPx > 200 && reasonEndPx <= sizes.phone.height,
        'the verdict and its foremost reason fit on one screen',
      );
      t.equal(score, String(reply.score));
      t.equal(recommendation, labels[reply.recommendation]);
      const detailsOf = (findings: typeof against): string[] => findings.map(({ detail }) => detail);
      t.strictSame(lists.against.details, detailsOf(against), 'the foremost reason is first');
      t.strictSame(lists.for.details, detailsOf(exculpatory));
      const isListed = ({ code }: { readonly code: string }) => !(reply.degradedSignals as string[]).includes(code);
      t.strictSame(lists.notes.details, detailsOf(notes.filter(isListed)));
      t.strictSame(degraded, reply.degradedSignals);
      for (const { count, details } of [lists.against, lists.for]) t.equal(count, String(details.length));
      t.equal(lists.notes.count, String(lists.notes.details.length + degraded.length), 'nothing is counted twice');
      const [foremost] = lists.against.details;
      if (foremost === undefined) t.notMatch(summary, /Main finding|further findings?/);
      else t.match(summary, `Main finding: ${foremost}`);
      t.equal(summary.includes('In its favor: '), lists.for.details.length > 0);
      if (axes['device'] === 'not measured') t.match(summary, /Not measured: [^.]*device/);
      for (const axis of riskAxes)
        t.equal(axes[axis], unmeasured.includes(axis) ? 'not measured' : String(reply.categories[axis]), axis);
      seen.unmeasured += unmeasured.length;
      seen.folded += Number(against.length > 3);
      if (reply.recommendation === 'allow' || reply.recommendation === 'block') seen[reply.recommendation] += 1;
    }
    for (const [what, count] of Object.entries(seen)) t.ok(count > 0, `the replies vary: ${what}`);
    await page.close();
  });

  await t.test('an unanswered question is named, and the first one gets the focus', async (t) => {
    const { page } = await open('phone');
    await page.locator('#submit').click();
    t.equal(await page.locator('.field-error:visible').count(), 3);
    t.equal(await page.evaluate('document.activeElement.name'), 'first-drink');
    await answerSurvey(page);
    t.equal(await page.locator('.field-error:visible').count(), 0);
    t.equal(await page.locator('.progress').getAttribute('aria-valuenow'), '3');
    await page.close();
  });

  await t.test('without the probe the score comes all the same, and says what was not measured', async (t) => {
    const { page } = await open();
    await page.route('**/vh-lite.iife.js', (route) => route.abort());
    await page.reload();
    await page.waitForSelector('#probe-state[data-state=failed]');
    await answerSurvey(page);
    await page.locator('#submit').click();
    await page.locator('#score').waitFor();
    t.match(await page.locator('#degraded').textContent(), /client_probe_missing/);
    const independence = page.getByRole('region', { name: 'Independence' });
    t.match(await independence.textContent(), /Not judged yet–of 100/, 'a few sessions are no sample');
    await page.close();
  });

  await t.test('a failure is told in words with its code, and pressing again tries again', async (t) => {
    const { page } = await open();
    await page.route(
      '**/demo/score',
      (route) =>
        route.fulfill({
          status: 429,
          headers: { 'retry-after': '12' },
          json: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many calls.', requestId: 'request-1' },
        }),
      { times: 1 },
    );
    await answerSurvey(page);
    await page.locator('#submit').click();
    t.match(await page.getByRole('alert').textContent(), /Too many calls\. .*12 s.*RATE_LIMIT_EXCEEDED.*request-1/);
    await page.route('**/demo/score', (route) => route.abort(), { times: 1 });
    await page.locator('#submit').click();
    await page.getByText('UNREACHABLE').waitFor();
    await page.locator('#submit').click();
    await page.locator('#score').waitFor();
    await page.close();
  });

  await t.test('answers stay in the browser', async (t) => {
    const { page } = await open();
    const sent: string[] = [];
    let probePosts = 0;
    page.on('request', (request) => {
      sent.push(request.url() + (request.postData() ?? ''));
      if (isProbePost(request.url())) probePosts += 1;
    });
    await answerSurvey(page);
    await page.locator('#submit').click();
    await page.locator('#score').waitFor();
    t.ok(probePosts > 0);
    t.notOk(sent.some((text) => /An hour more|"tea"/.test(text)));
    await page.close();
  });
});

/** Projects that the console shows well although they are unusual: long names, quotas that cannot fill, a suspicious source, a member. */
import t from 'tap';
import type { EvidenceReply } from '../../src/contract/score.js';
import { hasChromium } from '../helpers/browser.js';
import { findBarriers, openWatched, printLink, sidewaysPx, smallStudy } from '../helpers/console-page.js';
import { driver } from '../helpers/console-sample.js';
import { callerOf, enter, fieldStudy } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { createSession, page as pageHeaders } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
t.setTimeout(300_000);

t.test('unusual projects in the console', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t);
  const { siteUrl, projectId } = service.bootstrap;
  const keys = { 'x-api-key': service.bootstrap.organizationKey };
  const { page, complaints } = await openWatched(t);
  const heading = (name: string | RegExp) => page.getByRole('heading', { name }).waitFor();
  await page.goto(await printLink(service, ['--role', 'admin']));
  await heading('Overview');

  await t.test(
    'a study whose quotas leave too little room says so, also on the overview and while paused',
    async (t) => {
      const audience = callerOf(service.bootstrap.audienceUrl, service.bootstrap.projectKey);
      const quotas = [
        { name: 'German', country: 'DE', limit: 1 },
        { name: 'French', country: 'FR', limit: 2 },
      ];
      const asked = {
        ...smallStudy,
        name: 'Tea',
        audience: { countries: ['DE', 'FR'], language: 'en', sample_size: 9, quotas },
      };
      const { studyId, entryUrl } = await fieldStudy(audience, asked);
      await enter({ entryUrl }, { rid: 'eve', src: 'panel-b', more: { country: 'DE' } });
      await page.goto(`${siteUrl}/console/${projectId}/overview`);
      await page.getByRole('link', { name: 'Tea: its quotas leave room for 3 of 9.' }).click();
      await page.getByText('The quotas leave room for 3 of 9.').waitFor();
      await page.getByText('2 places are left.').waitFor();
      await audience('POST', `/studies/${studyId}/pause`);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText('It is paused').waitFor();
      await page.getByText('1 quota is full: German.').waitFor();
      t.same(complaints, []);
    },
  );

  await t.test('probabilities from own outcomes: which are missing, and the way back to the model', async (t) => {
    const curve = [
      [0, 0.4, 0.3, 0.5],
      [1, 1, 0.9, 1],
    ];
    await service.call('PATCH', `/projects/${projectId}`, {
      body: { config: { liteConfig: { recalibration: curve } } },
      headers: keys,
    });
    await page.goto(`${siteUrl}/console/${projectId}/thresholds`);
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Probability of fraud' }) });
    await card.getByText('Probabilities follow a curve from your own outcomes.').waitFor();
    await card.getByText('0 of 598').waitFor();
    await card.getByRole('button', { name: 'Back to the model…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Use the model' }).click();
    await card.getByText('Probabilities come from the model').waitFor();
    await page.getByText('0 sessions count as honest yet. Shares need 30.').waitFor();
    t.same(await findBarriers(page), []);
    t.same(complaints, []);
  });

  await t.test('a shadow that is set shows what it would have changed', async (t) => {
    const sessionId = 'in-the-shadow';
    await service.call('POST', '/lite/score', { body: { sessionId, clientIp: '8.8.4.78' } });
    const set = (shadow: object | null) =>
      service.call('PATCH', `/projects/${projectId}`, { body: { config: { liteConfig: { shadow } } }, headers: keys });
    t.match(await set({ noProbeRiskScore: 60 }), { status: 200 });
    await waitUntil(async () => {
      const { body } = await service.call('GET', '/lite/shadow');
      const { examples = [] } = body as { examples?: readonly { sessionId: string }[] };
      return examples.some((each) => each.sessionId === sessionId);
    }, 'the session is compared');
    await page.goto(`${siteUrl}/console/${projectId}/thresholds`);
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Shadow' }) });
    await card.getByText('would change').click();
    await card.getByRole('link', { name: sessionId }).waitFor();
    t.same(await findBarriers(page), []);
    t.same(complaints, []);
    t.match(await set(null), { status: 200 });
  });

  await t.test('a share is 100% only if it is all', async (t) => {
    await page.route(/\/evidence/, async (route) => {
      const response = await route.fetch();
      const evidence = (await response.json()) as EvidenceReply;
      const verdict = { ...evidence.verdict, falseBlockPercentile: 99.99 };
      await route.fulfill({ response, json: { ...evidence, verdict } });
    });
    await page.goto(`${siteUrl}/console/${projectId}/sessions/in-the-shadow`);
    t.match(
      await page.getByText('score lower').textContent(),
      /Of honest simulated sessions, more than 99\.9% score lower/,
    );
    await page.unroute(/\/evidence/);
  });

  await t.test('no page scrolls sideways, however long the names are', async (t) => {
    const audience = callerOf(service.bootstrap.audienceUrl, service.bootstrap.projectKey);
    const long = 'long-name-'.repeat(10);
    const { body } = await service.call('POST', `/projects/${projectId}/webhooks`, {
      body: { url: `https://hooks.example.com/${'path'.repeat(235)}`, description: long },
      headers: keys,
    });
    const quotas = [{ name: long, country: 'DE', limit: 1 }];
    const study = await fieldStudy(audience, {
      ...smallStudy,
      name: long,
      audience: { ...smallStudy.audience, sample_size: 9, quotas },
    });
    await enter(study, { rid: long, src: long });
    const scored = {
      sessionId: `${long}session`,
      clientIp: '8.8.4.77',
      respondentId: long,
      sourceId: long,
      studyId: long,
    };
    t.match(await service.call('POST', '/lite/score', { body: scored }), { status: 200 });
    await waitUntil(
      async () => (await service.call('GET', `/lite/sessions/${scored.sessionId}`)).status === 200,
      'the session is listed',
    );
    const { webhookId } = body as unknown as { webhookId: string };
    const paths = [
      ...['overview', 'sessions', `sessions/${scored.sessionId}`, 'suppliers', 'thresholds', 'studies'],
      ...[`studies/${study.studyId}`, 'verification', 'webhooks', `webhooks/${webhookId}`, 'settings', 'keys', 'audit'],
    ];
    const headings = new Set<string>();
    for (const path of paths) {
      await page.setViewportSize({ width: 390, height: 900 });
      await page.goto(`${siteUrl}/console/${projectId}/${path}`, { waitUntil: 'networkidle' });
      const hiddenPx = await page.evaluate(
        "document.querySelector('.tabs [aria-current]').getBoundingClientRect().right - document.querySelector('.tabs').getBoundingClientRect().right",
      );
      t.ok(Number(hiddenPx) <= 1, `${path}: the active tab is visible`);
      for (const width of [390, 900, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        t.equal(await sidewaysPx(page), 0, `${path} at ${width} px`);
      }
      for (const name of await page.getByRole('columnheader').allTextContents()) headings.add(name);
    }
    t.ok(headings.has('Supplier') && !headings.has('Source'), 'a column of the same data has one name');
    t.same(complaints, []);
  });

  await t.test(
    'a source that is blocked more than the others, and honest sessions that were blocked, are named',
    async (t) => {
      const events: { sessionId: string; type: string; occurredAt: string }[] = [];
      for (let index = 0; index < 120; index += 1) {
        const isFarm = index % 3 === 0;
        const isRecycled = index % 3 === 1;
        const visit = {
          ...{
            sessionId: `crowd-${index}`,
            clientIp: `9.9.${index}.7`,
            respondentId: `crowd-${isRecycled ? index % 6 : index}`,
          },
          ...(isFarm
            ? { sourceId: 'cheap-clicks', userAgent: driver, respondentStats: { attempts: 100, completes: 0 } }
            : {
                sourceId: isRecycled ? 'recycled' : 'own-panel',
                userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
              }),
        };
        t.match(await service.call('POST', '/lite/score', { body: visit }), { status: 200 });
        const occurredAt = new Date(Date.now() - 70 * 86_400_000).toISOString();
        if (isFarm || index % 6 === 2) events.push({ sessionId: visit.sessionId, type: 'complete', occurredAt });
      }
      await service.call('POST', '/lite/events', { body: { events } });
      await waitUntil(async () => {
        await page.goto(`${siteUrl}/console/${projectId}/overview`, { waitUntil: 'networkidle' });
        const links = [
          /^cheap-clicks: .* of its sessions in the last 30 days were blocked, against/,
          /^cheap-clicks: .* of its sessions today were blocked, against/,
          /^recycled: .* of its sessions today are confirmed duplicates, against/,
          /^Honest sessions blocked: 40 of 60/,
        ];
        const found = await Promise.all(links.map((name) => page.getByRole('link', { name }).count()));
        return found.every((count) => count === 1);
      }, 'both are named');
      t.equal(await page.getByRole('link', { name: /^own-panel: / }).count(), 0, 'the others are not');
    },
  );

  await t.test('a threshold is entered as a number, too, and the numbers below say what they count', async (t) => {
    let letSourcesCome = (): void => undefined;
    const held = new Promise<void>((resolve) => (letSourcesCome = resolve));
    await page.route('**/lite/sources*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${siteUrl}/console/${projectId}/thresholds`);
    const block = page.getByRole('spinbutton', { name: 'Block from, exactly' });
    await block.fill('60');
    letSourcesCome();
    await page.getByRole('option', { name: 'own-panel' }).waitFor({ state: 'attached' });
    await page.unroute('**/lite/sources*');
    await block.press('Enter');
    t.equal(await page.getByRole('slider', { name: /Block from/ }).inputValue(), '60', 'a number can be entered');
    t.equal(
      await page.getByRole('slider', { name: /Review from/ }).inputValue(),
      '40',
      'its first digit moves nothing',
    );
    await block.fill('');
    await block.press('Enter');
    t.equal(
      await page.getByRole('slider', { name: /Block from/ }).inputValue(),
      '60',
      'an empty field changes nothing',
    );
    await page.getByText('Honest: with a complete that stood for 60 days.').waitFor();
    t.same(complaints, []);
  });

  await t.test('fairness names the group that is stopped more than all, and folds the small ones', async (t) => {
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Fairness to honest people' }) });
    await page.route('**/lite/fairness*', (route) => route.abort());
    await page.goto(`${siteUrl}/console/${projectId}/thresholds`);
    await card.getByRole('alert').waitFor();
    await page.unroute('**/lite/fairness*');
    await card.getByRole('button', { name: 'Try again' }).click();
    await card.getByRole('row', { name: /^All 60 .*66\.7% \(5\d(\.\d)?% to 7\d(\.\d)?%\)/ }).waitFor();
    await card.getByRole('row', { name: /^Chrom.*Browser 40 .*100% \(.*More than all/ }).waitFor();
    await card.getByRole('row', { name: /^Small groups together Browser 20 Needs 30 sessions, has 20/ }).waitFor();
    t.same(await findBarriers(page), []);
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      t.equal(await sidewaysPx(page), 0, `${width} px`);
    }
    complaints.length = 0; // the browser reports the call that was broken off
  });

  await t.test('flags of sessions are on the overview, in their list and on the page of the session', async (t) => {
    const config = { monitoring: { question: { maxPastes: 2 } } };
    await service.call('PATCH', `/projects/${projectId}`, { body: { config }, headers: keys });
    await page.goto(`${siteUrl}/console/${projectId}/flags`);
    await heading('No flag in the last 7 days');
    const { sessionId, clientSecret } = await createSession(service, { respondentId: 'r-pasting' });
    const question = { questionId: 'q7', timeOnQuestionMs: 4_000, mouseMoveCount: 3, keyCount: 9, pasteCount: 5 };
    await service.call('POST', `/public/sessions/${sessionId}/activity`, {
      body: { questions: [{ ...question, focusEntries: 1, focusExits: 0 }] },
      headers: { ...pageHeaders, 'x-client-secret': clientSecret },
    });
    await page.goto(`${siteUrl}/console/${projectId}/overview`);
    await page.getByRole('link', { name: '1 session was flagged in the last 24 hours.' }).click();
    await heading('Flags, last 7 days');
    await page.getByRole('row', { name: /Not named r-pasting Question q7: pasted 5 times, more than 2/ }).waitFor();
    t.same(await findBarriers(page), []);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Behavior');
    await heading('No flag matches');
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Question');
    t.equal(await sidewaysPx(page), 0);
    await page.getByRole('link', { name: sessionId }).click();
    await page.getByRole('listitem').getByText('q7: pasted 5 times, more than 2').waitFor();
    complaints.length = 0; // the browser reports that the session has no score
  });

  await t.test('an unknown project, webhook or study is named once, and nothing else is shown for it', async (t) => {
    const choice = page.getByRole('combobox', { name: 'Project' });
    await page.goto(`${siteUrl}/console/proj_of_others/sessions`);
    await heading('Project not found');
    t.equal(await page.getByRole('heading', { name: 'Sessions' }).count(), 0, 'no other project stands in');
    await choice.selectOption(projectId);
    await heading('Sessions');
    for (const path of ['webhooks/whk_none', 'studies/study_none']) {
      await page.goto(`${siteUrl}/console/${projectId}/${path}`, { waitUntil: 'networkidle' });
      t.equal(await page.getByRole('alert').count(), 1, path);
      t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, 'an unknown id stays unknown');
    }
    complaints.length = 0; // the browser reports each 404
  });

  await t.test('a member reads every page, and what the role may not use is disabled', async (t) => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading('Sign in to the console');
    await page.goto(await printLink(service, ['--role', 'member']));
    await heading('Overview');
    await page.goto(`${siteUrl}/console/${projectId}/thresholds`);
    await page.getByText('Your role is member. An admin or owner can change this.').waitFor();
    await page.getByRole('slider', { name: /Review from/ }).fill('90');
    t.equal(await page.getByRole('button', { name: 'Apply…' }).isDisabled(), true);
    await page.goto(`${siteUrl}/console/${projectId}/settings`);
    t.equal(await page.getByRole('spinbutton', { name: 'Max retries' }).isDisabled(), true);
    await page.goto(`${siteUrl}/console/${projectId}/keys`);
    await page.getByRole('alert').waitFor();
    t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, 'a refused role stays refused');
  });
});

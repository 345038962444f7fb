/** Reasons in the console: why sessions of a supplier are stopped, and which rule of a study refused a respondent. */
import t from 'tap';
import { hasChromium } from '../helpers/browser.js';
import { findBarriers, openWatched, printLink, sidewaysPx, smallStudy } from '../helpers/console-page.js';
import { driver } from '../helpers/console-sample.js';
import { callerOf, enter, fieldStudy } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
t.setTimeout(180_000);

t.test('reasons in the console', { skip, timeout: 160_000 }, async (t) => {
  const service = await startTestService(t);
  const { siteUrl, projectId, audienceUrl, projectKey } = service.bootstrap;
  const { page, complaints } = await openWatched(t);
  await page.goto(await printLink(service, ['--role', 'admin']));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();

  await t.test(
    'the sessions of a supplier say in words why they are stopped, the most frequent reason first',
    async (t) => {
      const visits = [
        { agent: driver, sourceId: 'panel-a', studyId: 'spring' },
        { agent: driver, sourceId: 'panel-a', studyId: 'autumn' },
        { agent: 'curl/8.5.0', sourceId: 'panel-a', studyId: 'spring' },
        { agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', sourceId: 'panel-b' },
      ];
      for (const [index, { agent: userAgent, ...ids }] of visits.entries()) {
        const body = {
          sessionId: `v-${index}`,
          clientIp: `8.8.${index}.1`,
          respondentId: `p-${index}`,
          userAgent,
          ...ids,
        };
        t.match(await service.call('POST', '/lite/score', { body }), { status: 200 });
      }
      await waitUntil(async () => {
        const { sessions } = (await service.call('GET', '/lite/sessions')).body as { sessions: unknown[] };
        return sessions.length === visits.length;
      }, 'the sessions are listed');
      await page.goto(`${siteUrl}/console/${projectId}/sessions?sourceId=panel-a`);
      const card = page.locator('section', {
        has: page.getByRole('heading', { name: 'Why sessions of panel-a are stopped' }),
      });
      await waitUntil(async () => (await card.getByRole('listitem').count()) === 2, 'both reasons');
      t.same(await card.getByRole('listitem').allTextContents(), [
        'Headless user agent: 2 in review',
        'Crawler, library or tool: 1 in review',
      ]);
      await page.getByRole('row', { name: /v-2.*Crawler, library or tool/ }).waitFor();
      t.same(await findBarriers(page), []);
      await page.setViewportSize({ width: 390, height: 900 });
      t.equal(await sidewaysPx(page), 0);
      await page.goto(`${siteUrl}/console/${projectId}/sessions?sourceId=panel-a&studyId=spring&period=week`);
      await card
        .getByRole('listitem')
        .filter({ hasText: 'Headless' })
        .getByRole('link', { name: '1 in review' })
        .click();
      const rows = page.locator('tbody tr');
      await waitUntil(async () => (await rows.count()) === 1, 'as many sessions as the link counts');
      t.match(await rows.textContent(), /v-0/);
      t.same(Object.fromEntries(new URL(page.url()).searchParams), {
        ...{ sourceId: 'panel-a', studyId: 'spring', period: 'week' },
        ...{ recommendation: 'review', text: 'headless_user_agent' },
      });
      await page.goto(`${siteUrl}/console/${projectId}/sessions?sourceId=panel-b`);
      await page.getByRole('row', { name: /v-3/ }).waitFor();
      t.equal(await page.getByRole('heading', { name: /^Why/ }).count(), 0, 'none of panel-b is stopped');
    },
  );

  await t.test('a respondent whom the entry check refused shows whether the score or a program decided', async () => {
    const audience = callerOf(audienceUrl, projectKey);
    const { studyId, entryUrl } = await fieldStudy(audience, smallStudy);
    await enter({ entryUrl }, { rid: 'bot', src: 'panel-a', agent: driver });
    await page.goto(`${siteUrl}/console/${projectId}/studies/${studyId}`);
    await page.getByRole('row', { name: /bot.*entry check: a program/ }).waitFor();
  });
  t.same(complaints, []);
});

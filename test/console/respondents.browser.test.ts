/** Respondents of a study in the console: those whose complete was rejected later, and the lists that find them. */
import t from 'tap';
import type { CreatedStudyReply, RespondentReply } from '../../src/contract/study-replies.js';
import { hasChromium } from '../helpers/browser.js';
import { findBarriers, openWatched, printLink, sidewaysPx, smallStudy } from '../helpers/console-page.js';
import { callerOf, enter, fieldStudy, placeAt } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
t.setTimeout(180_000);

t.test('respondents of a study in a real browser', { skip, timeout: 160_000 }, async (t) => {
  const service = await startTestService(t);
  const { siteUrl, projectId, audienceUrl, projectKey } = service.bootstrap;
  const audience = callerOf(audienceUrl, projectKey);
  const { page, complaints } = await openWatched(t);
  await page.goto(await printLink(service, ['--role', 'admin']));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const study = (await fieldStudy(audience, {
    ...smallStudy,
    audience: { ...smallStudy.audience, sample_size: 3, limits: { perAddress: 100 } },
  })) as CreatedStudyReply;
  const path = `/studies/${study.studyId}`;
  const shown = `${siteUrl}/console/${projectId}${path}`;
  const refresh = () => page.getByRole('button', { name: 'Refresh' }).click();
  const takePart = async (rid: string, status: 'complete' | 'terminate') => {
    const place = placeAt((await enter(study, { rid, src: 'panel-a' })).location);
    await audience('POST', `${path}/returns`, { place, status });
    return place;
  };
  const place = await takePart('ada', 'complete');
  const rejected = page.getByText('Rejected later by the buyer: fraud');

  await t.test('a rejection stands next to the verdict, and none once it is withdrawn', async (t) => {
    await audience('POST', `${path}/disputes`, { rows: [{ place, reason: 'fraud' }] });
    await page.goto(shown);
    await page.getByRole('row', { name: /ada.*Rejected later by the buyer: fraud/ }).waitFor();
    await page.getByRole('link', { name: 'ada', exact: true }).click();
    await page.locator('.facts').filter({ has: rejected }).waitFor();
    t.same(await findBarriers(page), []);
    await page.setViewportSize({ width: 390, height: 900 });
    t.equal(await sidewaysPx(page), 0);
    await audience('DELETE', `${path}/disputes/${place}`);
    await refresh();
    await rejected.waitFor({ state: 'detached' });
    await page.goto(shown);
    await page.getByRole('row', { name: /ada.*Completed.*confirmed/ }).waitFor();
    t.equal(await rejected.count(), 0);
  });

  await t.test('lists find rejected completes and interviews that the survey ended', async (t) => {
    await takePart('bob', 'terminate');
    await takePart('eve', 'complete');
    await audience('POST', `${path}/disputes`, { rows: [{ place, reason: 'quality' }] });
    const readIds = async (status: string): Promise<readonly string[]> => {
      const { body } = await audience('GET', `${path}/respondents?status=${status}`);
      return (body as { respondents: readonly RespondentReply[] }).respondents.map(({ respondentId }) => respondentId);
    };
    t.same(await readIds('reversed'), ['ada']);
    t.same(await readIds('ended_by_survey'), ['bob']);
    t.same(await readIds('terminated'), ['bob', 'ada'], 'the status of both');
    await page.goto(shown);
    const table = page.locator('table').filter({ hasText: 'Top reason' }).locator('tbody');
    for (const [label, rid] of [
      ['Rejected later', 'ada'],
      ['Ended by the survey', 'bob'],
    ] as const) {
      await page.getByRole('combobox', { name: 'Show' }).selectOption(label);
      await waitUntil(
        async () => (await table.getByRole('row').allTextContents()).every((row) => row.startsWith(rid)),
        `${label}: ${rid} alone`,
      );
    }
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Screened out');
    await page.getByText('No respondent matches.').waitFor();
  });
  t.same(complaints, []);
});

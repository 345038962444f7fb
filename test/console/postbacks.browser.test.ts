/** Postbacks in the console: a supplier that does not get them is named, and they are sent again. */
import t from 'tap';
import { hasChromium } from '../helpers/browser.js';
import { findBarriers, openWatched, printLink, smallStudy } from '../helpers/console-page.js';
import { callerOf, fieldStudy, inviteOne, openEntry } from '../helpers/fielding.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
t.setTimeout(180_000);

t.test(
  'a study names the supplier whose postbacks fail, and they are sent again',
  { skip, timeout: 160_000 },
  async (t) => {
    const service = await startTestService(t, {
      VH_WEBHOOK_ALLOW_PRIVATE: 'on',
      VH_WEBHOOK_BACKOFF_SECONDS: '0.05,0.05,0.05,0.05',
    });
    const { siteUrl, projectId } = service.bootstrap;
    const { page, complaints } = await openWatched(t);
    const heading = (name: string) => page.getByRole('heading', { name }).waitFor();
    await page.goto(await printLink(service, ['--role', 'admin']));
    await heading('Overview');
    const receiver = await startReceiver(t);
    receiver.answer((_received, response) => void response.writeHead(500).end('Out of disk.'));
    const audience = callerOf(service.bootstrap.audienceUrl, service.bootstrap.organizationKey);
    const asked = { name: 'North Panel', sourceId: 'north', postbackUrl: receiver.url };
    const { supplierId } = (await audience('POST', '/suppliers', asked)).body as { supplierId: string };
    const study = await fieldStudy(audience, {
      ...smallStudy,
      ...{ projectId, name: 'Cocoa', audience: { ...smallStudy.audience, suppliers: [supplierId] } },
    });
    await openEntry(await inviteOne(audience, study, supplierId, { rid: 'abroad', country: 'FR' }));
    await page.goto(`${siteUrl}/console/${projectId}/overview`);
    const concern = page.getByRole('link', { name: 'North Panel: 1 postback has failed.' });
    await waitUntil(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return (await concern.count()) === 1;
    }, 'the overview names the supplier');
    await page.goto(`${siteUrl}/console/${projectId}/studies/${study.studyId}`);
    await page.getByRole('link', { name: 'Postbacks: 1 failing' }).click();
    await heading('Postbacks to North Panel');
    const failed = page.locator('summary').filter({ hasText: /Gave up.*place\.ended/ });
    await failed.click();
    await page.getByText('Out of disk.').first().waitFor();
    await page.locator('dd').getByText('abroad', { exact: true }).waitFor();
    t.same(await findBarriers(page), []);
    receiver.answer((_received, response) => void response.writeHead(200).end());
    await page.getByRole('button', { name: 'Send this one again' }).click();
    await page.locator('summary').filter({ hasText: 'Succeeded' }).waitFor();
    await page.getByText('0 given up').waitFor();
    await page.getByRole('link', { name: '← Suppliers' }).click();
    await page.getByRole('row', { name: /North Panel.*Working/ }).waitFor();
    t.same(await findBarriers(page), []);
    t.same(complaints, []);
  },
);

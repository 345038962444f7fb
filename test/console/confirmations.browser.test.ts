/** Confirmations of the console: every one has the same frame, keyboard, focus, busy state and error. */
import t from 'tap';
import type { StudyReply } from '../../src/contract/study-replies.js';
import { hasChromium } from '../helpers/browser.js';
import { findBarriers, openWatched, printLink, smallStudy } from '../helpers/console-page.js';
import { callerOf } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
t.setTimeout(300_000);

t.test('confirmations of the console', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t);
  const { siteUrl, audienceUrl, projectId, projectKey } = service.bootstrap;
  const { page } = await openWatched(t);
  await page.goto(await printLink(service, ['--role', 'admin']));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const audience = callerOf(audienceUrl, projectKey);
  const { studyId } = (await audience('POST', '/studies', smallStudy)).body as StudyReply;
  await service.call('POST', `/projects/${projectId}/api-keys`, {
    body: { name: 'Spare' },
    headers: { 'x-api-key': service.bootstrap.organizationKey },
  });

  const cases = [
    {
      path: 'settings',
      prepare: () => page.getByRole('combobox', { name: 'Minimum assurance' }).selectOption('biometric'),
      opener: 'Save 1 change',
      action: 'Save',
      cancel: 'Cancel',
      call: `**/projects/${projectId}`,
    },
    {
      path: 'thresholds',
      prepare: () => page.getByRole('slider', { name: /Review from/ }).fill('90'),
      opener: 'Apply…',
      action: 'Apply',
      cancel: 'Cancel',
      call: `**/projects/${projectId}`,
    },
    {
      path: 'keys',
      prepare: () => page.getByRole('row', { name: /Spare/ }).waitFor(),
      opener: 'Revoke… Spare',
      action: 'Revoke the key',
      cancel: 'Cancel',
      call: '**/api-keys/*',
    },
    {
      path: `studies/${studyId}`,
      prepare: () => page.getByText('It is a draft.').waitFor(),
      opener: 'Cancel…',
      action: 'Cancel the study',
      cancel: 'Keep it',
      call: '**/cancel',
    },
  ] as const;

  await t.test('Cancel, which ends a study without its completes, stands apart from the other moves', async (t) => {
    await page.goto(`${siteUrl}/console/${projectId}/studies/${studyId}`);
    const [launch, cancelled] = await Promise.all(
      ['Launch', 'Cancel…'].map((name) => page.getByRole('button', { name, exact: true }).boundingBox()),
    );
    t.ok((cancelled?.x ?? 0) - ((launch?.x ?? 0) + (launch?.width ?? 0)) > 100);
  });

  for (const { path, prepare, opener, action, cancel, call } of cases)
    await t.test(
      `${path.split('/')[0]}: it is left by Escape, waits for the answer, and says what failed`,
      async (t) => {
        await page.goto(`${siteUrl}/console/${projectId}/${path}`);
        await prepare();
        const [open, dialog] = [page.getByRole('button', { name: opener, exact: true }), page.getByRole('dialog')];
        const act = dialog.getByRole('button', { name: action, exact: true });
        const focused = page.locator(':focus');
        await open.click();
        await act.waitFor();
        t.equal(await focused.textContent(), cancel, 'the focus is on what changes nothing');
        t.same(await findBarriers(page), []);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        t.equal(await focused.textContent(), opener, 'the focus returns');

        await open.click();
        await page.context().setOffline(true);
        await act.click();
        await dialog.getByRole('alert').getByText('The service cannot be reached.').waitFor();
        t.equal(await focused.textContent(), action, 'it can be tried again at once');
        await page.context().setOffline(false);

        const held: (() => void)[] = [];
        await page.route(call, async (route) => {
          await new Promise<void>((free) => held.push(free));
          await route.continue();
        });
        await act.click();
        await waitUntil(() => held.length > 0, 'the call is held back');
        const working = dialog.getByRole('button', { name: 'Working…' });
        await working.waitFor();
        t.equal(await working.isDisabled(), true, 'it is not sent twice');
        t.equal(await dialog.getByRole('alert').count(), 0, 'an error of before is gone');
        await page.keyboard.press('Escape');
        t.equal(await dialog.count(), 1, 'it stays until the answer');
        for (const free of held) free();
        await dialog.waitFor({ state: 'detached' });
        await page.unroute(call);
      },
    );
});

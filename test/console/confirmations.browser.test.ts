/** Confirmations of the console: every one has the same frame, keyboard, focus, busy state and error. */
import type { Locator } from 'playwright-core';
import t from 'tap';
import type { StudyReply } from '../../src/contract/study-replies.js';
import { hasChromium } from '../helpers/browser.js';
import { findBarriers, openWatched, printLink, smallStudy } from '../helpers/console-page.js';
import { callerOf, enter, fieldStudy } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
t.setTimeout(300_000);

interface Colours {
  readonly color: string;
  readonly backgroundColor: string;
}

const readColours = (of: Locator): Promise<Colours> =>
  of.evaluate((element: object) => {
    const { getComputedStyle } = globalThis as unknown as { getComputedStyle(of: object): Colours };
    const { color, backgroundColor } = getComputedStyle(element);
    return { color, backgroundColor };
  });

type Box = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

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
      opener: 'Cancel study…',
      action: 'Cancel the study',
      cancel: 'Do not cancel',
      call: '**/cancel',
    },
  ] as const;

  await t.test('Close and Cancel of a study look unlike and stand apart, and each names what it does', async (t) => {
    const study = await fieldStudy(audience, { ...smallStudy, name: 'Tea' });
    await enter(study, { rid: 'inside', src: 'panel-a' });
    await page.goto(`${siteUrl}/console/${projectId}/studies/${study.studyId}`);
    const moves = {
      'Close…': [/1 respondent who is inside may still finish and count\./, 'Keep it open'],
      'Cancel study…': [/1 respondent who is inside will not count, even if they finish\./, 'Do not cancel'],
    } as const;
    const buttons = Object.keys(moves).map((name) => page.getByRole('button', { name, exact: true }));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const [close, cancel] = await Promise.all(buttons.map(async (button) => (await readColours(button)).color));
      t.not(close, cancel, `their colours differ (${colorScheme})`);
    }
    for (const [width, gapMin] of [
      [390, 10],
      [1_440, 100],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      const boxes = await Promise.all(buttons.map((button) => button.boundingBox()));
      const [close, cancel] = boxes.map((box) => box ?? { x: 0, y: 0, width: 0, height: 0 }) as [Box, Box];
      const gap = Math.max(cancel.x - close.x - close.width, cancel.y - close.y - close.height);
      t.ok(gap >= gapMin, `${gap} px are between them at ${width} px`);
    }
    const texts: unknown[] = [];
    for (const [name, [consequence, keep]] of Object.entries(moves)) {
      await page.getByRole('button', { name, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(consequence).waitFor();
      texts.push(await dialog.textContent());
      const action = dialog.getByRole('button').first();
      texts.push((await readColours(action)).backgroundColor);
      await dialog.getByRole('button', { name: keep }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    t.equal(new Set(texts).size, 4, 'neither the texts nor the colours of both are the same');
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

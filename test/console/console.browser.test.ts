import type { Page } from 'playwright-core';
import t from 'tap';
import type { ProjectReply } from '../../src/contract/project.js';
import type { ScoreReply } from '../../src/contract/score.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import type { SessionTrailReply } from '../../src/contract/session-trail.js';
import { hasChromium } from '../helpers/browser.js';
import { findBarriers, openWatched, printLink, sidewaysPx, smallStudy } from '../helpers/console-page.js';
import { driver } from '../helpers/console-sample.js';
import { callerOf, enter, open, placeAt } from '../helpers/fielding.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { createSession, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(300_000);

t.test('the console in a real browser', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t, {
    VH_WEBHOOK_ALLOW_PRIVATE: 'on',
    VH_WEBHOOK_BACKOFF_SECONDS: '0.05,0.05,0.05,0.05',
  });
  const { siteUrl, projectId } = service.bootstrap;
  const keys = { 'x-api-key': service.bootstrap.organizationKey };
  const { page, complaints } = await openWatched(t);
  const heading = (name: string | RegExp) => page.getByRole('heading', { name }).waitFor();

  async function checkLook(t: Pick<typeof import('tap').default, 'same' | 'equal'>, page: Page): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      t.same(await findBarriers(page), [], colorScheme);
    }
    for (const width of [390, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      t.equal(await sidewaysPx(page), 0, `${width} px`);
    }
  }

  await t.test('a link signs in once; without it the page says how to get one', async (t) => {
    await page.goto(`${siteUrl}/console`);
    await heading('Sign in to the console');
    await checkLook(t, page);
    const link = await printLink(service);
    await page.goto(link);
    await heading('Overview');
    await page.getByRole('link', { name: 'The consent links to no privacy page.' }).waitFor();
    t.equal(page.url(), `${siteUrl}/console/${projectId}/overview`, 'the link has left the address');
    await page.getByText(/^Times are in the time zone of this browser \(.+\)\. Days are in UTC\.$/).waitFor();
    await checkLook(t, page);
    t.equal(await page.evaluate('document.cookie'), '', 'no script reads the cookie');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading('Sign in to the console');
    complaints.length = 0; // the browser reports each refusal
    await page.goto(link);
    await page.getByText('The link was used').waitFor();
    await page.goto(await printLink(service, ['--role', 'admin']));
    await heading('Overview');
    complaints.length = 0;
  });

  await t.test('sessions are listed with their top reason, found by text and filtered', async (t) => {
    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await heading('No session was scored yet');
    await checkLook(t, page);
    for (let index = 0; index < 3; index += 1) {
      const body = {
        sessionId: `visit-${index}`,
        clientIp: `8.8.4.${index + 1}`,
        respondentId: `person-${index}`,
        userAgent: index === 0 ? driver : 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        sourceId: index === 0 ? 'panel-a' : 'panel-b',
      };
      t.match(await service.call('POST', '/lite/score', { body }), { status: 200 });
    }
    await waitUntil(
      async () => ((await service.call('GET', '/lite/sessions')).body as { sessions: unknown[] }).sessions.length === 3,
      'the sessions are listed',
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    const rows = page.locator('tbody tr');
    await rows.nth(2).waitFor();
    t.match(await page.getByRole('row', { name: /visit-0/ }).textContent(), /Headless user agent/);
    await checkLook(t, page);
    const search = page.getByRole('searchbox', { name: /^Session/ });
    for (const text of ['visit-1', 'person-1']) {
      await search.fill(text);
      await waitUntil(async () => (await rows.count()) === 1, `${text} is found`);
      t.match(await rows.textContent(), /visit-1/);
    }
    await page.reload();
    await waitUntil(async () => (await rows.count()) === 1, 'the address keeps the filter');
    await search.fill('nobody');
    await heading('No session matches');
    await page.getByRole('button', { name: 'Clear' }).click();
    const source = page.getByRole('combobox', { name: 'Supplier' });
    t.same(
      await source.evaluate((input: { list: { options: Iterable<{ value: string }> } }) =>
        [...input.list.options].map(({ value }) => value).sort(),
      ),
      ['panel-a', 'panel-b'],
      'suppliers to choose from',
    );
    await source.fill('panel-a');
    await waitUntil(async () => (await rows.count()) === 1, 'one source is left');
    await page.getByRole('link', { name: 'visit-0' }).click();
    await heading('visit-0');
    t.equal(await page.evaluate('document.activeElement.tagName'), 'H1', 'the heading of the new page has the focus');
    await page.getByRole('link', { name: '← Sessions' }).click();
    await heading('Sessions');
    t.equal(new URL(page.url()).search, '?sourceId=panel-a', 'the way back keeps the filters');
    t.same(complaints, []);
  });

  await t.test('a session’s page says why, what was not measured, and what it shares with others', async (t) => {
    const body = { sessionId: 'visit/again', clientIp: '8.8.4.9', respondentId: 'person-0', userAgent: driver };
    const { evidence } = (await service.call('POST', '/lite/score', { body })).body as ScoreReply;
    const events = [{ sessionId: 'visit/again', type: 'ban', occurredAt: new Date().toISOString() }];
    await service.call('POST', '/lite/events', { body: { events } });
    const path = `/lite/sessions/${encodeURIComponent(body.sessionId)}`;
    const known = async () => (await service.call('GET', path)).body as SessionTrailReply;
    await waitUntil(async () => {
      const { receipts, outcomes } = await known();
      return receipts?.length === 1 && outcomes.length === 1;
    }, 'the session is listed');
    await page.goto(`${siteUrl}/console/${projectId}/sessions?text=again`);
    await page.getByRole('link', { name: 'visit/again' }).click();
    await heading('visit/again');
    await page.getByText(evidence.summary).waitFor();
    await page.getByText(/^(Allowed|Sent to review) because \d+ [<≥] 40 \(reviewLow\)/).waitFor();
    t.equal(await page.locator('.findings b').first().textContent(), evidence.against[0]?.detail);
    await page.locator('li', { hasText: /the device itself was not measured.*87/ }).waitFor();
    await page.getByText(/Of honest simulated sessions, (more than 99\.9|\d\d?(\.\d)?)% score lower\./).waitFor();
    await page.locator('li', { hasText: /Interaction with the page.*Not measured/ }).waitFor();
    await page.getByText(/^Limits of this score: .*No probe data arrived\. Only the request was measured\./).waitFor();
    await page.getByText('Ban', { exact: true }).waitFor();
    await checkLook(t, page);
    await page.getByRole('link', { name: 'visit-0' }).click();
    await heading('visit-0');
    await page.getByRole('link', { name: 'visit/again' }).waitFor();
    await page.goto(`${siteUrl}/console/${projectId}/sessions/never-scored`);
    await heading('Session not found');
    complaints.length = 0; // the browser reports the 404
  });

  await t.test('suppliers are compared, and thresholds tried, applied and taken back', async (t) => {
    const tab = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();
    await page.goto(`${siteUrl}/console/${projectId}/suppliers`);
    await heading('Suppliers');
    await Promise.all([page.waitForRequest(/sources\?.*from=20/), page.getByLabel('Period').selectOption('30')]);
    await page.getByRole('row', { name: /panel-a .*Needs 30 sessions.*Not judged yet/ }).waitFor();
    await checkLook(t, page);
    await tab('Thresholds');
    // The slider pushes that of the block along.
    await page.getByRole('slider', { name: /Review from/ }).fill('90');
    await page.getByText(/^\d+ sessions? would change/).click();
    await page.getByText(/^By supplier: .*panel-a/).waitFor();
    await page.getByRole('link', { name: 'visit-0' }).waitFor();
    await checkLook(t, page);
    const readInForce = async () => {
      const { effective } = (await service.call('GET', `/projects/${projectId}`, { headers: keys }))
        .body as ProjectReply;
      return effective.liteConfig.blockThreshold;
    };
    await page.getByRole('button', { name: 'Apply…' }).click();
    t.same([await readInForce(), await findBarriers(page)], [75, []], 'nothing is applied before it is confirmed');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Applied to the whole project').waitFor();
    t.equal(await readInForce(), 90);
    await page.getByRole('button', { name: 'Undo…' }).click();
    await page.getByRole('dialog').getByText('New: review from 40, block from 75.').waitFor();
    t.equal(await readInForce(), 90, 'an undo asks, too');
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Back to 40 and 75').waitFor();
    t.equal(await readInForce(), 75);
    await page.locator('h2:focus', { hasText: 'Simulate thresholds' }).waitFor();
    t.same(complaints, []);
  });

  await t.test('verifications are counted by day, reason and device', async (t) => {
    await page.goto(`${siteUrl}/console/${projectId}/verification`);
    await heading('No verification in the last 30 days');
    const session = await createSession(service);
    await verify(service, session);
    await waitUntil(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return (await page.getByRole('heading', { name: 'Devices' }).count()) === 1;
    }, 'the verification is counted');
    await page.getByText('Not measured').first().waitFor();
    await checkLook(t, page);
    t.same(complaints, []);
  });

  await t.test('a webhook says why an event was missed, and sends it again', async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer((_received, response) => response.writeHead(410).end('The route is gone.'));
    await page.goto(`${siteUrl}/console/${projectId}/webhooks`);
    await heading('No webhook yet');
    await service.call('POST', `/projects/${projectId}/webhooks`, {
      body: { url: receiver.url, description: 'Billing' },
      headers: keys,
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('row', { name: /Billing.*Working/ }).waitFor();
    await checkLook(t, page);
    await page.getByRole('link', { name: 'Billing' }).click();
    await heading('Billing');
    await page.getByText(receiver.url).waitFor();
    await heading('Nothing was sent yet');
    await page.getByRole('button', { name: 'Send a test event' }).click();
    const failed = page.locator('summary').filter({ hasText: /Gave up.*sess_test_/ });
    await failed.click();
    await page.getByText('1 event was not delivered and is not tried again.').waitFor();
    const error = failed.locator('.reason');
    t.match(await error.textContent(), /410/);
    await page.getByText('The route is gone.').waitFor();
    await page.getByText('HTTP 410').waitFor();
    await checkLook(t, page);
    receiver.answer((_received, response) => response.writeHead(200).end());
    await page.getByRole('button', { name: 'Send all again' }).click();
    await page.getByText('1 delivery is sent again.').waitFor();
    const arrived = page.locator('summary').filter({ hasText: 'Succeeded' });
    await arrived.waitFor();
    t.equal(await arrived.locator('.reason').count(), 0, 'an error of before is not shown');
    await page.locator('.facts').getByText('Working').waitFor();
    await page.getByRole('searchbox', { name: 'Session id' }).fill('another');
    await page.keyboard.press('Enter');
    await heading('No delivery matches');
    t.same(complaints, []);
  });

  await t.test('settings say what they do, apply together, and an emptied one restores its default', async (t) => {
    const read = async (): Promise<ProjectReply> =>
      (await service.call('GET', `/projects/${projectId}`, { headers: keys })).body;
    await page.goto(`${siteUrl}/console/${projectId}/settings`);
    const retries = page.getByRole('spinbutton', { name: 'Max retries' });
    await retries.fill('5');
    t.match(await page.locator('.setting').filter({ has: retries }).textContent(), /of a failed session/);
    await page.getByRole('textbox', { name: 'Allowed domains' }).fill('example.com\n*.example.org');
    await page.getByRole('checkbox', { name: 'Lock widget mode' }).check();
    await checkLook(t, page);
    await page.getByRole('button', { name: 'Save 3 changes' }).click();
    await page.getByText('Saved.').waitFor();
    const saved = { maxRetries: 5, allowedDomains: ['example.com', '*.example.org'], lockWidgetMode: true };
    t.match((await read()).config, saved);
    await retries.fill('11');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    t.equal(await page.locator('.setting input:invalid').count(), 1, 'the range is the contract’s');
    await page.setViewportSize({ width: 1200, height: 500 });
    await page.getByRole('spinbutton', { name: 'Liveness threshold' }).first().focus();
    await page.evaluate('scrollTo(0, 0)');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    const [shown, bar] = [await retries.boundingBox(), await page.locator('.save-bar').boundingBox()];
    t.ok((shown?.y ?? 0) + (shown?.height ?? 0) + 40 < (bar?.y ?? 0), 'the bar leaves room below an invalid field');
    await retries.fill('');
    await page.getByRole('textbox', { name: 'Allowed domains' }).fill('');
    await page.getByRole('checkbox', { name: 'Lock widget mode' }).uncheck();
    await page.getByRole('button', { name: 'Save 3 changes' }).click();
    await page.getByText('Saved.').waitFor();
    t.match((await read()).config, { maxRetries: 3, allowedDomains: [], lockWidgetMode: false });
    await page.getByRole('button', { name: 'Undo the last save' }).click();
    await page.getByText('Undone.').waitFor();
    t.match((await read()).config, saved);
    await retries.fill('3');
    await page.getByRole('textbox', { name: 'Allowed domains' }).fill('');
    await page.getByRole('checkbox', { name: 'Lock widget mode' }).uncheck();
    await page.getByRole('button', { name: 'Save 3 changes' }).click();
    await page.getByText('Saved.').waitFor();
    t.same(complaints, []);
  });

  await t.test('settings are found by words, ask before they are lost, and confirm a camera check', async (t) => {
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('camera check pass');
    const assurance = page.getByRole('combobox', { name: 'Minimum assurance' });
    await page.getByRole('spinbutton', { name: 'Max retries' }).waitFor({ state: 'detached' });
    await assurance.selectOption('biometric');
    const questions: string[] = [];
    page.once('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    t.same(questions, ['Leave without saving your changes?']);
    t.match(page.url(), /settings$/);
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('Sessions without a camera check will fail.').waitFor();
    t.same(await findBarriers(page), [], 'the confirmation');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('fraud signals block');
    const [reference] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'verdict' }).click(),
    ]);
    t.match(reference.url(), /\/docs\/reference\/verdict\.html$/);
    await reference.close();
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('no such setting');
    await heading('No setting matches');
    t.same(complaints, []);
  });

  await t.test('a key is made, shown once and revoked, and the audit trail names each step', async (t) => {
    const subpage = (name: string) => page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name });
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click();
    await heading('Settings');
    await subpage('API keys').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Survey server');
    await page.getByRole('combobox', { name: 'Expires' }).selectOption('After 90 days');
    await page.getByText('Scopes: all').click();
    for (const scope of ['webhooks:write', 'audience:write'])
      await page.getByRole('checkbox', { name: scope }).uncheck();
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page.locator('.notice code').textContent();
    t.match(
      await service.call('GET', '/api-keys/current', { headers: { 'x-api-key': secret ?? '' } }),
      { status: 200 },
      'it works',
    );
    await checkLook(t, page);
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /Survey server/ });
    await row.getByText(/^until /).waitFor();
    await row.getByText('8 scopes').click();
    t.notMatch(await row.textContent(), /webhooks:write|audience:write/);
    await page.getByRole('button', { name: 'Replace… Survey server' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^Used less than a minute ago: what uses it will fail\.$|^Never used\./)
      .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Revoke… Survey server' }).click();
    t.same(await findBarriers(page), [], 'the confirmation');
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByRole('row', { name: /Survey server.*Revoked/ }).waitFor();
    await subpage('Audit').click();
    await page.getByRole('row', { name: /API key revoked Survey server/ }).waitFor();
    await page
      .getByRole('row', { name: /Project changed .*Max retries: 5 → 3/ })
      .first()
      .waitFor();
    await page.getByRole('row', { name: /Failed deliveries sent again Billing/ }).waitFor();
    await checkLook(t, page);
    await page.getByRole('combobox', { name: 'Change' }).selectOption('API key created');
    await page.getByRole('row', { name: 'API key revoked' }).waitFor({ state: 'detached' });
    await page.getByLabel('To (UTC)').fill('2020-01-01');
    await heading('No entry matches');
    t.same(complaints, []);
  });

  await t.test('a study says whether it is full and why not, and is moved from launch to close', async (t) => {
    await page.goto(`${siteUrl}/console/${projectId}/studies`);
    await heading('No study yet');
    const audience = callerOf(service.bootstrap.audienceUrl, service.bootstrap.projectKey);
    const { studyId, entryUrl } = (await audience('POST', '/studies', smallStudy)).body as StudyReply;
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('row', { name: /Coffee.*Draft.*0 of 1/ }).waitFor();
    await checkLook(t, page);
    await page.getByRole('link', { name: 'Coffee' }).click();
    await page.getByText('It is a draft.').waitFor();
    await page.getByRole('button', { name: 'Launch' }).click();
    await page.getByText('No respondent has entered yet.').waitFor();
    await page.goto(`${siteUrl}/console/${projectId}/overview`);
    await page.getByRole('link', { name: 'Coffee: it is launched, and no respondent has entered.' }).click();
    const refresh = () => page.getByRole('button', { name: 'Refresh' }).click();
    await enter({ entryUrl }, { rid: 'bot', src: 'panel-a', agent: driver });
    await refresh();
    await page.getByText('100% of those who entered were refused by the entry check').waitFor();
    await open(`${entryUrl}?src=panel-a`);
    const { location } = await enter({ entryUrl }, { rid: 'ada', src: 'panel-a' });
    const row = page.getByRole('row', { name: /No known supplier.*is missing.*1/ });
    await waitUntil(async () => (await refresh(), (await row.count()) > 0), 'the invalid link is counted');
    await page.getByText('All places are taken').waitFor();
    await page.getByRole('searchbox', { name: 'Respondent id' }).fill('ad');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No respondent has this id.').waitFor();
    await page.getByRole('searchbox', { name: 'Respondent id' }).fill('ada');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('row', { name: /^ada/ }).waitFor();
    t.equal(await page.getByRole('link', { name: 'bot', exact: true }).count(), 0, 'only the respondent');
    await page.getByRole('searchbox', { name: 'Respondent id' }).fill('');
    await page.getByRole('button', { name: 'Find' }).click();
    await audience('POST', `/studies/${studyId}/returns`, { place: placeAt(location), status: 'complete' });
    await refresh();
    await heading('Full');
    await page.getByRole('row', { name: /ada.*Completed/ }).waitFor();
    await checkLook(t, page);
    await page.getByRole('button', { name: 'Close…' }).click();
    t.same(await findBarriers(page), [], 'the confirmation');
    await page.getByRole('button', { name: 'Close the study' }).click();
    await page.locator('.facts').getByText('Completed').waitFor();
    t.equal(((await audience('GET', `/studies/${studyId}`)).body as StudyReply).status, 'completed');
    await page.getByRole('link', { name: 'bot', exact: true }).click();
    await page.locator('.findings').first().waitFor();
    await page.locator('.facts').getByText('Respondent bot').waitFor();
    await page.getByText(/^Refused by the study’s rule against programs \(headless user agent\), not by the/).waitFor();
    t.same(complaints, []);
  });
});

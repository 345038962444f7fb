import t from 'tap';
import type { CreatedLinkReply } from '../../../src/contract/hosted-link.js';
import { hasChromium, launchForPages } from '../../helpers/browser.js';
import { startTestService } from '../../helpers/service.js';
import { showNoise } from '../../helpers/sdk-page.js';
import { startStaticSite } from '../../helpers/static-site.js';
import { pollUntil } from '../../helpers/wait-until.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
/** A machine that others use takes its time. */
t.setTimeout(300_000);

t.test('the hosted page in a real browser', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t);
  const { projectId, organizationKey } = service.bootstrap;
  const survey = await startStaticSite({
    files: { '/back': '<!doctype html><title>Back</title><link rel="icon" href="data:,">' },
  });
  t.teardown(() => survey.close());
  const patch = (body: unknown) =>
    service.call('PATCH', `/projects/${projectId}`, { body, headers: { 'x-api-key': organizationKey } });
  // Only the survey is allowed; that the service's own page may start sessions is the link's doing.
  const answer = await patch({
    config: { allowedDomains: [survey.origin], widgetMode: 'invisible', challengeEnabled: false, maxRetries: 0 },
  });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  const link = async (body: unknown): Promise<CreatedLinkReply> =>
    (await service.call('POST', `/projects/${projectId}/links`, { body })).body;
  /** A project of its own: the browser keeps what it read of another one. */
  const standardProject = async (name: string) => {
    const headers = { 'x-api-key': organizationKey };
    const body = { name, externalId: name, config: { widgetMode: 'standard', challengeEnabled: false } };
    const made = await service.call('POST', '/projects/provision', { body, headers });
    return { links: `/projects/${(made.body as { projectId: string }).projectId}/links`, headers };
  };
  const browser = await launchForPages();
  t.teardown(() => browser.close());
  const open = async (url: string) => {
    const page = await browser.context.newPage();
    const errors: string[] = [];
    page.on(
      'console',
      (message) => message.type() === 'error' && errors.push(`${message.location().url}: ${message.text()}`),
    );
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(url, { waitUntil: 'load' });
    return { page, errors };
  };

  await t.test('leads back with the verdict and a token of the service', async (t) => {
    const { url, linkId } = await link({ returnUrl: `${survey.origin}/back?x=1`, respondentId: 'r-1' });
    const { page, errors } = await open(url);
    const target = await pollUntil('the way back', async () =>
      page.url().startsWith(survey.origin) ? new URL(page.url()) : undefined,
    );
    const payload = target.searchParams.get('vh_token')?.split('.')[1] ?? '';
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    t.equal(target.searchParams.get('x'), '1');
    t.match(claims, { aud: projectId, respondent_id: 'r-1', status: target.searchParams.get('status') });
    t.same(errors, [], 'nothing on the console, under the page’s own policy');
    const used = await service.call('GET', `/projects/${projectId}/links/${linkId}`);
    t.match(used.body, { sessions: 1 });
  });

  await t.test('without a returnUrl it says that it is done', async (t) => {
    const { page } = await open((await link({})).url);
    const shown = await pollUntil('the end', async () => {
      const id = await page.evaluate<string>(
        "[...document.querySelectorAll('main > section')].find((section) => !section.hidden)?.id ?? ''",
      );
      return id === 'check' ? undefined : id;
    });
    t.ok(['done', 'unconfirmed'].includes(shown), shown);
  });

  await t.test('a reload continues the session until its envelope is sent, and a link for one use stays', async (t) => {
    const { links, headers } = await standardProject('Reloads');
    const { url, linkId } = (await service.call('POST', links, { body: { maxUses: 1 }, headers }))
      .body as CreatedLinkReply;
    const { page } = await open(url);
    const begin = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Start' }).click({ delay: 60 });
      await page.getByRole('heading', { name: 'May we use your camera?' }).waitFor();
    };
    for (let reloads = 0; reloads < 12; reloads += 1) {
      await begin();
      await page.reload();
    }
    await begin();
    const read = () => service.call('GET', `${links}/${linkId}`, { headers });
    t.match((await read()).body, { sessions: 1, state: 'alive' });
    const verified = page.waitForResponse('**/public/verify');
    await page.getByRole('button', { name: 'Continue without camera' }).click({ delay: 60 });
    t.equal((await verified).status(), 200);
    await page.reload();
    await begin();
    t.match((await read()).body, { sessions: 2 }, 'a session that was judged is not continued');
    await page.close();
  });

  await t.test('who cancels reads that they canceled, not that their connection failed', async (t) => {
    const { links, headers } = await standardProject('Canceled');
    const { url } = (await service.call('POST', links, { body: {}, headers })).body as CreatedLinkReply;
    const page = await browser.context.newPage();
    await showNoise(page);
    await page.goto(url, { waitUntil: 'load' });
    await page.getByRole('button', { name: 'Start' }).click({ delay: 60 });
    await page.getByRole('button', { name: 'I agree, use my camera' }).click({ delay: 60 });
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await page.getByRole('heading', { name: /Move your face/ }).waitFor();
    await cancel.click({ delay: 60 });
    await page.getByRole('heading', { name: 'You canceled the check' }).waitFor();
    await cancel.click({ delay: 60 });
    const section = page.locator('main > section:not([hidden])').filter({ has: page.locator('.acts') });
    await section.waitFor();
    t.equal(await section.getAttribute('id'), 'canceled');
    t.match(await section.innerText(), 'You canceled the check');
    await section.getByRole('button', { name: 'Try again' }).click({ delay: 60 });
    await page.getByRole('button', { name: 'Start' }).waitFor();
    await page.close();
  });

  await t.test('a refusal is not blamed on the connection', async (t) => {
    const { url } = await link({});
    const page = await browser.context.newPage();
    const body = JSON.stringify({ code: 'QUOTA_EXCEEDED', message: 'The monthly quota is used up.', requestId: 'r' });
    await page.route('**/public/sessions', (route) =>
      route.fulfill({ status: 429, contentType: 'application/json', body }),
    );
    await page.goto(url, { waitUntil: 'load' });
    const section = page.locator('main > section:not([hidden])').filter({ has: page.locator('.acts') });
    await section.waitFor({ timeout: 60_000 });
    t.equal(await section.getAttribute('id'), 'refused');
    t.notMatch(await section.innerText(), /connection/i);
    await page.close();
  });

  await t.test('where the service is away it says so, passes nobody, and lets them try again or leave', async (t) => {
    const { url } = await link({ returnUrl: `${survey.origin}/back` });
    const page = await browser.context.newPage();
    await page.route('**/public/sessions', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.goto(url, { waitUntil: 'load' });
    const section = page.locator('#trouble');
    await section.waitFor({ state: 'visible', timeout: 60_000 });
    t.equal(await page.evaluate("document.activeElement?.id ?? ''"), 'trouble', 'a screen reader is told');
    await page.unroute('**/public/sessions');
    await section.getByRole('link').click();
    await pollUntil('the way back', async () => (page.url().startsWith(survey.origin) ? true : undefined));
    t.equal(new URL(page.url()).search, '?status=incomplete');
  });
});

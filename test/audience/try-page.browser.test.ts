/** The page that tries entry links in a real browser: without JavaScript, under its policy, readable by everybody. */
import axe from 'axe-core';
import t from 'tap';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import { hasChromium, launchForPages } from '../helpers/browser.js';
import { callerOf, creation, fieldStudy, inviteOne } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
t.setTimeout(200_000);

t.test('a link is pasted and tried without JavaScript, and the page keeps nobody out', { skip }, async (t) => {
  const service = await startTestService(t);
  const { audienceUrl, organizationKey } = service.bootstrap;
  const call = callerOf(audienceUrl, organizationKey);
  const redirects = { complete: 'https://panel.example.com/a-long-way-back/for-a-phone?status=1&id={rid}&sig={sig}' };
  const { supplierId } = (await call('POST', '/suppliers', { name: 'P', sourceId: 'p', redirects }))
    .body as CreatedSupplierReply;
  const audience = { countries: ['DE'], language: 'en', sample_size: 5, suppliers: [supplierId] };
  const study = await fieldStudy(call, creation('https://survey.example.com/', { audience }));
  const link = await inviteOne(call, study, supplierId, { rid: 'vh-try-1', age: 34 });

  const browser = await launchForPages();
  t.teardown(() => browser.close());
  const plain = await (await browser.context.browser()?.newContext({ javaScriptEnabled: false }))?.newPage();
  if (plain === undefined) throw new Error('the browser opens no other context');
  const refused: string[] = [];
  plain.on('console', (message) => message.type() === 'error' && refused.push(message.text()));
  await plain.goto(`${audienceUrl}/try`);
  await plain.getByLabel('Entry link').fill(link);
  await plain.getByRole('button', { name: 'Try' }).click();
  t.match(await plain.getByRole('status').textContent(), /The link opens the study.*vh-try-1.*status=1&id=vh-try-1/s);
  t.equal(await plain.getByLabel('Entry link').inputValue(), link, 'the link can be corrected and tried again');
  await plain.getByLabel('Entry link').fill('');
  await plain.getByText('Type its values instead').click();
  const values = { study: study.studyId, ...Object.fromEntries(new URL(link).searchParams) };
  for (const [name, value] of Object.entries(values)) await plain.getByLabel(name, { exact: true }).fill(value);
  await plain.getByLabel('age').fill('35');
  await plain.getByRole('button', { name: 'Try' }).click();
  t.match(await plain.getByRole('status').textContent(), /The signature does not fit/);
  t.same(refused, [], 'the policy refuses nothing of the page');

  const page = await browser.context.newPage();
  await page.setViewportSize({ width: 360, height: 640 });
  for (const colorScheme of ['light', 'dark'] as const)
    for (const given of ['', link, 'https://elsewhere.example/']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.goto(`${audienceUrl}/try?${new URLSearchParams({ link: given }).toString()}`);
      await page.evaluate(axe.source);
      const violations = await page.evaluate(
        'axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].failureSummary))',
      );
      t.same(violations, [], `${colorScheme} ${given}`);
      t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, 'it fits a phone');
    }
});

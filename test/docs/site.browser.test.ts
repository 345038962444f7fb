/** The documentation site in a real browser: within its security policy, readable, on a phone as well, searched, and its requests work. */
import t, { type Test } from 'tap';
import { hasChromium, launchForPages } from '../helpers/browser.js';
import { findBarriers, sidewaysPx } from '../helpers/console-page.js';
import { startTestService } from '../helpers/service.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

t.test('the documentation in a real browser', { skip, timeout: 280_000 }, async (t) => {
  const service = await startTestService(t);
  const { siteUrl, baseUrl, audienceUrl, projectKey } = service.bootstrap;
  const browser = await launchForPages();
  t.teardown(() => browser.close());

  const open = async (t: Test, url: string, size: keyof typeof sizes = 'desktop') => {
    const page = await browser.context.newPage();
    t.teardown(() => page.close());
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await page.setViewportSize(sizes[size]);
    await page.goto(url, { waitUntil: 'networkidle' });
    return { page, complaints };
  };
  for (const path of ['', 'api/scoring.html', 'reference/verification.html', 'reference/settings.html'])
    await t.test(`/docs/${path}, light and dark: no complaint, nothing serious for axe, no sideways scrolling`, async (t) => {
      const { page, complaints } = await open(t, `${siteUrl}/docs/${path}`);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        t.strictSame(await findBarriers(page), [], colorScheme);
        for (const size of ['desktop', 'phone'] as const) {
          await page.setViewportSize(sizes[size]);
          t.ok((await sidewaysPx(page)) <= 0, `${colorScheme}, ${size}`);
        }
        await page.setViewportSize(sizes.desktop);
      }
      t.strictSame(complaints, []);
    });

  await t.test('the roots lead to it, and the contract’s own address shows the reference', async (t) => {
    const root = await open(t, siteUrl);
    t.equal(root.page.url(), `${siteUrl}/docs/`);
    for (const [address, title] of [
      [`${baseUrl}/docs`, 'Scoring'],
      [`${audienceUrl}/docs`, 'Studies'],
    ] as const) {
      const { page, complaints } = await open(t, address);
      t.match(await page.locator('h1').innerText(), title);
      t.strictSame(complaints, [], address);
    }
  });

  await t.test('search finds operations and pages', async (t) => {
    const { page } = await open(t, `${siteUrl}/docs/`);
    for (const [words, href] of [
      ['secret that signs', 'api/projects'],
      ['residential proxy', 'reference/findings'],
    ] as const) {
      await page.locator('button.DocSearch-Button').click();
      await page.locator('input.search-input').fill(words);
      await page.locator(`.results a[href*="/docs/${href}"]`).first().waitFor();
      await page.keyboard.press('Escape');
    }
  });

  await t.test('a request is tried with the reader’s own key; an error shows as it comes', async (t) => {
    const { page } = await open(t, `${siteUrl}/docs/api/scoring.html`);
    const form = page.locator('.try-it').first();
    await form.locator('summary').click();
    await form.getByText('Send POST').click();
    await form.locator('[role=status]').getByText('401').waitFor();
    await form.locator('input[type=password]').fill(projectKey);
    await form.getByText('Send POST').click();
    await form.locator('[role=status]').getByText('200').waitFor();
    t.match(await form.locator('pre').innerText(), /"receiptId": "rcpt_/);
  });

  await t.test('studies are tried on their own address', async (t) => {
    const { page } = await open(t, `${siteUrl}/docs/api/studies.html`);
    const list = page.locator('h2:has-text("List studies") ~ .try-it').first();
    await list.locator('summary').click();
    await list.locator('a').click();
    await page.waitForURL(`${new URL(audienceUrl).origin}/docs/api/studies.html`);
    await list.locator('summary').click();
    await list.locator('input[type=password]').fill(service.bootstrap.organizationKey);
    await list.getByText('Send GET').click();
    await list.locator('[role=status]').getByText('200').waitFor();
    t.match(await list.locator('pre').innerText(), /"studies"/);
  });
});

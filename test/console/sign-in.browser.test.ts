import type { Page } from 'playwright-core';
import t from 'tap';
import { hasChromium, launchForPages } from '../helpers/browser.js';
import { findBarriers } from '../helpers/console-page.js';
import { startIdentityProvider } from '../helpers/identity-provider.js';
import { freePort } from '../helpers/ports.js';
import { startTestService } from '../helpers/service.js';

const skip = hasChromium() ? false : 'Chromium is not installed (CHROMIUM_PATH)';
t.setTimeout(300_000);

t.test('people sign in to the console at their identity provider', { skip }, async (t) => {
  const port = await freePort();
  const roles: Record<string, unknown> = {};
  let organizationId = '';
  const provider = await startIdentityProvider(t, `http://127.0.0.1:${port}/console/oidc/callback`, (name) =>
    name in roles ? { org_id: organizationId, role: roles[name] } : {},
  );
  const service = await startTestService(t, {
    PORT: String(port),
    VH_OIDC_ISSUER: provider.issuer,
    VH_OIDC_CLIENT_ID: provider.clientId,
    VH_OIDC_CLIENT_SECRET: provider.clientSecret,
  });
  const { siteUrl, projectId } = service.bootstrap;
  organizationId = service.bootstrap.organizationId;
  const browser = await launchForPages();
  t.teardown(() => browser.close());

  async function signIn(page: Page, name: string): Promise<void> {
    await page.goto(`${siteUrl}/console`);
    await page.getByRole('link', { name: 'Sign in with your account' }).click();
    await page.locator('input[name=login]').fill(name);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  await t.test('a person with a role reads what the role may, and no script sees the session', async (t) => {
    roles['ada'] = 'member';
    const page = await browser.context.newPage();
    await page.goto(`${siteUrl}/console`);
    await page.getByRole('link', { name: 'Sign in with your account' }).waitFor();
    t.same(await findBarriers(page), []);
    await signIn(page, 'ada');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    t.equal(page.url(), `${siteUrl}/console/${projectId}/overview`);
    t.equal(await page.evaluate('document.cookie'), '');
    t.equal(await page.locator('.who').textContent(), 'member');
    const kept = (await browser.context.cookies(siteUrl + '/console')).filter(({ name }) => name.startsWith('vh_'));
    t.match(kept, [{ name: 'vh_console', httpOnly: true, sameSite: 'Strict', path: '/console' }]);
    t.equal(kept.length, 1, 'the attempt is gone');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
  });

  await t.test('an account without a role is told so, and the log names the cause', async () => {
    await browser.context.clearCookies();
    const page = await browser.context.newPage();
    await signIn(page, 'nobody');
    await page.getByText('Your account has no role in this service').waitFor();
    t.match(service.log.join(''), /"failure":"claims"/);
  });

  await t.test('a return that this browser did not begin, or that came before, is refused', async (t) => {
    const begun = await fetch(`${siteUrl}/console/oidc/start`, { redirect: 'manual' });
    const [attempt = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
    t.match(begun.headers.get('set-cookie'), /HttpOnly; SameSite=Lax/);
    const target = new URL(begun.headers.get('location') ?? '');
    t.match(Object.fromEntries(target.searchParams), { code_challenge_method: 'S256', response_type: 'code' });
    const back = async (query: string, cookie?: string): Promise<string | null> => {
      const headers = cookie === undefined ? {} : { cookie };
      const answer = await fetch(`${siteUrl}/console/oidc/callback?${query}`, { headers, redirect: 'manual' });
      t.notMatch(answer.headers.get('set-cookie'), /vh_console=/);
      return answer.headers.get('location');
    };
    const iss = encodeURIComponent(provider.issuer);
    const state = target.searchParams.get('state') ?? '';
    const expired = `${siteUrl}/console#refused=expired`;
    t.equal(await back(`code=guess&state=${state}&iss=${iss}`), expired, 'without the cookie');
    t.equal(await back(`code=guess&state=${state}&iss=${iss}`, 'vh_console_attempt=e30'), expired, 'with another');
    const blank = Buffer.from('{"state":"","nonce":"","verifier":""}').toString('base64url');
    t.equal(await back(`code=guess&state=&iss=${iss}`, `vh_console_attempt=${blank}`), expired, 'with a blank one');
    const refused = `${siteUrl}/console#refused=refused`;
    t.equal(await back(`code=guess&state=other&iss=${iss}`, attempt), refused, 'another state');
    t.equal(await back(`code=guess&state=&iss=${iss}`, attempt), refused, 'an empty state');
    t.equal(await back(`code=guess&state=${state}&iss=${iss}`, attempt), refused, 'a guessed code');
    t.equal(await back(`error=access_denied&state=${state}&iss=${iss}`, attempt), refused, 'the provider says no');
  });

  await t.test('a provider that is away is named, and asked again', async (t) => {
    await provider.stop();
    const page = await browser.context.newPage();
    const iss = encodeURIComponent(provider.issuer);
    const begun = await fetch(`${siteUrl}/console/oidc/start`, { redirect: 'manual' });
    const [attempt = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const answer = await fetch(`${siteUrl}/console/oidc/callback?code=guess&state=${state}&iss=${iss}`, {
      headers: { cookie: attempt },
      redirect: 'manual',
    });
    t.equal(answer.headers.get('location'), `${siteUrl}/console#refused=unavailable`);
    await page.goto(answer.headers.get('location') ?? '');
    await page.getByText('Your identity provider is not responding').waitFor();
  });
});

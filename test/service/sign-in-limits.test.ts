/** Limits of sign-ins to the console: anybody may begin one, and each asks the identity provider. The clock stands, so that all of it is one window. */
import t from 'tap';
import { startIdentityProvider } from '../helpers/identity-provider.js';
import { startTestService } from '../helpers/service.js';
import { createStandingClock } from '../helpers/standing-clock.js';

t.setTimeout(120_000);
const perAddress = 4;

t.test('sign-ins of an address are limited before they reach the provider, and those of another are not', async (t) => {
  const provider = await startIdentityProvider(t, 'http://127.0.0.1/console/oidc/callback', () => ({}));
  const settings = {
    VH_OIDC_ISSUER: provider.issuer,
    VH_OIDC_CLIENT_ID: provider.clientId,
    VH_OIDC_CLIENT_SECRET: provider.clientSecret,
    VH_PUBLIC_PER_ADDRESS: String(perAddress),
    VH_TRUSTED_PROXIES: '127.0.0.1',
  };
  const { siteUrl } = (await startTestService(t, settings, createStandingClock())).bootstrap;
  const attempt = Buffer.from(JSON.stringify({ state: 's', nonce: 'n', verifier: 'v'.repeat(43) })).toString(
    'base64url',
  );
  const ask = async (step: string, address: string): Promise<string> => {
    const headers = { cookie: `vh_console_attempt=${attempt}`, 'x-forwarded-for': address };
    const answer = await fetch(`${siteUrl}/console/oidc/${step}`, { headers, redirect: 'manual' });
    return (answer.headers.get('location') ?? String(answer.status)).replace(siteUrl, '');
  };
  const invented = `callback?code=invented&state=s&iss=${encodeURIComponent(provider.issuer)}`;
  const answers = [];
  for (let n = 0; n < perAddress + 2; n += 1) answers.push(await ask(invented, '81.2.69.1'));
  const [refused, limited] = ['/console#refused=refused', '/console#refused=limited'];
  t.same(answers, [...Array.from({ length: perAddress }, () => refused), limited, limited]);
  t.equal(await ask('start', '81.2.69.1'), limited, 'nor is one begun');
  t.match(await ask('start', '81.2.69.2'), new RegExp(`^${provider.issuer}`));
});

/** Whose word on the client’s address counts. */
import t from 'tap';
import { readSettings } from '../../src/config/read.js';
import { startTestService } from '../helpers/service.js';

t.test('a forwarding header of an address that is not trusted is ignored, warned of once and counted', async (t) => {
  const service = await startTestService(t);
  const { adminUrl, siteKey } = service.bootstrap;
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  for (let n = 0; n < 5; n += 1) await service.call('GET', `/origin-check?siteKey=${siteKey}`, { headers });
  await fetch(`${adminUrl}/healthz`, { headers: { forwarded: 'for=203.0.113.9' } });
  const warnings = service.log.filter((line) => line.includes('VH_TRUSTED_PROXIES'));
  t.equal(warnings.length, 1);
  t.match(JSON.parse(warnings[0] ?? ''), { proxy: '127.0.0.1' });
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  t.match(metrics, /vh_forwarding_ignored_total\{reason="untrusted"\} 6/);
});

t.test(
  'headers of a trusted proxy that contradict each other lift no limit, and the warning names the setting',
  async (t) => {
    const service = await startTestService(t, { VH_TRUSTED_PROXIES: '127.0.0.1', VH_PUBLIC_PER_ADDRESS: '3' });
    const { siteKey, siteUrl } = service.bootstrap;
    const start = (forwarded: Readonly<Record<string, string>>) =>
      service.call('POST', '/public/sessions', {
        body: { siteKey },
        headers: { origin: new URL(siteUrl).origin, 'x-forwarded-for': '8.8.4.4', ...forwarded },
      });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await start({ forwarded: `for=198.51.100.${n}` })).status);
    t.same(statuses.slice(3), [428, 428, 428], 'the proxy’s address pays for its sessions like any other');
    t.equal((await start({})).status, 201, 'whoever sends one header alone is somebody else');
    t.ok(service.log.some((line) => line.includes('VH_TRUSTED_PROXIES') && line.includes('Forwarded of a proxy')));
  },
);

t.test('a setting that names no network, or all of them, stops the start', async (t) => {
  for (const value of ['localhost', '10.0.0.0/40', '0.0.0.0/0', '10.0.0.1 10.0.0.2'])
    t.throws(() => readSettings({ VH_TRUSTED_PROXIES: value }), { message: /^VH_TRUSTED_PROXIES must list addresses/ });
  t.match(readSettings({ VH_TRUSTED_PROXIES: '10.0.0.1, 2001:db8::/32' }).VH_TRUSTED_PROXIES, [
    { address: { text: '10.0.0.1' }, prefixLength: 32 },
    { address: { text: '2001:db8::' }, prefixLength: 32 },
  ]);
});

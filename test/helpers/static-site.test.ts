import t from 'tap';
import { startStaticSite } from './static-site.js';
import { pollUntil } from './wait-until.js';

t.test('a site serves its files, collects probes and notes, and tells what was asked for', async (t) => {
  const site = await startStaticSite({ files: { '/': 'page' }, headers: { 'x-test': 'yes' } });
  t.teardown(() => site.close());
  const page = await fetch(site.origin);
  t.equal(await page.text(), 'page');
  t.equal(page.headers.get('x-test'), 'yes');
  t.equal((await fetch(`${site.origin}/nothing`)).status, 404);
  t.equal((await fetch(`${site.origin}/api/v1/public/lite/probe`, { method: 'POST', body: '{"seq":4}' })).status, 202);
  await fetch(`${site.origin}/note`, { method: 'POST', body: '"noted"' });
  t.match(await site.waitForProbe('the probe', ({ body }) => body.seq === 4), { bytes: 9, text: '{"seq":4}' });
  t.strictSame(site.notes, ['noted']);
  t.strictSame(site.requests, ['GET /', 'GET /nothing', 'POST /api/v1/public/lite/probe', 'POST /note']);
});

t.test('waiting ends with a sentence when the condition never comes', async (t) => {
  await t.rejects(
    pollUntil('the moon', () => undefined, 30),
    /in vain: the moon/,
  );
});

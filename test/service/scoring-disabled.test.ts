import t from 'tap';
import { startTestService } from '../helpers/service.js';
import { withDatabase } from '../helpers/organizations.js';
import { temporaryDirectory } from '../helpers/directories.js';

t.test('without scoring the operation does not exist, whatever body is sent', async (t) => {
  const VH_DATA_DIR = temporaryDirectory(t);
  const first = await startTestService(t, { VH_DATA_DIR });
  await first.stop();
  await withDatabase(VH_DATA_DIR, (database) => database.query('UPDATE organizations SET lite_enabled = false'));
  const service = await startTestService(t, { VH_DATA_DIR });
  const score = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    service.call('POST', '/lite/score', {
      body,
      headers: { 'x-api-key': service.bootstrap.projectKey, ...headers },
    });
  const valid = { sessionId: 's', clientIp: '203.0.113.7' };
  for (const body of [valid, {}, { sessionId: 7 }, '{ not JSON', { ...valid, clientIp: 'nowhere' }])
    t.match(await score(body), { status: 404, body: { code: 'NOT_FOUND' } }, JSON.stringify(body));
  t.equal((await score(valid, { 'content-type': 'text/plain' })).status, 404, 'nor is its type looked at');
  t.equal((await score({ ...valid, userAgent: 'x'.repeat(2_000_000) })).status, 404, 'nor its length');
  t.equal((await score(valid, { 'x-api-key': 'vf_live_garbage' })).status, 401, 'a stranger learns nothing of it');
});

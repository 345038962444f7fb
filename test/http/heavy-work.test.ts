import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { makeKeyCaller } from '../helpers/key-caller.js';
import { waitUntil } from '../helpers/wait-until.js';
import { createBareApp } from '../helpers/bare-app.js';

/** An app whose export ends with `answer`; the key names the organization. */
async function openApp(t: Test) {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const metrics = createMetrics();
  const app = createBareApp({ findKey: async (key) => makeKeyCaller({ organizationId: key }), metrics });
  let running = 0;
  const heavy = { config: { access: { credential: 'api-key', modes: ['live'] }, heavy: 'export' } } as const;
  app.get('/export', heavy, async () => {
    running += 1;
    await answered;
    running -= 1;
    return {};
  });
  app.get('/stream', heavy, async (_request, reply) =>
    reply.send(
      Readable.from(
        (async function* () {
          yield 'first';
          await answered;
          yield 'last';
        })(),
      ),
    ),
  );
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  t.teardown(() => {
    answer();
    return app.close();
  });
  const call = (organization: string, path = '/export') =>
    fetch(origin + path, { headers: { 'x-api-key': organization } });
  return { origin, call, answer: () => answer(), running: () => running, metrics };
}

t.test('one export of an organization at a time; another organization’s starts at once', async (t) => {
  const { call, answer, running, metrics } = await openApp(t);
  const storm = [call('org_storm'), call('org_storm'), call('org_storm')];
  await waitUntil(() => running() === 1, 'the first runs');
  const neighbour = call('org_neighbour');
  await waitUntil(() => running() === 2, 'the neighbour’s runs next to it');
  answer();
  t.same(
    (await Promise.all([...storm, neighbour])).map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const top = metrics.topOrganizations()['export'] ?? [];
  t.equal(top[0]?.organizationId, 'org_storm');
  t.equal(top[0]?.calls, 3);
});

t.test('a call that waits for too long gets 429 with Retry-After', async (t) => {
  const { call, answer, running, metrics } = await openApp(t);
  const first = call('org_storm');
  await waitUntil(() => running() === 1, 'the first runs');
  const second = await call('org_storm');
  t.equal(second.status, 429);
  t.equal(second.headers.get('retry-after'), '1');
  t.match(await second.json(), { code: 'RATE_LIMIT_EXCEEDED', operation: 'export', limit: 1, usage: 1 });
  t.equal(metrics.topOrganizations()['export']?.[0]?.refused, 1);
  answer();
  t.equal((await first).status, 200);
});

t.test('a caller who leaves keeps the place until the work has ended, and a stream until its last byte', async (t) => {
  const { origin, call, answer, running } = await openApp(t);
  const left = httpRequest(`${origin}/export`, { headers: { 'x-api-key': 'org_storm' } });
  left.on('error', () => undefined).end();
  await waitUntil(() => running() === 1, 'its work runs');
  left.destroy();
  const stream = await call('org_streams', '/stream');
  t.equal((await call('org_storm')).status, 429);
  t.equal((await call('org_streams')).status, 429);
  answer();
  await stream.text();
  t.equal((await call('org_storm')).status, 200);
  t.equal((await call('org_streams')).status, 200);
});

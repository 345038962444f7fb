/** The client against a whole service. */
import express from 'express';
import fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import {
  createClient,
  fraudGate,
  fraudGatePlugin,
  hashIdentity,
  type Decision,
  type GateRequest,
} from '../../../sdk/node/index.js';
import { startTestService } from '../../helpers/service.js';
import { waitUntil } from '../../helpers/wait-until.js';

const service = await startTestService(t);
const { projectKey, organizationKey, projectId, baseUrl } = service.bootstrap;
const client = createClient({ apiKey: projectKey, baseUrl, deadlineMs: 20_000, attemptMs: 10_000 });

t.test('a session is scored, decided and answered again under its key', async (t) => {
  const request = {
    sessionId: 'node-1',
    clientIp: '192.0.2.24',
    studyId: 'study-1',
    respondentId: hashIdentity('a salt of your own', 'panelist-1'),
  };
  const decision = await client.decide(request, { idempotencyKey: 'node-1-submit' });
  t.match(decision, { degraded: false, action: 'allow', duplicateBand: 'none', sweep: false });
  const again = await client.score(request, { idempotencyKey: 'node-1-submit' });
  t.equal(again.receiptId, decision.score?.receiptId);
  t.equal(again.replayed, true);
  const other = { ...request, clientIp: '192.0.2.25' };
  await t.rejects(client.score(other, { idempotencyKey: 'node-1-submit' }), { code: 'CONFLICT', httpStatus: 409 });
});

t.test('a refusal carries the service’s code, the field and the request', async (t) => {
  await t.rejects(client.score({ sessionId: 'node-2', clientIp: 'nowhere' }), {
    code: 'VALIDATION_FAILED',
    httpStatus: 400,
    requestId: /.+/,
    issues: [{ path: '/clientIp' }],
  });
  const stranger = createClient({ apiKey: 'vf_live_nobody', baseUrl, failMode: 'open' });
  await t.rejects(stranger.decide({ sessionId: 'x', clientIp: '192.0.2.1' }), { code: 'INVALID_KEY', httpStatus: 401 });
});

t.test('outcomes are posted in bulk, and again without counting twice', async (t) => {
  const events = Array.from({ length: 1_500 }, (_, index) => ({
    sessionId: `bulk-${index % 700}`,
    type: 'complete' as const,
    occurredAt: new Date(Date.UTC(2026, 5, 1, 0, 0, index)).toISOString(),
  }));
  t.match(await client.events(events), { received: 1_500, accepted: 1_500, duplicates: 0, rejected: 0, issues: [] });
  const wrong = { sessionId: 'bulk-x', type: 'bought' as 'complete', occurredAt: '2026-06-01T12:00:00Z' };
  const again = await client.events([...events, wrong]);
  t.match(again, { received: 1_501, accepted: 0, duplicates: 1_500, rejected: 1 });
  t.match(again.issues, [{ path: '/events/1500/type' }]);
  await t.rejects(client.events([wrong]), {
    code: 'EVENTS_REJECTED',
    posted: { received: 1, rejected: 1, issues: [{ path: '/events/0/type' }] },
  });
});

t.test('tokens are validated one by one and in batches, in their order', async (t) => {
  t.match(await client.verifyToken('nonsense'), { success: false, error: 'MALFORMED' });
  const tokens = Array.from({ length: 150 }, (_, index) => `nonsense-${index}`);
  const replies = await client.verifyTokens(tokens);
  t.equal(replies.length, 150);
  t.ok(replies.every(({ success, error }) => !success && error === 'MALFORMED'));
  t.strictSame(await client.verifyTokens([]), []);
});

const unreachable = createClient({ apiKey: projectKey, baseUrl: 'http://127.0.0.1:1/api/v1', retriesMax: 0 });
const session = (request: GateRequest & { readonly body?: unknown }) => {
  const { sessionId } = (request.body ?? {}) as { readonly sessionId?: string };
  return sessionId === undefined ? null : { sessionId, studyId: 'study-2' };
};
const post = async (url: string, body: unknown) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'gate-test' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { readonly gate: Decision | null } };
};

/** A survey's backend sees this of both frameworks. */
async function checkGate(test: Pick<typeof t, 'match' | 'equal'>, url: string): Promise<void> {
  const scored = await post(`${url}/submit`, { sessionId: `gate-${url}` });
  test.match(scored, { status: 200, body: { gate: { degraded: false, score: { sessionId: `gate-${url}` } } } });
  test.match(await post(`${url}/submit`, {}), { status: 200, body: { gate: null } }, 'no session, no decision');
  test.match(await post(`${url}/open`, { sessionId: 'x' }), {
    status: 200,
    body: { gate: { degraded: true, score: null } },
  });
  test.equal((await post(`${url}/closed`, { sessionId: 'x' })).status, 503, 'the framework answers the error');
}

t.test(
  'a refusal of the service is no refusal of the respondent: the frameworks answer 500 by themselves',
  async (t) => {
    const refused = createClient({ apiKey: 'vf_live_nobody', baseUrl });
    const app = express();
    app.use(express.json());
    app.post('/submit', fraudGate({ client: refused, session }), (_req, res) => void res.json({}));
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    t.teardown(() => void server.close());
    const other = fastify();
    t.teardown(() => other.close());
    await other.register(fraudGatePlugin, { client: refused, session });
    other.post('/submit', () => ({}));
    await other.listen({ port: 0, host: '127.0.0.1' });
    for (const { port } of [server.address(), other.server.address()] as AddressInfo[]) {
      const response = await fetch(`http://127.0.0.1:${port}/submit`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ sessionId: 'x' }),
      });
      t.equal(response.status, 500);
    }
  },
);

t.test('Express: req.fraudGate', async (t) => {
  const app = express();
  app.use(express.json());
  const answer: express.RequestHandler = (req, res) => void res.json({ gate: req.fraudGate });
  app.post('/submit', fraudGate({ client, session }), answer);
  app.post('/open', fraudGate({ client: unreachable, session, failMode: 'open' }), answer);
  app.post('/closed', fraudGate({ client: unreachable, session }), answer);
  const handler: express.ErrorRequestHandler = (error: { readonly code: string }, _req, res, _next) =>
    void res.status(error.code === 'NETWORK_ERROR' ? 503 : 500).json({ gate: null });
  app.use(handler);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => void server.close());
  await checkGate(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

t.test('Fastify: request.fraudGate, in the scope that registers the plugin and nowhere else', async (t) => {
  const app = fastify();
  t.teardown(() => app.close());
  app.setErrorHandler((error: { readonly code: string }, _request, reply) =>
    reply.code(error.code === 'NETWORK_ERROR' ? 503 : 500).send({ gate: null }),
  );
  const gates = {
    '/submit': { client, session },
    '/open': { client: unreachable, session, failMode: 'open' as const },
    '/closed': { client: unreachable, session },
  };
  for (const [path, options] of Object.entries(gates))
    await app.register(async (scope) => {
      await scope.register(fraudGatePlugin, options);
      scope.post(path, (request) => ({ gate: (request as GateRequest).fraudGate }));
    });
  app.post('/plain', (request) => ({ gate: (request as GateRequest).fraudGate ?? null }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  await checkGate(t, url);
  t.match(await post(`${url}/plain`, { sessionId: 'x' }), { status: 200, body: { gate: null } });
});

t.test('with an organization key, outcomes name their project', async (t) => {
  const organization = createClient({ apiKey: organizationKey, baseUrl });
  const event = { sessionId: 'org-1', type: 'complete' as const, occurredAt: '2026-06-01T12:00:00Z' };
  t.match(await organization.events([{ ...event, projectId }]), { accepted: 1 });
});

t.test('reports are read with the key of the project', async (t) => {
  await client.score({ sessionId: 'reported', clientIp: '203.0.113.24', sourceId: 'panel' });
  await waitUntil(
    async () => (await client.reports.mix()).some(({ sourceId }) => sourceId === 'panel'),
    'the session is counted',
  );
  const sources = await client.reports.sources();
  t.match(
    sources.find(({ sourceId }) => sourceId === 'panel'),
    { sessions: 1, allow: 1 },
  );
  t.match(await client.reports.calibration({ sourceId: 'panel' }), { ece: null, labels: { fraud: 0, honest: 0 } });
  await t.rejects(client.reports.mix({ sourceId: 'nobody' }), { code: 'VALIDATION_FAILED', httpStatus: 400 });
});

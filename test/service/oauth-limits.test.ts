/** Limits of OAuth clients: of their attempts at a token, and of what they do with one. The clock stands, so that all of it is one window. */
import t from 'tap';
import { askForToken, basic, bearerOf, makeClient } from '../helpers/oauth.js';
import { startTestService } from '../helpers/service.js';
import { createStandingClock } from '../helpers/standing-clock.js';

t.setTimeout(180_000);
const service = await startTestService(t, { VH_BOOTSTRAP: 'on' }, createStandingClock());
const { siteUrl, projectId } = service.bootstrap;
type Client = Awaited<ReturnType<typeof makeClient>>;

t.test('two hundred wrong secrets are limited, and lock nobody out', async (t) => {
  const client = await makeClient(service);
  const counts: Record<number, number> = {};
  const wrong = basic(client.clientId, 'wrong');
  for (let round = 0; round < 2; round += 1) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => askForToken(siteUrl, {}, wrong)));
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  }
  t.same(counts, { 401: 30, 429: 170 });
  const limited = await askForToken(siteUrl, {}, wrong);
  t.equal(limited.body.error, 'slow_down');
  t.ok(Number(limited.headers.get('retry-after')) > 0);
  t.equal((await askForToken(siteUrl, {}, basic(client.clientId, client.clientSecret))).status, 200);
});

const headersOf = async (client: Client, form: Readonly<Record<string, string>> = {}) => ({
  ...(await bearerOf(siteUrl, client, form)),
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

const post = (headers: Readonly<Record<string, string>>, body: unknown): Promise<Response> =>
  fetch(`${siteUrl}/mcp`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const calling = (params: object, id: object = { id: 1 }) => ({ jsonrpc: '2.0', ...id, method: 'tools/call', params });

/** Messages that call no operation, under a token that may read and not score. */
const idle = [
  calling({ name: 'no_such_tool' }),
  calling({ name: 'score_respondent', arguments: {} }),
  calling({ name: 'get_evidence', arguments: {} }),
  calling({ name: 7 }),
  calling({ name: 'get_evidence' }, {}),
  [calling({ name: 'get_evidence' })],
  { jsonrpc: '2.0', id: 1, method: 'ping' },
  '{',
];

t.test(
  'a client has the limits of a key over all its projects; a call of a tool is one call, and so is a message that calls nothing',
  async (t) => {
    const client = await makeClient(service);
    const headers = await headersOf(client);
    const reading = await headersOf(client, { scope: 'lite:read' });
    const tool = async (): Promise<string> =>
      (await post(headers, calling({ name: 'list_projects', arguments: {} }))).text();
    const score = (sessionId: string, of: Readonly<Record<string, string>>) =>
      service.call('POST', '/lite/score', { body: { sessionId, clientIp: '203.0.113.5' }, headers: of });
    for (const message of idle) t.not((await post(reading, message)).status, 429, JSON.stringify(message));
    // Messages that cost little, a hundred at a time, spend what is left but for the three calls that follow.
    const ping = async () => (await post(headers, { jsonrpc: '2.0', id: 1, method: 'ping' })).arrayBuffer();
    for (let left = 6_000 - idle.length - 3; left > 0; left -= 100)
      await Promise.all(Array.from({ length: Math.min(100, left) }, ping));
    t.match(await tool(), /structuredContent/);
    t.equal((await score('one', { ...headers, 'x-project-id': projectId })).status, 200);
    t.match(await tool(), /structuredContent/, 'the last one');
    t.match(await tool(), /RATE_LIMIT_EXCEEDED.*Retry in/);
    t.equal((await score('two', headers)).status, 429);
    for (const message of idle) {
      const answer = await post(reading, message);
      t.equal(answer.status, 429, JSON.stringify(message));
      t.ok(Number(answer.headers.get('retry-after')) > 0);
      t.match(await answer.json(), { jsonrpc: '2.0', error: { data: { code: 'RATE_LIMIT_EXCEEDED' } } });
    }
  },
);

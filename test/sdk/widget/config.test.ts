import t from 'tap';
import { loadConfig, type ConfigCache } from '../../../sdk/widget/config.js';
import type { Call, Reply, Trouble } from '../../../sdk/widget/http.js';

const reply = (status: number, body?: unknown, etag: string | null = null): Reply => ({
  kind: 'reply',
  status,
  body,
  etag,
  repeated: false,
});
const trouble: Trouble = { kind: 'trouble', reason: 'network', message: 'E030' };

t.test('a configuration is fresh for a minute, asked for again by its ETag, and outlives the service', async (t) => {
  const cache: ConfigCache = new Map();
  const calls: Call[] = [];
  const load = (nowMs: number, answer: Reply | Trouble) =>
    loadConfig(
      cache,
      async (call) => {
        calls.push(call);
        return answer;
      },
      { endpoint: 'https://a.test/api/v1', siteKey: 'proj/1', nowMs },
      new AbortController().signal,
    );
  t.match(await load(0, trouble), { kind: 'trouble' }, 'never seen');
  t.match(await load(0, reply(404, { code: 'NOT_FOUND' })), { kind: 'reply', status: 404 });
  const closed = { degradedMode: 'FAIL_CLOSED' };
  t.strictSame(await load(0, reply(200, closed, '"1"')), { kind: 'config', config: closed });
  t.equal(calls.length, 3);
  t.equal(calls[2]?.url, 'https://a.test/api/v1/projects/proj%2F1/public-config');
  t.strictSame(await load(59_999, trouble), { kind: 'config', config: closed });
  t.equal(calls.length, 3, 'nobody is asked within the minute');
  t.strictSame(await load(60_000, reply(304)), { kind: 'config', config: closed });
  t.match(calls[3]?.headers, { 'if-none-match': '"1"' });
  t.strictSame(await load(119_000, trouble), { kind: 'config', config: closed });
  t.equal(calls.length, 4, 'unchanged is as fresh as new');
  t.strictSame(await load(200_000, trouble), { kind: 'config', config: closed }, 'the last one seen holds');
  t.match(await load(200_000, reply(403, { code: 'ORIGIN_NOT_ALLOWED' })), { status: 403 }, 'a refusal is no outage');
});

t.test('a page keeps the configurations of twenty projects', async (t) => {
  const cache: ConfigCache = new Map();
  for (let n = 0; n < 30; n += 1)
    await loadConfig(
      cache,
      async () => reply(200, {}),
      { endpoint: 'https://a.test', siteKey: String(n), nowMs: 0 },
      new AbortController().signal,
    );
  t.equal(cache.size, 20);
});

/**
 * Session ids that answer a test or demo key the same every time, in verdict, evidence and error, and mean nothing to a live key.
 */
import t from 'tap';
import type { EvidenceReply, ScoreReply } from '../../src/contract/score.js';
import { verdictClasses } from '../../src/contract/score.js';
import { fixedSessionIds } from '../../src/scoring/fixed-sessions/fixed-sessions.js';
import { readRepositoryFile } from '../helpers/repository.js';
import { startTestService } from '../helpers/service.js';
import { createStandingClock } from '../helpers/standing-clock.js';

const clock = createStandingClock();
const service = await startTestService(t, {}, clock);
const { bootstrap } = service;

const demo = (
  await service.call('POST', `/public/projects/${bootstrap.projectId}/demo-key`, {
    headers: { origin: 'http://localhost:5173' },
  })
).body['apiKey'] as string;
const makeTestKey = async (limits?: object): Promise<string> =>
  (
    await service.call('POST', `/projects/${bootstrap.projectId}/api-keys`, {
      body: { name: 'sandbox', isTest: true, ...limits },
      headers: { 'x-api-key': bootstrap.organizationKey },
    })
  ).body['apiKey'];
const sandbox = await makeTestKey();

const notesOf = ({ evidence }: ScoreReply): string[] => evidence.notes.map(({ code }) => code);

/** The reply of each. */
const verdicts = {
  test_allow: { recommendation: 'allow', verdictClass: 'human', duplicate: { band: 'none', measured: true } },
  test_review: { recommendation: 'review', verdictClass: 'unknown', stepUpIntensity: 'none' },
  test_block: { recommendation: 'block', verdictClass: 'fraud' },
  test_step_up: { recommendation: 'step_up', stepUpIntensity: 'light' },
  test_duplicate_confirmed: { recommendation: 'allow', duplicate: { band: 'confirmed' } },
  test_probe_missing: { verdictClass: 'unknown', degradedSignals: ['client_probe_missing'] },
  test_verified_agent: { recommendation: 'allow', verdictClass: 'verified_agent' },
} as const;

const score = (
  sessionId: string,
  key: string,
  fields: object = {},
): Promise<{ status: number; headers: Headers; body: ScoreReply }> =>
  service.call('POST', '/lite/score', {
    body: { sessionId, clientIp: '203.0.113.24', ...fields },
    headers: { 'x-api-key': key },
  });
const evidence = (receiptId: string, key: string): Promise<{ status: number; body: EvidenceReply }> =>
  service.call('GET', `/lite/score/${receiptId}/evidence`, { headers: { 'x-api-key': key } });

for (const [sessionId, verdict] of Object.entries(verdicts))
  t.test(`${sessionId} answers the same every time`, async (t) => {
    const answers = [];
    for (const key of [sandbox, sandbox, demo, demo])
      answers.push(await score(sessionId, key, { respondentId: `person ${answers.length}`, studyId: 'study' }));
    const [first] = answers;
    t.equal(first?.status, 200);
    t.match(first?.body, { ...verdict, sessionId, replayed: false, supersedes: null });
    for (const { body } of answers) t.same(body, first?.body);
    const receiptId = first?.body.receiptId ?? '';
    for (const key of [sandbox, demo]) {
      const rendered = await evidence(receiptId, key);
      t.match(rendered, { status: 200, body: { receiptId, sessionId, provenance: { faithful: true } } });
      t.same(rendered.body.evidence, first?.body.evidence);
    }
    t.equal((await evidence(receiptId, bootstrap.projectKey)).status, 404, 'to a live key it is no receipt');
  });

t.test('the errors come with their headers, every time', async (t) => {
  for (const key of [sandbox, demo, sandbox]) {
    const limited = await score('test_rate_limited', key);
    t.match(limited, { status: 429, body: { code: 'RATE_LIMIT_EXCEEDED', limit: 60, usage: 60 } });
    t.equal(limited.headers.get('retry-after'), '2');
    t.equal(limited.headers.get('x-ratelimit-remaining'), '0');
    const resetInSeconds = Number(limited.headers.get('x-ratelimit-reset')) - clock.now() / 1_000;
    t.ok(resetInSeconds > 0 && resetInSeconds <= 3, `ends in ${resetInSeconds} s`);
    const unavailable = await score('test_unavailable', key);
    t.match(unavailable, { status: 503, body: { code: 'STORE_UNAVAILABLE' } });
    t.equal(unavailable.headers.get('retry-after'), '1');
  }
});

t.test('to a live key they are sessions like any other', async (t) => {
  const receipts = new Set<string>();
  for (const sessionId of [...Object.keys(verdicts), 'test_rate_limited', 'test_unavailable']) {
    const { status, body: reply } = await score(sessionId, bootstrap.projectKey);
    t.equal(status, 200, sessionId);
    t.match(reply, { recommendation: 'allow', verdictClass: 'unknown', duplicate: { band: 'none' } });
    t.ok(reply.degradedSignals.includes('client_probe_missing'), 'no probe was sent for it');
    t.ok(notesOf(reply).includes('fixed_session_live'), 'and the answer says why it is none of the fixed ones');
    t.equal((await evidence(reply.receiptId, bootstrap.projectKey)).body.sessionId, sessionId);
    t.equal((await evidence(reply.receiptId, sandbox)).status, 404);
    receipts.add(reply.receiptId);
  }
  t.equal(receipts.size, 9);
  const [plain, tried] = [await score('test_nothing', bootstrap.projectKey), await score('test_nothing', sandbox)];
  for (const { body } of [plain, tried]) t.notOk(notesOf(body).includes('fixed_session_live'));
});

t.test(
  'docs/reference/test-sessions.md and the description of the operation name these sessions and no others',
  async (t) => {
    const page = readRepositoryFile('docs/reference/test-sessions.md');
    const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, id = '', answer = '']) => ({ id, answer }));
    t.same(rows.map(({ id }) => id).sort(), [...fixedSessionIds].sort());
    for (const { id, answer } of rows) {
      const { status, headers, body } = await score(id, sandbox);
      const words = answer.split(/[^\w]+/);
      if (status !== 200) {
        t.same([Number(words[0]), words[1]], [status, (body as unknown as { code: string }).code], id);
        t.equal(/`Retry-After: (\d+)`/.exec(answer)?.[1], headers.get('retry-after'), id);
        continue;
      }
      t.equal(words[0], body.recommendation, id);
      const [verdictClass] = verdictClasses.filter((name) => answer.includes(`\`${name}\``));
      t.equal(verdictClass ?? body.verdictClass, body.verdictClass, id);
      t.equal(/band\S* (\w+)/.exec(answer)?.[1] ?? 'none', body.duplicate.band, id);
      t.equal(answer.includes('client_probe_missing'), body.degradedSignals.includes('client_probe_missing'), id);
      t.equal(/^step_up, (\w+)/.exec(answer)?.[1] ?? 'none', body.stepUpIntensity, id);
    }
    const document = (await service.call('GET', '/openapi.json', { headers: {} })).body as {
      readonly paths: Readonly<Record<string, { readonly post: { readonly description: string } }>>;
    };
    const description = document.paths['/lite/score']?.post.description ?? '';
    for (const id of fixedSessionIds) t.ok(description.includes(id), id);
  },
);

t.test('nothing is counted, and a wrong body is still refused', async (t) => {
  const known = await service.call('GET', '/lite/sessions/test_allow', { headers: { 'x-api-key': sandbox } });
  t.equal(known.status, 404);
  t.match(await score('test_allow', sandbox, { clientIp: 'nowhere' }), { status: 400 });
});

t.test('the limits of the key hold', async (t) => {
  const narrow = await makeTestKey({ rateLimits: { perMinute: 2 } });
  const statuses = [];
  for (let i = 0; i < 3; i += 1) statuses.push((await score('test_allow', narrow)).status);
  t.same(statuses, [200, 200, 429]);
});

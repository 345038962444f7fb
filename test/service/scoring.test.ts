import { Value } from 'typebox/value';
import t from 'tap';
import { ScoreReply, type EvidenceReply, type ScoreReply as Reply } from '../../src/contract/score.js';
import { probeExample, scoreExample } from '../../src/scoring/examples.js';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import type { ErrorBody } from '../../src/contract/common.js';
import { startTestService, type TestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const service: TestService = await startTestService(t);
const { bootstrap } = service;
const userAgent = scoreExample.userAgent ?? '';

let sessions = 0;
const session = (): string => `session-${(sessions += 1)}`;
const clean = (fields: object = {}) => ({ sessionId: session(), clientIp: '203.0.113.24', userAgent, ...fields });

async function score(body: object, key = bootstrap.projectKey): Promise<Reply> {
  const answer = await service.call('POST', '/lite/score', { body, headers: { 'x-api-key': key } });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  t.ok(
    Value.Check(ScoreReply, answer.body),
    `the reply is as the contract says: ${JSON.stringify(Value.Errors(ScoreReply, answer.body)[0])}`,
  );
  return answer.body;
}

async function probe(sessionId: string, fields: object = {}, headers: Record<string, string> = {}): Promise<number> {
  const body = { ...probeExample(bootstrap.probeKey), sessionId, nonce: `nonce-of-${sessionId}`, ...fields };
  return (await service.call('POST', '/public/lite/probe', { body, headers: { 'user-agent': userAgent, ...headers } }))
    .status;
}

const token = (role: 'owner' | 'admin' | 'member', organizationId = bootstrap.organizationId): Promise<string> =>
  issueDashboardToken(loadMasterKey(service.dataDirectory), { organizationId, role, lifetimeSeconds: 60 });

async function patch(
  body: unknown,
  role: 'owner' | 'admin' | 'member' = 'admin',
): Promise<{ status: number; body: ErrorBody }> {
  return service.call('PATCH', `/projects/${bootstrap.projectId}`, {
    body,
    headers: { authorization: `Bearer ${await token(role)}` },
  });
}

t.test('a clean session without a probe scores 0 on every axis, verdictClass unknown', async (t) => {
  const reply = await score(clean());
  t.equal(reply.score, 0);
  t.same(Object.values(reply.categories), [0, 0, 0, 0, 0, 0]);
  t.equal(reply.verdictClass, 'unknown');
  t.ok(reply.degradedSignals.includes('client_probe_missing'));
  t.ok(reply.evidence.summary.length > 0);
  t.match(reply.receiptId, /^rcpt_[0-9a-f]{32}$/);
});

t.test('an identical retry answers the same receipt and reply, and counts nothing twice', async (t) => {
  const body = clean({ respondentId: 'retry-respondent', studyId: 'retry-study' });
  const [first, second] = [await score(body), await score(body)];
  t.same(second, { ...first, replayed: true });
  t.equal(first.replayed, false);
  t.equal(first.duplicate.evidence.respondentDay, 1);
});

t.test(
  'an Idempotency-Key answers the first bytes again, also after a probe; with another body it is 409',
  async (t) => {
    const body = clean();
    const post = async (key: string, sent: object = body, apiKey = bootstrap.projectKey) => {
      const answer = await fetch(`${bootstrap.baseUrl}/lite/score`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey, 'idempotency-key': key },
        body: JSON.stringify(sent),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const first = await post('k-1');
    await probe(body.sessionId);
    const again = await post('k-1');
    t.equal(again.text, first.text.replace('"replayed":false', '"replayed":true'), 'byte for byte');
    t.match(await post('k-1', { ...body, declaredCountry: 'DE' }), { status: 409, text: /"code":"CONFLICT"/ });
    t.equal((await post('k-1', clean(), bootstrap.organizationKey)).status, 200, 'another key’s keys are others');
    t.match(await post('k-2'), { status: 200, text: /"replayed":false/ }, 'a new key sees the probe');
    t.equal((await post('k'.repeat(129))).status, 400);
    const twins = await Promise.all(['k-3', 'k-3'].map((key) => post(key, { ...body, declaredCountry: 'FR' })));
    const receipts = twins.map(({ text }) => (JSON.parse(text) as Reply).receiptId);
    t.equal(receipts[0], receipts[1], 'two at once are one');
  },
);

t.test('a session scored again with another body gets a new receipt and still counts once', async (t) => {
  const body = clean({ respondentId: 'again-respondent', studyId: 'again-study' });
  const [first, second] = [await score(body), await score({ ...body, declaredCountry: 'DE' })];
  t.not(second.receiptId, first.receiptId);
  t.same([first.supersedes, second.supersedes], [null, first.receiptId]);
  t.equal(second.duplicate.evidence.respondentDay, 1);
});

t.test('the probe joins on the byte-identical (projectKey, sessionId) pair', async (t) => {
  const body = clean({ studyId: 'join' });
  t.equal(await probe(body.sessionId.toUpperCase()), 202);
  t.ok((await score(body)).degradedSignals.includes('client_probe_missing'), 'another case is another session');
  t.equal(await probe(body.sessionId), 202);
  const joined = await score(body);
  t.notOk(joined.degradedSignals.includes('client_probe_missing'));
  t.not(joined.verdictClass, 'unknown', 'a normal probe is a measured session');
});

t.test('a session scored again after its probe came gets a new receipt', async (t) => {
  const body = clean();
  const before = await score(body);
  await probe(body.sessionId);
  const after = await score(body);
  t.not(after.receiptId, before.receiptId);
  t.same((await score(body)).receiptId, after.receiptId);
});

t.test(
  'the probe is taken as text/plain and as JSON, for known keys only, and a nonce is good for one session',
  async (t) => {
    const sessionId = session();
    const body = { ...probeExample(bootstrap.probeKey), sessionId, nonce: 'nonce-one-session' };
    const post = (content: object, type: string) =>
      fetch(`${bootstrap.baseUrl}/public/lite/probe`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: JSON.stringify(content),
      });
    const plain = await post(body, 'text/plain;charset=UTF-8');
    t.equal(plain.status, 202);
    t.equal(plain.headers.get('access-control-allow-origin'), '*');
    t.same(await plain.json(), { sessionId, stored: true });
    t.equal((await post({ ...body, seq: 1 }, 'application/json')).status, 202);
    t.equal((await post({ ...body, projectKey: 'pk_unknown' }, 'text/plain')).status, 404);
    t.equal((await post({ ...body, sessionId: session() }, 'text/plain')).status, 400);
    t.equal((await post({ ...body, beh: { moves: 'many' } }, 'text/plain')).status, 400);
    t.equal((await post({ ...body, sdk: 'x'.repeat(20_000) }, 'text/plain')).status, 413);
  },
);

t.test('stock automation seen by the probe raises device risk and says why', async (t) => {
  const body = clean();
  await probe(body.sessionId, { auto: { webdriver: true, globals: ['cdc_x'], debugStack: true } });
  const reply = await score(body);
  t.ok(reply.score > (await score(clean())).score);
  t.ok(reply.categories.device > 0);
  t.ok(reply.evidence.against.some(({ axis }) => axis === 'device'));
});

t.test('an organization key scores with measured false', async (t) => {
  const reply = await score(clean(), bootstrap.organizationKey);
  t.ok(reply.degradedSignals.includes('organization_key'));
  t.equal(reply.duplicate.measured, false);
  t.same(Object.values(reply.duplicate.evidence), [null, null, null, null]);
  t.ok(reply.degradedSignals.includes('client_probe_missing'));
  t.match(
    reply.evidence.notes.find(({ code }) => code === 'organization_key')?.detail,
    /Use a project key/,
    'and says so, and which key would',
  );
});

t.test('an unknown name is noted with the nearest, and refused under a test key', async (t) => {
  const reply = await score(clean({ respondentID: 'r' }));
  t.match(reply.evidence.notes.find(({ code }) => code === 'unknown_fields')?.detail, /did you mean "respondentId"/);
  const test = await service.call('POST', `/projects/${bootstrap.projectId}/api-keys`, {
    body: { isTest: true },
    headers: { authorization: `Bearer ${await token('admin')}` },
  });
  const refused = await service.call('POST', '/lite/score', {
    body: clean({ respondentID: 'r' }),
    headers: { 'x-api-key': (test.body as { apiKey: string }).apiKey },
  });
  t.equal(refused.status, 400);
  const signature = {
    method: 'GET',
    targetUri: 'https://survey.example.com/',
    headers: { signature: 's', 'signature-input': 'i' },
  };
  const misspelt = clean({
    webBotAuth: {
      ...signature,
      body: '',
      headers: { ...signature.headers, 'Signature-Agent': '"https://a.example"', cookie: 'c' },
    },
  });
  t.match(
    (await score(misspelt)).evidence.notes.find(({ code }) => code === 'unknown_fields')?.detail,
    /"body".*"Signature-Agent" \(did you mean "signature-agent"\?\)/,
  );
  t.match((refused.body as ErrorBody).issues, [{ path: '/respondentID', message: /did you mean "respondentId"/ }]);
});

t.test('respondentId equal to sessionId is ignored and flagged', async (t) => {
  const sessionId = session();
  const reply = await score(clean({ sessionId, respondentId: sessionId }));
  t.ok(reply.degradedSignals.includes('respondent_id_equals_session_id'));
  t.equal(reply.duplicate.evidence.respondentDay, null);
});

t.test('the old name supplierStats is taken and flagged', async (t) => {
  const reply = await score(clean({ supplierStats: { attempts: 10, completes: 10 } }));
  t.ok(reply.degradedSignals.includes('supplier_stats_deprecated_alias'));
});

t.test('duplicates are counted within the study, else within the source, and never move risk', async (t) => {
  const twice = async (first: object, second: object) => {
    await score(clean({ respondentId: 'scope-respondent', ...first }));
    return (await score(clean({ respondentId: 'scope-respondent', ...second }))).duplicate;
  };
  t.match(await twice({ studyId: 'A', sourceId: 's' }, { studyId: 'A', sourceId: 't' }), {
    band: 'confirmed',
    measured: true,
  });
  t.match(await twice({ studyId: 'B' }, { studyId: 'C' }), { band: 'none', measured: true });
  const bySource = await score(clean({ respondentId: 'by-source', sourceId: 'S1' }));
  t.equal(bySource.duplicate.band, 'none');
  const repeated = await score(clean({ respondentId: 'by-source', sourceId: 'S1' }));
  t.equal(repeated.duplicate.band, 'confirmed');
  t.match(repeated, {
    score: bySource.score,
    recommendation: bySource.recommendation,
    verdictClass: bySource.verdictClass,
    grlCompat: bySource.grlCompat,
  });
});

t.test('a private or reserved address is never a place where people meet; an IPv6 /64 is', async (t) => {
  const visitors = async (addressOf: (n: number) => string, studyId: string): Promise<Reply> => {
    let last: Reply | undefined;
    for (let n = 0; n < 36; n += 1)
      last = await score(clean({ clientIp: addressOf(n), respondentId: `${studyId} visitor ${n}`, studyId }));
    return last as Reply;
  };
  const behindProxy = await visitors(() => '10.0.0.7', 'proxy');
  t.equal(behindProxy.categories.velocity, 0);
  t.match(behindProxy.independence, { score: 100, band: 'independent' });
  const rotating = await visitors((n) => `2a00:1450:4001:80b::${n + 1}`, 'rotating');
  t.ok(rotating.evidence.against.some(({ code }) => code.endsWith('_concentrated')));
});

t.test('evidence of a receipt is there at once, and stays after the consumers have recorded it', async (t) => {
  const reply = await score(clean());
  const read = async (): Promise<EvidenceReply> =>
    (await service.call('GET', `/lite/score/${reply.receiptId}/evidence`)).body;
  const atOnce = await read();
  t.same(atOnce.evidence, reply.evidence);
  t.equal(atOnce.provenance.faithful, true);
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${bootstrap.adminUrl}/metrics`)).text();
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  };
  await waitUntil(
    async () => (await metric('vh_receipts_recorded_total')) >= (await metric('vh_scores_total')),
    'every receipt so far is in the database',
  );
  t.ok((await metric('vh_scores_total')) > 0);
  t.same(await read(), atOnce);
});

t.test('a receipt of another’s and one that does not exist answer the same 404', async (t) => {
  const mine = await score(clean());
  const read = (receiptId: string, key: string) =>
    service.call('GET', `/lite/score/${receiptId}/evidence`, { headers: { 'x-api-key': key, 'x-request-id': 'r' } });
  const others = await read(mine.receiptId, bootstrap.organizationKey);
  const none = await read(`rcpt_${'0'.repeat(32)}`, bootstrap.organizationKey);
  const garbage = await read('nonsense', bootstrap.projectKey);
  t.equal(others.status, 404);
  t.same(others.body, none.body);
  t.same(garbage.body, none.body);
});

t.test('a knob is in force at once, project-wide and per source', async (t) => {
  t.equal(
    (await patch({ config: { liteConfig: { noProbeRiskScore: 50, perSource: { gentle: { noProbeRiskScore: 0 } } } } }))
      .status,
    200,
  );
  t.equal((await score(clean())).recommendation, 'review');
  t.equal((await score(clean({ sourceId: 'gentle' }))).recommendation, 'allow');
  t.equal((await patch({ config: { liteConfig: null } })).status, 200);
  t.equal((await score(clean())).recommendation, 'allow');
});

t.test('step_up only when opted in', async (t) => {
  await patch({ config: { liteConfig: { noProbeRiskScore: 50 } } });
  t.match(await score(clean()), { recommendation: 'review', stepUpIntensity: 'none' });
  await patch({ config: { liteConfig: { stepUpEnabled: true } } });
  const light = { recommendation: 'step_up', stepUpIntensity: 'light', assuranceAvailable: /^can_step_up/ };
  t.match(await score(clean()), light);
  await patch({ config: { liteConfig: { stepUpIntensityThreshold: 45 } } });
  t.match(await score(clean()), { recommendation: 'step_up', stepUpIntensity: 'heavy' }, 'from the threshold on');
  await patch({ config: { liteConfig: { stepUpThreshold: 60, stepUpIntensityThreshold: 60 } } });
  t.match(await score(clean()), { recommendation: 'review', stepUpIntensity: 'none' }, 'below it the bands stand');
  await patch({ config: { liteConfig: null } });
});

t.test('a misspelt or contradictory knob is a 400 that names it', async (t) => {
  const misspelt = await patch({ config: { liteConfig: { reviewLo: 30 } } });
  t.equal(misspelt.status, 400);
  t.match(misspelt.body.issues, [{ path: '/config/liteConfig/reviewLo', message: /did you mean "reviewLow"/ }]);
  t.match((await patch({ config: { liteConfig: { perSource: { s: { blokThreshold: 30 } } } } })).body.issues, [
    { path: '/config/liteConfig/perSource/s/blokThreshold', message: /blockThreshold/ },
  ]);
  t.match((await patch({ config: { liteConfig: { reviewLow: 90 } } })).body.issues, [
    { path: '/config/liteConfig/reviewLow', message: /at most blockThreshold/ },
  ]);
  t.match((await patch({ config: { liteConfig: { geoRiskWeights: { DE: 3 } } } })).body.issues, [
    { path: '/config/liteConfig/geoRiskWeights/DE' },
  ]);
  t.match((await patch({ config: { liteConfig: { geoRiskWeights: { uk: 2 } } } })).body.issues, [
    { path: '/config/liteConfig/geoRiskWeights/uk', message: /did you mean "GB"/ },
  ]);
  t.match((await patch({ config: { liteConfig: { perSource: { s: { geoRiskWeights: { EU: 2 } } } } } })).body.issues, [
    { path: '/config/liteConfig/perSource/s/geoRiskWeights/EU', message: /not an assigned/ },
  ]);
  t.match((await patch({ config: { liteConfig: { geoRiskWeights: { de: 2, DE: 1 } } } })).body.issues, [
    { path: '/config/liteConfig/geoRiskWeights/DE', message: /same country/ },
  ]);
  t.match((await patch({ config: { liteConfig: { dispositiveSignals: ['device_frm'] } } })).body.issues, [
    { path: '/config/liteConfig/dispositiveSignals/0', message: /device_farm/ },
  ]);
});

t.test('a project is changed by admins of its organization only', async (t) => {
  t.match(await patch({ name: 'x' }, 'member'), { status: 403, body: { code: 'INSUFFICIENT_SCOPE' } });
  const stranger = await service.call('PATCH', `/projects/${bootstrap.projectId}`, {
    body: { name: 'x' },
    headers: { authorization: `Bearer ${await token('owner', 'org_other')}` },
  });
  t.equal(stranger.status, 404);
});

const bad: readonly (readonly [string, unknown, string])[] = [
  ['a missing session id', { clientIp: '203.0.113.1' }, '/sessionId'],
  ['a missing address', { sessionId: 's' }, '/clientIp'],
  ['a country that is none', { sessionId: 's', clientIp: '203.0.113.1', declaredCountry: 'UK' }, '/declaredCountry'],
  ['an address with a port', { sessionId: 's', clientIp: '203.0.113.1:80' }, '/clientIp'],
  ['a number as session id', { sessionId: 7, clientIp: '203.0.113.1' }, '/sessionId'],
  ['an empty session id', { sessionId: '', clientIp: '203.0.113.1' }, '/sessionId'],
  [
    'a country of three letters',
    { sessionId: 's', clientIp: '203.0.113.1', declaredCountry: 'DEU' },
    '/declaredCountry',
  ],
  [
    'more completes than attempts',
    { sessionId: 's', clientIp: '203.0.113.1', respondentStats: { attempts: 1, completes: 2 } },
    '/respondentStats/completes',
  ],
  ['a body that is a list', [], ''],
];

t.test('bad input is a 400 that points to the field', async (t) => {
  for (const [what, body, path] of bad) {
    const answer: { status: number; body: ErrorBody } = await service.call('POST', '/lite/score', { body });
    t.equal(answer.status, 400, what);
    t.equal(answer.body.issues?.[0]?.path, path, what);
  }
});

t.test('hostile strings are scored or refused, never a 5xx', async (t) => {
  for (const text of [
    '\u0000',
    '\ud800',
    '{{7*7}}',
    "'; DROP TABLE receipts; --",
    '../../etc/passwd',
    '\u202e',
    '𝕊'.repeat(60),
    '__proto__',
    '\r\nX-Injected: 1',
  ]) {
    const answer = await service.call('POST', '/lite/score', {
      body: clean({ sessionId: text, sourceId: text, respondentId: `r${text}`, userAgent: text, subSourceId: text }),
    });
    t.ok(answer.status === 200 || answer.status === 400, JSON.stringify(text));
  }
});

t.test('an empty device token is no device that people share', async (t) => {
  for (const sessionId of ['no-token-1', 'no-token-2'])
    t.equal(await probe(sessionId, { ids: { token: '', kept: true } }), 202);
  await score(clean({ sessionId: 'no-token-1', respondentId: 'no-token-a' }));
  const second = await score(clean({ sessionId: 'no-token-2', respondentId: 'no-token-b' }));
  t.match(second.duplicate, { band: 'none', evidence: { deviceSessionsDay: null, deviceRespondentsDay: null } });
});

t.test('unknown fields are ignored on v1', async (t) => {
  t.equal((await score(clean({ future: { field: 1 } }))).score, 0);
});

t.test('no key stands in the log', async (t) => {
  await service.call('POST', '/lite/score', { body: {}, headers: { authorization: `Bearer ${bootstrap.projectKey}` } });
  const log = service.log.join('');
  for (const secret of [bootstrap.projectKey, bootstrap.organizationKey]) t.notOk(log.includes(secret));
});

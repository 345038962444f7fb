import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import t from 'tap';
import type { Analytics } from '../../src/contract/analytics.js';
import type { SessionResult } from '../../src/contract/score-envelope.js';
import type { SessionReply } from '../../src/contract/session.js';
import { startOrganizations } from '../helpers/organizations.js';
import { automated, createSession, readResult, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const { service, credentials } = await startOrganizations(t);
const { bootstrap } = service;
const project = `/projects/${bootstrap.projectId}`;
const patch = async (body: object): Promise<void> => {
  const answer = await service.call('PATCH', project, { body, headers: credentials.organizationKey });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
};
const urls = { redirectPassUrl: 'https://survey.example/pass?a=1', redirectFailUrl: 'https://survey.example/fail' };
const follow = async (url: string | null) => {
  if (url === null) throw new Error('no redirect was handed out');
  const answer = await fetch(url, { redirect: 'manual' });
  return { status: answer.status, location: answer.headers.get('location') ?? '' };
};
const verified = async (over: Readonly<Record<string, unknown>> = {}): Promise<SessionReply> => {
  const session = await createSession(service, { respondentId: 'person' });
  t.equal((await verify(service, session, over)).status, 200);
  return session;
};

t.test(
  'in score mode the result tells what follows, and a redirect leads there once with a signed vh_token',
  async (t) => {
    await patch({ verificationMode: 'score', scoreModeConfig: urls, config: { riskAggregator: 'on' } });
    const { body } = await readResult(service, await verified());
    t.match(body, { status: 'pass', dispatch: { status: 'scored' }, respondentId: 'person' });
    t.type(body.scores.risk_overall, 'number');
    t.notOk('contributions' in body, 'without exposeBreakdown');
    const first = await follow(body.dispatch.redirectUrl);
    t.equal(first.status, 302);
    const target = new URL(first.location);
    t.equal(`${target.origin}${target.pathname}?a=${target.searchParams.get('a')}`, urls.redirectPassUrl);
    const keys = createRemoteJWKSet(new URL(`${bootstrap.baseUrl}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(target.searchParams.get('vh_token') ?? '', keys, {
      issuer: bootstrap.baseUrl,
      audience: bootstrap.projectId,
      algorithms: ['EdDSA'],
      typ: 'vh-verification+jwt',
    });
    t.match(payload, { sub: body.sessionId, status: 'pass', risk_overall: Number });
    t.equal((await follow(body.dispatch.redirectUrl)).status, 404, 'a code is good once');
    const asToken = await service.call('POST', '/token/verify', {
      body: { token: target.searchParams.get('vh_token') },
      headers: credentials.organizationKey,
    });
    t.match(asToken.body, { success: true, sessionId: body.sessionId }, 'the service verifies it as well');
  },
);

t.test(
  'a key of the project reads the whole verdict, the page its view, and a key of somebody else nothing',
  async (t) => {
    const session = await verified(automated);
    const read = (headers: Readonly<Record<string, string>>) =>
      service.call('GET', `/public/sessions/${session.sessionId}/result`, { headers });
    for (const kind of ['projectKey', 'organizationKey'] as const) {
      const { status, body } = await read(credentials[kind]);
      t.equal(status, 200, JSON.stringify(body));
      t.match(body, { status: 'fail', respondentId: 'person', token: String, dispatch: { status: String } });
      const { fraudSignals, ...rest } = body as SessionResult;
      t.ok(
        fraudSignals?.some(({ type }) => type === 'webdriver'),
        JSON.stringify(fraudSignals),
      );
      t.match(rest, { assuranceLevel: 'device_only', summary: String, failureCategory: 'fraud_signal' });
      const { status: checked } = await service.call('POST', '/token/verify', {
        body: { token: (body as { token: string }).token },
        headers: credentials[kind],
      });
      t.equal(checked, 200);
    }
    const page = await readResult(service, session);
    t.notOk('fraudSignals' in page.body, 'the page learns no more than before');
    for (const kind of ['otherProjectKey', 'otherOrganizationKey', 'testKey', 'demoKey'] as const)
      t.match(await read(credentials[kind]), { status: 404, body: { code: 'NOT_FOUND' } }, kind);
    for (const kind of ['garbage', 'expiredKey', 'revokedKey'] as const)
      t.match(await read(credentials[kind]), { status: 401, body: { code: 'INVALID_KEY' } }, kind);
    t.match(await read({}), { status: 401, body: { code: 'INVALID_CLIENT_SECRET' } });
  },
);

t.test('a redirect goes where the project says at that moment, whatever pages may embed the widget', async (t) => {
  await patch({ scoreModeConfig: { exposeBreakdown: true } });
  const session = await verified();
  const { body } = await readResult(service, session);
  t.ok(Array.isArray(body.contributions), 'exposeBreakdown adds the contributions');
  await patch({ scoreModeConfig: { redirectPassUrl: 'https://survey.example/moved' } });
  t.match((await follow(body.dispatch.redirectUrl)).location, /^https:\/\/survey\.example\/moved\?vh_token=/);
  const again = (await readResult(service, session)).body;
  await patch({ config: { allowedDomains: ['https://elsewhere.example'] } });
  t.match(
    await follow(again.dispatch.redirectUrl),
    { status: 302, location: /^https:\/\/survey\.example\/moved\?/ },
    'an administrator set the address: the allow-list has no say in it',
  );
  await patch({ config: { allowedDomains: null } });
  const failed = (await readResult(service, await verified(automated))).body;
  t.match((await follow(failed.dispatch.redirectUrl)).location, /^https:\/\/survey\.example\/fail\?vh_token=/);
  await patch({ scoreModeConfig: { redirectFailUrl: null } });
  t.equal((await readResult(service, session)).body.dispatch.redirectUrl, null, 'both addresses must be set');
});

t.test('a fence blocks hard and says which', async (t) => {
  await patch({ scoreModeConfig: { ...urls, blockAboveRisk: 0 } });
  const { body } = await readResult(service, await verified());
  t.equal(body.dispatch.status, 'score_blocked');
  t.type(body.dispatch.reason, 'string');
  t.match((await follow(body.dispatch.redirectUrl)).location, /\/fail\?/);
  await patch({ verificationMode: null, scoreModeConfig: null, config: { riskAggregator: null } });
});

t.test('in shadow the risk is null, and a page gets no contributions by asking', async (t) => {
  await patch({ config: { riskAggregator: 'shadow' } });
  const shadow = await verify(service, await createSession(service), {}, { 'x-vh-diagnostics': '1' });
  t.equal(shadow.body.risk, null);
  await patch({ config: { riskAggregator: 'on' } });
  const on = await verify(service, await createSession(service), automated, { 'x-vh-diagnostics': '1' });
  t.same(on.body.risk?.contributions, []);
  const created = await service.call('POST', `${project}/api-keys`, {
    body: { diagnosticsEnabled: true },
    headers: credentials.owner,
  });
  const key = { 'x-api-key': (created.body as { apiKey: string }).apiKey };
  const { body: session } = await service.call('POST', '/sessions', { body: {}, headers: key });
  const asked = await verify(service, session, automated, { 'x-vh-diagnostics': '1' });
  t.ok((asked.body.risk?.contributions.length ?? 0) > 0, 'with the header, and a key that allows it');
});

t.test('analytics count every session once, fill empty buckets and name what is wrong with a range', async (t) => {
  const ask = (query: string, headers = credentials.projectKey) =>
    service.call('GET', `${project}/analytics?${query}`, { headers });
  const read = async (): Promise<Analytics> => (await ask('period=day')).body;
  await waitUntil(async () => (await read()).totalVerifications >= 8, 'verifications were counted');
  const day = await read();
  t.equal(day.totalVerifications, 8);
  t.equal(day.timeSeries.length, 30);
  t.equal(day.timeSeries.at(-1)?.total, day.totalVerifications);
  t.same(day.timeSeries[0], { ...day.timeSeries[0], total: 0, passed: 0, failed: 0, passRate: null });
  t.equal(day.passedCount + day.failedCount, day.totalVerifications);
  t.equal(day.avgLivenessScore, null, 'nothing was measured');
  t.match(day.devices, [{ device: 'desktop', share: 1 }]);
  for (const query of [
    'period=year',
    'fromDate=2026-02-30',
    'fromDate=0000-01-01&toDate=0000-01-02',
    'toDate=0001-01-01',
    'fromDate=2026-05-02&toDate=2026-05-01',
    'period=hour&fromDate=2026-01-01&toDate=2026-05-01',
  ]) {
    const { status, body } = await ask(query);
    t.equal(status, 400, query);
    t.match(body, { code: 'VALIDATION_FAILED' });
  }
  t.equal(((await ask('', credentials.testKey)).body as Analytics).totalVerifications, 0, 'the test world is apart');
});

t.test(
  'risk stands in the tokens and in what validates them, where the project shows it and nowhere else',
  async (t) => {
    const complete = async () => (await verify(service, await createSession(service))).body;
    const validate = async (token: string) => {
      const headers = credentials.projectKey;
      const one = await service.call('POST', '/token/verify', { body: { token }, headers });
      const { body } = await service.call('POST', '/token/verify-batch', { body: { tokens: [token] }, headers });
      t.same((body as { results: unknown[] }).results, [one.body], 'the batch says the same');
      return one.body as { success: boolean; scores: { overall: number; riskOverall?: number } };
    };
    for (const riskAggregator of ['off', 'shadow', 'on']) {
      await patch({ config: { riskAggregator } });
      const { verificationToken, scores } = await complete();
      const { success, scores: validated } = await validate(verificationToken);
      t.equal(success, true);
      const claims = decodeJwt(verificationToken);
      if (riskAggregator !== 'on') {
        t.notOk('riskOverall' in validated || 'risk_overall' in claims, riskAggregator);
        continue;
      }
      t.equal(validated.riskOverall, scores.riskOverall);
      t.equal(validated.riskOverall, 1 - validated.overall, '0 clean, 1 risky');
      t.equal(claims['risk_overall'], scores.riskOverall);
    }
  },
);

t.test('erasing a respondent takes their sessions, and answers how many', async (t) => {
  const session = await verified();
  await service.call('POST', '/lite/score', {
    body: { sessionId: 'erased', clientIp: '203.0.113.7', respondentId: 'person' },
  });
  const erase = () => service.call('DELETE', `${project}/respondents/person`, { headers: credentials.organizationKey });
  await waitUntil(async () => {
    const { body } = await service.call('GET', '/lite/sessions');
    return JSON.stringify(body).includes('"erased"');
  }, 'the receipt was recorded');
  t.match((await erase()).body, {
    erased: { receipts: 1 },
    left: { sessions: 0, receipts: 0, events: 0 },
    unreadable: { records: 0, goneBy: /Z$/ },
  });
  t.equal((await readResult(service, session)).status, 401, 'there is no such session any more');
  t.match((await erase()).body, {
    erased: { sessions: 0, fingerprints: 0, receipts: 0, events: 0 },
    left: { sessions: 0, receipts: 0, events: 0, history: 0 },
  });
  const audit = await service.call('GET', `/organizations/${bootstrap.organizationId}/audit`, {
    headers: credentials.owner,
  });
  t.match(JSON.stringify(audit.body), 'respondent.erased');
  t.notMatch(JSON.stringify(audit.body), '"person"');
});

t.test('a redirect is the page’s: a backend’s read makes none, and a further read keeps it', async (t) => {
  await patch({ verificationMode: 'score', scoreModeConfig: urls });
  const session = await verified();
  const ofPage = async () => (await readResult(service, session)).body.dispatch.redirectUrl;
  const own = await ofPage();
  for (const kind of ['projectKey', 'organizationKey'] as const) {
    const headers = credentials[kind];
    const { body } = await service.call('GET', `/public/sessions/${session.sessionId}/result`, { headers });
    t.match(body, { dispatch: { status: 'scored', redirectUrl: null, reason: null } }, kind);
  }
  t.same(await Promise.all([ofPage(), ofPage()]), [own, own]);
  t.equal((await follow(own)).status, 302, 'the respondent’s own code is good');
  const next = await ofPage();
  t.not(next, own);
  t.same([(await follow(own)).status, (await follow(next)).status], [404, 302], 'a used one stays used');
});

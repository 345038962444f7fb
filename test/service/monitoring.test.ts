import t from 'tap';
import type { FlagReply } from '../../src/contract/monitoring.js';
import type { CreatedWebhookReply } from '../../src/contract/webhook.js';
import { probeExample } from '../../src/scoring/examples.js';
import { verifyWebhook } from '../../src/receiver/verify.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { createSession, page, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { bootstrap } = service;
const { projectId, probeKey, organizationKey } = bootstrap;
const receiver = await startReceiver(t);
const webhook = (
  await service.call('POST', `/projects/${projectId}/webhooks`, {
    body: { url: receiver.url, events: ['monitoring.flagged', 'question.flagged'] },
  })
).body as CreatedWebhookReply;

const setMonitoring = async (monitoring: unknown): Promise<void> => {
  const answer = await service.call('PATCH', `/projects/${projectId}`, {
    body: { config: { monitoring } },
    headers: { 'x-api-key': organizationKey },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
};
const question = {
  questionId: 'q7',
  timeOnQuestionMs: 4_000,
  mouseMoveCount: 3,
  keyCount: 9,
  pasteCount: 0,
  focusEntries: 1,
  focusExits: 0,
};

const probe = (sessionId: string, seq: number, over: Readonly<Record<string, unknown>>) =>
  service.call('POST', '/public/lite/probe', {
    body: {
      ...probeExample(probeKey),
      sessionId,
      nonce: `nonce-${sessionId}`,
      seq,
      phase: seq === 0 ? 'load' : 'update',
      ...over,
    },
    headers: page,
  });
const report = (
  session: { sessionId: string; clientSecret: string },
  body: unknown,
  headers: Readonly<Record<string, string>> = page,
) =>
  service.call('POST', `/public/sessions/${session.sessionId}/activity`, {
    body,
    headers: { ...headers, 'x-client-secret': session.clientSecret },
  });

interface Payload {
  readonly event: string;
  readonly data: { readonly session_id: string; readonly [name: string]: unknown };
}
const payloads = (sessionId: string): readonly Payload[] =>
  receiver.received.map(({ body }) => JSON.parse(body) as Payload).filter(({ data }) => data.session_id === sessionId);
const arrived = (sessionId: string, count: number): Promise<void> =>
  waitUntil(() => payloads(sessionId).length >= count, `${count} flags of ${sessionId}`);

/** Earlier messages arrive before those of a later session: once that is there, nothing more comes of the others. */
async function settle(): Promise<void> {
  const last = await createSession(service);
  await report(last, { questions: [{ ...question, questionId: `last ${last.sessionId}`, pasteCount: 99 }] });
  await arrived(last.sessionId, 1);
}

t.test('nothing is flagged unless the project says so', async (t) => {
  t.match((await service.call('GET', `/projects/${projectId}`, { headers: { 'x-api-key': organizationKey } })).body, {
    config: { monitoring: { question: {} } },
  });
  t.match(await probe('gate-quiet', 0, {}), { status: 202 });
  t.match(await probe('gate-quiet', 1, { beh: { untrusted: 50 }, q: [{ ...question, pasteCount: 40 }] }), {
    status: 202,
  });
  const session = await createSession(service);
  t.match(await report(session, { behavior: { untrusted: 50 } }), {
    status: 202,
    body: { sessionId: session.sessionId, accepted: true },
  });
  await setMonitoring({ anomalyThreshold: 0.9, question: { maxPastes: 2, minTimeMs: 1_000 } });
  await settle();
  t.same([...payloads('gate-quiet'), ...payloads(session.sessionId)], []);
});

t.test('an update of the probe leads to signed webhooks, each flag once', async (t) => {
  const sessionId = 'gate-1';
  await probe(sessionId, 0, {});
  const bad = {
    beh: { moves: 0, clicks: 3, untrusted: 50 },
    q: [
      { ...question, pasteCount: 3 },
      { ...question, questionId: 'q8', timeOnQuestionMs: 20, ended: true },
    ],
  };
  for (const seq of [1, 2]) t.match(await probe(sessionId, seq, bad), { status: 202 });
  await arrived(sessionId, 3);
  // The same said again, and worse, and from several places at once, raises nothing more.
  await Promise.all(
    [3, 4, 5, 6].map((seq) => probe(sessionId, seq, { ...bad, q: [{ ...question, pasteCount: 30 + seq }] })),
  );
  await settle();
  const sorted = [...payloads(sessionId)].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  t.match(sorted, [
    {
      event: 'monitoring.flagged',
      data: {
        project_id: projectId,
        respondent_id: null,
        anomaly: { type: 'input_untrusted', score: 0.96, threshold: 0.9, detail: String },
        timestamp: /Z$/,
      },
    },
    {
      event: 'question.flagged',
      data: { respondent_id: null, question: { question_id: 'q7', metric: 'maxPastes', value: 3, threshold: 2 } },
    },
    {
      event: 'question.flagged',
      data: { question: { question_id: 'q8', metric: 'minTimeMs', value: 20, threshold: 1_000 } },
    },
  ]);
  t.equal(sorted.length, 3);
  for (const { headers, body } of receiver.received)
    t.ok(verifyWebhook({ headers, body, secret: webhook.secret }).valid, 'signed with the webhook’s secret');
});

t.test('activity inside a mount does the same, with the respondent named', async (t) => {
  const session = await createSession(service, { respondentId: 'r-9' });
  const body = { questions: [{ ...question, pasteCount: 5 }] };
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => report(session, body)));
  t.same(
    answers.map(({ status }) => status),
    [202, 202, 202, 202, 202],
  );
  await arrived(session.sessionId, 1);
  await verify(service, session);
  t.match(await report(session, body), { status: 202 }, 'a verified session goes on being watched');
  await settle();
  t.match(payloads(session.sessionId), [
    {
      event: 'question.flagged',
      data: {
        session_id: session.sessionId,
        respondent_id: 'r-9',
        question: { question_id: 'q7', metric: 'maxPastes', value: 5 },
      },
    },
  ]);
});

t.test('a session that invents questions raises a bounded number of flags', async (t) => {
  const session = await createSession(service);
  for (let round = 0; round < 8; round += 1) {
    const questions = Array.from({ length: 50 }, (_, index) => ({
      ...question,
      questionId: `q${round}-${index}`,
      pasteCount: 9,
    }));
    t.match(await report(session, { questions }), { status: 202 });
  }
  await arrived(session.sessionId, 100);
  await settle();
  t.equal(payloads(session.sessionId).length, 100);
});

t.test('a report needs the session’s secret, an allowed page and a bounded body', async (t) => {
  const session = await createSession(service);
  t.match(await report({ ...session, clientSecret: 'wrong' }, {}), {
    status: 401,
    body: { code: 'INVALID_CLIENT_SECRET' },
  });
  t.match(await report(session, { questions: [{ questionId: 'x' }] }), { status: 400 });
  t.match(await report(session, { questions: Array.from({ length: 51 }, () => question) }), { status: 400 });
  t.match(await report(session, { questions: [question], more: 'x'.repeat(20_000) }), { status: 413 });
  const answer = await report(session, {}, { origin: 'https://survey.example' });
  t.equal(answer.headers.get('access-control-allow-origin'), 'https://survey.example');
  await service.call('PATCH', `/projects/${projectId}`, {
    body: { config: { allowedDomains: ['https://survey.example'] } },
    headers: { 'x-api-key': organizationKey },
  });
  t.match(await report(session, {}, { origin: 'https://evil.example' }), { status: 403 });
  await service.call('PATCH', `/projects/${projectId}`, {
    body: { config: { allowedDomains: [] } },
    headers: { 'x-api-key': organizationKey },
  });
});

t.test('flags are listed newest first, by session and event, for the mode that raised them', async (t) => {
  interface FlagPage {
    readonly flags: readonly FlagReply[];
    readonly nextCursor: string | null;
  }
  const list = async (search: string, key = bootstrap.projectKey): Promise<FlagPage> => {
    const { status, body } = await service.call('GET', `/projects/${projectId}/flags${search}`, {
      headers: { 'x-api-key': key },
    });
    t.equal(status, 200);
    return body;
  };
  const body = { sessionId: 'gate-1', clientIp: '8.8.4.4', sourceId: 'panel-north' };
  t.match(await service.call('POST', '/lite/score', { body }), { status: 200 });
  await waitUntil(
    async () => (await list('?sessionId=gate-1')).flags.every(({ sourceId }) => sourceId === 'panel-north'),
    'the flags name the source of the score',
  );
  const ofProbe = await list('?sessionId=gate-1');
  t.match(ofProbe, { flags: { length: 3 }, nextCursor: null });
  t.match(
    ofProbe.flags.find(({ event }) => event === 'monitoring.flagged'),
    {
      ...{ flagId: /^evt_/, sessionId: 'gate-1', respondentId: null, flaggedAt: /Z$/, question: null },
      anomaly: { type: 'input_untrusted', score: 0.96, threshold: 0.9, detail: String },
    },
  );
  t.match((await list('?event=question.flagged&sessionId=gate-1')).flags, [
    { anomaly: null, question: { metric: String, threshold: Number } },
    { anomaly: null, question: { questionId: String, value: Number } },
  ]);
  const first = await list('?limit=2');
  const second = await list(`?limit=2&cursor=${first.nextCursor}`);
  const ids = [...first.flags, ...second.flags].map(({ flagId }) => flagId);
  t.same(ids, [...ids].sort().reverse());
  t.equal(new Set(ids).size, 4);

  const { apiKey } = (
    await service.call('POST', `/projects/${projectId}/api-keys`, {
      body: { isTest: true },
      headers: { 'x-api-key': organizationKey },
    })
  ).body as { apiKey: string };
  t.same((await list('', apiKey)).flags, [], 'a test key does not see live ones');
  t.match(await service.call('GET', `/projects/${projectId}/flags?event=other`), { status: 400 });
});

t.test('flags of a respondent’s sessions are erased with the respondent', async (t) => {
  const session = await createSession(service, { respondentId: 'r-gone' });
  await report(session, { questions: [{ ...question, pasteCount: 5 }] });
  const path = `/projects/${projectId}/flags?sessionId=${session.sessionId}`;
  t.match((await service.call('GET', path)).body, { flags: [{ respondentId: 'r-gone' }] });
  await service.call('DELETE', `/projects/${projectId}/respondents/r-gone`, {
    headers: { 'x-api-key': organizationKey },
  });
  t.same((await service.call('GET', path)).body, { flags: [], nextCursor: null });
});

t.test('flags are counted by event and type', async (t) => {
  const metrics = await (await fetch(`${bootstrap.adminUrl}/metrics`)).text();
  t.match(metrics, /vh_monitoring_flags_total\{event="monitoring\.flagged",type="input_untrusted"\} 1/);
  t.match(metrics, /vh_monitoring_flags_total\{event="question\.flagged",type="maxPastes"\} \d+/);
});

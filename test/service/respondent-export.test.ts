/** The export of a respondent against a running service: all kinds, in pages, and nothing after the erasure. */
import t from 'tap';
import type { RespondentExport, RespondentRecord } from '../../src/contract/respondent-export.js';
import { callerOf, enter, fieldStudy, startSurvey, creation } from '../helpers/fielding.js';
import { startOrganizations } from '../helpers/organizations.js';
import { startReceiver } from '../helpers/receiver.js';
import { createSession, page, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const { service, credentials } = await startOrganizations(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { bootstrap } = service;
const project = `/projects/${bootstrap.projectId}`;
const headers = credentials.organizationKey;
const read = (query = '', respondentId = 'maria') =>
  service.call('GET', `${project}/respondents/${respondentId}${query}`, { headers });
async function readAll(limit = 200): Promise<readonly RespondentRecord[]> {
  const records: RespondentRecord[] = [];
  for (let query = `?limit=${limit}`; ;) {
    const { status, body } = await read(query);
    const { records: some, nextCursor } = body as RespondentExport;
    if (status !== 200 || some.length > limit) throw new Error(`${status} with ${JSON.stringify(body)}`);
    records.push(...some);
    if (nextCursor === null) return records;
    query = `?limit=${limit}&cursor=${nextCursor}`;
  }
}
const kindsOf = (records: readonly RespondentRecord[]) => records.map(({ kind }) => kind).sort();

t.test('an export shows every kind of record, and nothing once the respondent is erased', async (t) => {
  const receiver = await startReceiver(t);
  const events = ['verification.completed'];
  await service.call('POST', `${project}/webhooks`, { body: { url: receiver.url, events }, headers });
  const config = { monitoring: { question: { maxPastes: 2 } } };
  t.equal((await service.call('PATCH', project, { body: { config }, headers })).status, 200);
  const session = await createSession(service, { respondentId: 'maria', metadata: { wave: 'of Maria' } });
  t.equal((await verify(service, session)).status, 200);
  const activity = {
    ...{ questionId: 'q7', timeOnQuestionMs: 9_000, mouseMoveCount: 3, keyCount: 9 },
    ...{ pasteCount: 5, focusEntries: 1, focusExits: 0 },
  };
  await service.call('POST', `/public/sessions/${session.sessionId}/activity`, {
    body: { questions: [activity] },
    headers: { ...page, 'x-client-secret': session.clientSecret },
  });
  await service.call('POST', `${project}/links`, { body: { respondentId: 'maria' }, headers });
  const score = { sessionId: 'of-maria', clientIp: '203.0.113.7', respondentId: 'maria' };
  await service.call('POST', '/lite/score', { body: score });
  await service.call('POST', '/lite/score', { body: { ...score, sessionId: 'of-peter', respondentId: 'peter' } });
  const outcome = { sessionId: 'of-maria', type: 'complete', occurredAt: new Date().toISOString() };
  await service.call('POST', '/lite/events', { body: { events: [outcome] } });
  const survey = await startSurvey(t, () => null);
  const call = callerOf(bootstrap.audienceUrl, bootstrap.organizationKey);
  await enter(await fieldStudy(call, creation(survey.url)), { rid: 'maria', src: 'a' });
  const all = [
    ...['adjudication', 'fingerprint', 'flag', 'history', 'link', 'outcome', 'place'],
    // The backend's score and that of the study's entry.
    ...['receipt', 'receipt', 'scored_session', 'scored_session', 'session', 'webhook_event'],
  ];
  let records: readonly RespondentRecord[] = [];
  await waitUntil(async () => {
    records = await readAll();
    return kindsOf(records).length === all.length;
  }, 'everything is recorded').catch(() => t.same(kindsOf(records), all));
  t.same(await readAll(2), records, 'in pages of two');
  t.equal(new Set(records.map(({ kind, id }) => `${kind} ${id}`)).size, records.length, 'none comes twice');
  const of = (kind: string) => records.find((record) => record.kind === kind)?.data;
  t.match(of('session'), { respondentId: 'maria', metadata: { wave: 'of Maria' }, status: 'pass', result: {} });
  t.match(of('fingerprint'), { sessionId: session.sessionId, hasFace: false });
  t.match(of('receipt'), { address: { family: 4 }, verdict: { score: Number, classification: [] } });
  t.match(of('outcome'), { type: 'complete' });
  t.match(of('flag'), { event: {} });
  t.match(of('place'), { respondentId: 'maria' });
  const text = JSON.stringify(records);
  for (const hidden of ['peter', session.clientSecret, session.challengeConfig.nonce, '"sealed"', '"weight"'])
    t.notOk(text.includes(hidden), hidden);

  t.equal((await service.call('DELETE', `${project}/respondents/maria`, { headers })).status, 200);
  await waitUntil(async () => (await readAll()).length === 0, 'nothing is left');
  const audit = await service.call('GET', `/organizations/${bootstrap.organizationId}/audit`, {
    headers: credentials.owner,
  });
  t.match(JSON.stringify(audit.body), 'respondent.exported');
  t.notMatch(JSON.stringify(audit.body), '"maria"');
});

t.test('a cursor of another list, and a project of others, are refused', async (t) => {
  t.match(await read('?cursor=bm9uZQ'), { status: 400, body: { code: 'VALIDATION_FAILED' } });
  t.match(await service.call('GET', `${project}/respondents/maria`, { headers: credentials.otherOrganizationKey }), {
    status: 404,
  });
});

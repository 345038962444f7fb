import t from 'tap';
import type { VerifyReply } from '../../src/contract/score-envelope.js';
import type { SessionReply } from '../../src/contract/session.js';
import { measurePerson, startFaceService } from '../helpers/face-sessions.js';
import { randomDirection } from '../helpers/faces.js';
import { createRandom } from '../../workers/seeded-random.js';
import { startReceiver } from '../helpers/receiver.js';
import { createSession, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const dayMs = 86_400_000;
const random = createRandom(7);
const faces = await startFaceService(t);
const { service, clock, organization } = faces;
const { bootstrap } = service;
const readiness = async () => {
  const answer = await fetch(`${bootstrap.adminUrl}/readyz`);
  return { status: answer.status, checks: ((await answer.json()) as { checks: Record<string, string> }).checks };
};
await waitUntil(async () => (await readiness()).checks['faces'] === 'ok', 'face index ready');

const metrics = async (): Promise<string> => (await fetch(`${bootstrap.adminUrl}/metrics`)).text();
const person = (): Float32Array => randomDirection(random);
let seed = 0;
const measure = (session: SessionReply, who: Float32Array) =>
  measurePerson(faces, session, { person: who, seed: (seed += 1), random });

/** A session from its creation to its verdict. */
async function takePart(who: Float32Array, body: Readonly<Record<string, unknown>> = {}) {
  const session = await createSession(service, body);
  const answer = await verify(service, session, await measure(session, who));
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  return { session, body: answer.body };
}

async function createProject(config: object): Promise<string> {
  const { status, body } = await service.call('POST', '/projects', {
    body: { name: 'Faces', config: { allowedDomains: ['https://survey.example'], ...config } },
    headers: organization,
  });
  t.equal(status, 201, JSON.stringify(body));
  return (body as { projectId: string }).projectId;
}

const same = person();
let first: { readonly session: SessionReply; readonly body: VerifyReply };

t.test('a person who does what the session asks passes, and is unique among those who came before', async (t) => {
  first = await takePart(same, { respondentId: 'first' });
  t.equal(first.body.status, 'pass', JSON.stringify(first.body));
  t.equal(first.body.scores.uniqueness, null, 'nobody was there to compare with');
  t.ok((first.body.scores.liveness ?? 0) > 0.5);
  const { body } = await takePart(person());
  t.equal(body.status, 'pass', JSON.stringify(body));
  t.ok((body.scores.uniqueness ?? 0) > 0.9, 'compared with one, and alike to nobody');
});

t.test('the same face again is a duplicate, and the webhook tells whose', async (t) => {
  const receiver = await startReceiver(t);
  const webhook = await service.call('POST', `/projects/${bootstrap.projectId}/webhooks`, {
    body: { url: receiver.url, events: ['verification.failed'] },
  });
  t.equal(webhook.status, 201, JSON.stringify(webhook.body));
  const { session, body } = await takePart(same, { respondentId: 'second' });
  t.equal(body.status, 'fail');
  t.equal(body.failureCategory, 'duplicate', JSON.stringify(body));
  t.equal(body.isDuplicate, true);
  t.same(
    Object.keys(body.duplicateMatch ?? {}).sort(),
    ['fingerprintId', 'similarity'],
    'the page learns that, not whose',
  );
  const told = await service.call('POST', '/token/verify', { body: { token: body.verificationToken } });
  const match = { sessionId: first.session.sessionId, respondentId: 'first', similarity: Number };
  t.match(told.body, { failureCategory: 'duplicate', duplicateMatch: match });
  t.equal(body.priorParticipation, null);
  await waitUntil(() => receiver.received.length === 1, 'the event arrives');
  t.match(JSON.parse(receiver.received[0]?.body ?? ''), {
    event: 'verification.failed',
    data: {
      session_id: session.sessionId,
      status: 'fail',
      failure_category: 'duplicate',
      is_duplicate: true,
      duplicate_match: { sessionId: first.session.sessionId },
    },
  });
});

t.test('in another project the same face is nobody’s duplicate; in a group of projects it is', async (t) => {
  const alone = await createProject({});
  const { body } = await takePart(same, { siteKey: alone });
  t.equal(body.status, 'pass', JSON.stringify(body));
  t.equal(body.isDuplicate, false);
  const deduplication = { scope: 'group', groupId: 'panel' };
  const [one, two] = [await createProject({ deduplication }), await createProject({ deduplication })];
  t.equal((await takePart(same, { siteKey: one })).body.status, 'pass');
  t.equal((await takePart(same, { siteKey: two })).body.failureCategory, 'duplicate');
});

t.test('after the window the person comes back as a returning participant', async (t) => {
  const siteKey = await createProject({ deduplication: { scope: 'project', reEligibilityDays: 7 } });
  const early = await takePart(same, { siteKey, respondentId: 'early' });
  t.equal(early.body.status, 'pass');
  clock.aheadMs += 6 * dayMs;
  t.equal((await takePart(same, { siteKey })).body.failureCategory, 'duplicate', 'within the window');
  clock.aheadMs += dayMs + 60_000;
  const { body } = await takePart(same, { siteKey });
  t.equal(body.status, 'pass', JSON.stringify(body));
  t.same(Object.keys(body.priorParticipation ?? {}).sort(), ['fingerprintId', 'lastSeenAt', 'similarity']);
  const told = await service.call('POST', '/token/verify', {
    body: { token: body.verificationToken },
    headers: organization,
  });
  t.match(told.body, { priorParticipation: { sessionId: early.session.sessionId, respondentId: 'early' } });
  t.equal(body.duplicateMatch, null);
  t.equal(body.isDuplicate, true);
  t.equal(body.scores.uniqueness, null, 'nobody in the window was compared');
  const stranger = await takePart(person(), { siteKey });
  t.equal(stranger.body.scores.uniqueness, 1, 'compared with the one who came back, who is in the window again');
});

t.test('of sessions that one person completes at the same moment one passes', async (t) => {
  const siteKey = await createProject({});
  const who = person();
  const sessions = await Promise.all(Array.from({ length: 4 }, () => createSession(service, { siteKey })));
  const measured = await Promise.all(sessions.map(async (session) => ({ session, over: await measure(session, who) })));
  const answers = await Promise.all(measured.map(({ session, over }) => verify(service, session, over)));
  t.same(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  t.equal(answers.filter(({ body }) => body.status === 'pass').length, 1);
  t.equal(answers.filter(({ body }) => body.failureCategory === 'duplicate').length, 3);
});

t.test('who was erased is named no more as whom another respondent matched', async (t) => {
  const who = person();
  await takePart(who, { respondentId: 'erased-match' });
  const { session, body } = await takePart(who, { respondentId: 'stays' });
  const { siteKey, projectKey } = bootstrap;
  const read = async () => [
    (await service.call('POST', '/token/verify', { body: { token: body.verificationToken } })).body,
    (
      await service.call('GET', `/public/sessions/${session.sessionId}/result`, {
        headers: { 'x-api-key': projectKey },
      })
    ).body,
  ];
  for (const reply of await read())
    t.match(reply, { status: 'fail', duplicateMatch: { respondentId: 'erased-match', sessionId: String } });
  await service.call('DELETE', `/projects/${siteKey}/respondents/erased-match`, { headers: organization });
  for (const reply of await read()) {
    t.match(reply, { status: 'fail', failureCategory: 'duplicate', duplicateMatch: { similarity: Number } });
    t.notMatch(JSON.stringify(reply), /erased-match|matchedSessionId/);
  }
});

t.test('who was erased is compared with nobody any more', async (t) => {
  const siteKey = await createProject({});
  const who = person();
  t.equal((await takePart(who, { siteKey, respondentId: 'leaves' })).body.status, 'pass');
  const { status, body } = await service.call('DELETE', `/projects/${siteKey}/respondents/leaves`, {
    headers: organization,
  });
  t.equal(status, 200);
  t.match(body, { erased: { sessions: 1, fingerprints: 1 } });
  t.equal((await takePart(who, { siteKey })).body.status, 'pass');
});

t.test('a face that cannot be compared is never silently unique', async (t) => {
  const numbers = (values: readonly number[]): string => Buffer.from(Int16Array.from(values).buffer).toString('base64');
  const zeros = Array.from({ length: 128 }, () => 0);
  for (const [what, embedding] of Object.entries({
    'another model': { model: 'unknown' },
    'another length': { dimension: 64, values: numbers(zeros.slice(64).fill(4_096)) },
    'one number': { values: numbers([32_767, ...zeros.slice(1)]) },
    zeros: { values: numbers(zeros) },
    'equal numbers': { values: numbers(zeros.map(() => 2_896)) },
  })) {
    const session = await createSession(service);
    const measured = await measure(session, person());
    const { status, body } = await verify(service, session, {
      ...measured,
      embedding: { ...measured.embedding, ...embedding },
    });
    t.equal(status, 200, `${what}: ${JSON.stringify(body)}`);
    t.equal(body.scores.uniqueness, null, what);
    t.match(body, { status: 'fail', failureCategory: 'fraud_signal' }, what);
  }
});

t.test('the operator’s port tells of the index', async (t) => {
  t.match(await readiness(), { status: 200, checks: { faces: 'ok' } });
  const text = await metrics();
  t.match(text, /vh_face_index_templates [1-9]/);
  t.match(text, /vh_face_comparisons_total\{result="duplicate"\} [1-9]/);
});

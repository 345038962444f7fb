/** One photograph for many respondents, over HTTP, where nobody set up the deduplication of faces. */
import t from 'tap';
import type { SessionReply } from '../../src/contract/session.js';
import type { Deduplication } from '../../src/contract/project-parts.js';
import { createRandom } from '../../workers/seeded-random.js';
import { measurePerson } from '../helpers/face-sessions.js';
import { randomDirection, shippedEmbeddingOf } from '../helpers/faces.js';
import { startTestService } from '../helpers/service.js';
import { createSession, verify } from '../helpers/verifications.js';

t.setTimeout(240_000);
const dayMs = 86_400_000;
const random = createRandom(19);
const clock = { aheadMs: 0 };
const service = await startTestService(t, {}, { now: () => Date.now() + clock.aheadMs });
const headers = { 'x-api-key': service.bootstrap.organizationKey };
let seed = 0;

async function createProject(deduplication: Deduplication = {}): Promise<string> {
  const config = { allowedDomains: ['https://survey.example'], riskAggregator: 'on', deduplication };
  const { body } = await service.call('POST', '/projects', { body: { name: 'Faces', config }, headers });
  return (body as { projectId: string }).projectId;
}

async function takePart(face: Float32Array, siteKey: string, respondentId?: string) {
  const session: SessionReply = await createSession(service, {
    siteKey,
    ...(respondentId === undefined ? {} : { respondentId }),
  });
  const measured = await measurePerson({ service, clock }, session, { person: face, seed: (seed += 1), random });
  const { status, body } = await verify(service, session, { ...measured, embedding: shippedEmbeddingOf(face, random) });
  t.equal(status, 200, JSON.stringify(body));
  const severity = body.fraudSignals.find(({ type }) => type === 'face_reused')?.severity ?? null;
  return { status: body.status, severity, failureCategory: body.failureCategory };
}

t.test('one face passes for three respondents of the organization, and six people pass', async (t) => {
  const projects = [await createProject(), await createProject()];
  const photograph = randomDirection(random);
  const results = [];
  for (let n = 0; n < 6; n += 1) results.push(await takePart(photograph, projects[n % 2] ?? '', `r-${n}`));
  const failed = { status: 'fail', severity: 'high', failureCategory: 'fraud_signal' };
  t.strictSame(results, [
    { status: 'pass', severity: null, failureCategory: null },
    { status: 'pass', severity: 'medium', failureCategory: null },
    { status: 'pass', severity: 'medium', failureCategory: null },
    ...[failed, failed, failed],
  ]);
  for (let n = 0; n < 6; n += 1)
    t.match(await takePart(randomDirection(random), projects[0] ?? ''), { status: 'pass', severity: null });
});

t.test('where it is switched off all pass', async (t) => {
  const project = await createProject({ faceReuse: 'off' });
  const photograph = randomDirection(random);
  for (let n = 0; n < 5; n += 1) t.match(await takePart(photograph, project), { status: 'pass', severity: null });
});

t.test('after 24 hours a face passes again', async (t) => {
  const project = await createProject();
  const photograph = randomDirection(random);
  for (let n = 0; n < 3; n += 1) t.match(await takePart(photograph, project), { status: 'pass' });
  t.match(await takePart(photograph, project), { status: 'fail' });
  clock.aheadMs += dayMs;
  t.match(await takePart(photograph, project), { status: 'pass', severity: null });
});

t.test('who was erased is counted no more', async (t) => {
  const project = await createProject();
  const photograph = randomDirection(random);
  for (const name of ['a', 'b', 'c']) t.match(await takePart(photograph, project, name), { status: 'pass' });
  const { status } = await service.call('DELETE', `/projects/${project}/respondents/b`, { headers });
  t.equal(status, 200);
  t.match(await takePart(photograph, project, 'd'), { status: 'pass', severity: 'medium' });
  t.match(await takePart(photograph, project, 'e'), { status: 'fail' });
});

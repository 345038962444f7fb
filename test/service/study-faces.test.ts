/** Faces in the verification of a study over HTTP: whose face a page may use up there. */
import t from 'tap';
import { supplierExample } from '../../src/audience/examples.js';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import { createRandom } from '../../workers/seeded-random.js';
import { measurePerson, startFaceService } from '../helpers/face-sessions.js';
import { randomDirection } from '../helpers/faces.js';
import { callerOf, creation, enter, fieldStudy, inviteOne, openEntry, startSurvey } from '../helpers/fielding.js';
import { createSession, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

const faces = await startFaceService(t);
const { service } = faces;
const { audienceUrl, adminUrl, organizationKey } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const survey = await startSurvey(t, () => null);
const random = createRandom(21);
let seed = 600;

await waitUntil(async () => (await fetch(`${adminUrl}/readyz`)).ok, 'face index ready');
const supplier: CreatedSupplierReply = (
  await call('POST', '/suppliers', { ...supplierExample, redirects: {}, sourceId: 'north' })
).body;
const audience = { countries: ['DE'], language: 'en', sample_size: 5 };
const field = (more: object) =>
  fieldStudy(call, creation(survey.url, { audience: { ...audience, ...more }, verification: { service_check: true } }));

async function show(person: Float32Array, of: object) {
  const session = await createSession(service, { widgetMode: 'standard', ...of });
  const measured = await measurePerson(faces, session, { person, seed: (seed += 1), random });
  return (await verify(service, session, measured)).body;
}
const linkIn = (location: string | null): string => /link_[0-9a-f]{32}/.exec(location ?? '')?.[0] ?? '';

t.test('a page that shows a face first keeps no respondent of a signed link out of a study', async (t) => {
  const study = await field({ suppliers: [supplier.supplierId] });
  const [victim, other] = [randomDirection(random), randomDirection(random)];
  t.match(await show(victim, { studyId: study.studyId }), { status: 'pass' }, 'anybody who knows the study');
  const enterSigned = async (rid: string) =>
    linkIn((await openEntry(await inviteOne(call, study, supplier.supplierId, { rid }))).location);
  t.match(await show(victim, { linkId: await enterSigned('r-1') }), { status: 'pass' });
  t.match(await show(victim, { linkId: await enterSigned('r-2') }), { status: 'fail', failureCategory: 'duplicate' });
  t.match(await show(other, { linkId: await enterSigned('r-3') }), { status: 'pass' });
});

t.test('the respondent of an open link is whom anybody writes, and proves no more than a page', async (t) => {
  const study = await field({});
  const victim = randomDirection(random);
  t.match(await show(victim, { studyId: study.studyId }), { status: 'pass' });
  const { location } = await enter(study, { rid: 'r-4', src: 'north' });
  t.match(await show(victim, { linkId: linkIn(location) }), { status: 'fail', failureCategory: 'duplicate' });
});

t.test('a strict study asks each respondent for the camera, and who had none tries again', async (t) => {
  const verification = { service_check: true, minimum_quality: 'strict' } as const;
  const study = await fieldStudy(call, creation(survey.url, { audience, verification }));
  const { location } = await enter(study, { rid: 'r-5', src: 'north' });
  const linkId = linkIn(location);
  const session = await createSession(service, { linkId, widgetMode: 'captcha' });
  t.match(session, { studyConfig: { minimumAssurance: 'biometric' }, challengeConfig: { count: 3 } });
  const failed = (await verify(service, session, { cameraFailureReason: 'NotReadableError' })).body;
  t.match(failed, { status: 'fail', failureCodes: ['camera_check_needed'] });
  const proof = { previousSessionId: session.sessionId, previousClientSecret: session.clientSecret };
  t.match(await show(randomDirection(random), { linkId, ...proof }), { status: 'pass', assuranceLevel: 'biometric' });
});

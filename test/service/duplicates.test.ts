/** Repeated participation: the table of docs/reference/duplicates.md, row by row, against a service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { deviceOnlyExample } from '../../src/contract/envelope-examples.js';
import type { VerifyReply } from '../../src/contract/score-envelope.js';
import type { TokenReply } from '../../src/contract/token.js';
import type { SessionReply } from '../../src/contract/session.js';
import { packageRoot } from '../../src/package-root.js';
import { createRandom } from '../../workers/seeded-random.js';
import { measurePerson, startFaceService } from '../helpers/face-sessions.js';
import { randomDirection } from '../helpers/faces.js';
import { automated, createSession, verify } from '../helpers/verifications.js';

t.setTimeout(240_000);
const faces = await startFaceService(t);
const { service, clock, organization } = faces;
const random = createRandom(31);
const dayMs = 86_400_000;
const week = { reEligibilityDays: 7 };
let count = 0;

/** Somebody who comes: with which respondentId, on which device, from which study. */
interface Visit {
  readonly respondentId?: string;
  readonly device: string;
  readonly studyId?: string;
  readonly dataCollector?: string;
  readonly face?: Float32Array;
  readonly fails?: true;
}

type By = 'page' | 'backend';

async function openProject(deduplication: object) {
  const made = await service.call('POST', '/projects', {
    body: { name: 'Duplicates', config: { allowedDomains: ['https://survey.example'], deduplication } },
    headers: organization,
  });
  t.equal(made.status, 201, JSON.stringify(made.body));
  const siteKey = (made.body as { projectId: string }).projectId;
  const create = async (by: By, body: object): Promise<SessionReply> => {
    if (by === 'page') return createSession(service, { siteKey, ...body });
    const answer = await service.call('POST', '/sessions', { body: { siteKey, ...body }, headers: organization });
    t.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  };
  const visit = async (by: By, { device, face, fails, ...named }: Visit): Promise<VerifyReply> => {
    const session = await create(by, named);
    const seed = (count += 1);
    const person = face === undefined ? {} : await measurePerson(faces, session, { person: face, seed, random });
    const ids = { token: `token of ${siteKey} ${device}`, kept: true };
    const failing = fails === true ? automated : { device: deviceOnlyExample.device };
    const envelope = { ...person, ...failing, device: { ...failing.device, ids } };
    const { status, body } = await verify(service, session, envelope);
    t.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return { siteKey, visit };
}

const ann = { respondentId: 'ann', device: 'laptop' };
const face = randomDirection(random);

/** The earlier participation, and the present one. */
interface Scene {
  readonly deduplication?: object;
  readonly before: Visit;
  readonly now: Visit;
  readonly afterDays?: number;
}

const scenes: Readonly<Record<string, Scene>> = {
  'The same respondent in the same browser: a reload, a second tab': { before: ann, now: ann },
  'The same respondent in a private window or another browser': { before: ann, now: { ...ann, device: 'private' } },
  'A returning panelist in a second study, `scope: project`': {
    before: { ...ann, studyId: 'one' },
    now: { ...ann, studyId: 'two' },
  },
  'The same, `scope: study`': {
    deduplication: { scope: 'study' },
    before: { ...ann, studyId: 'one' },
    now: { ...ann, studyId: 'two' },
  },
  'The same study again, `scope: study`': {
    deduplication: { scope: 'study' },
    before: { ...ann, studyId: 'one' },
    now: { ...ann, studyId: 'one' },
  },
  'The same respondent after `reEligibilityDays`': { deduplication: week, before: ann, now: ann, afterDays: 8 },
  'The same respondent who failed before': { before: { ...ann, fails: true }, now: ann },
  'A second member of the household, a shared computer': { before: ann, now: { ...ann, respondentId: 'bob' } },
  'The same, `device: fail`': {
    deduplication: { device: 'fail' },
    before: ann,
    now: { ...ann, respondentId: 'bob' },
  },
  'The same, both before the camera, faces compared, `device: fail`': {
    deduplication: { device: 'fail' },
    before: { ...ann, face },
    now: { ...ann, respondentId: 'bob', face: randomDirection(random) },
  },
  'The same, the first without the camera': {
    deduplication: { device: 'fail' },
    before: ann,
    now: { ...ann, respondentId: 'bob', face: randomDirection(random) },
  },
  'Another respondent on a phone of the same model': { before: ann, now: { respondentId: 'bob', device: 'other' } },
  'No respondent is named, the same browser': { before: { device: 'laptop' }, now: { device: 'laptop' } },
  'The same face under another respondentId on another device, faces compared': {
    before: { ...ann, face },
    now: { respondentId: 'bob', device: 'other', face },
  },
};

async function play(by: By, { deduplication = {}, before, now, afterDays = 0 }: Scene): Promise<string> {
  const { visit } = await openProject(deduplication);
  await visit(by, before);
  clock.aheadMs += afterDays * dayMs;
  const { verificationToken, ...reply } = await visit(by, now);
  const { status, failureCategory, duplicateMatch, priorParticipation, isDuplicate } = reply;
  const body = { token: verificationToken };
  const answer = await service.call('POST', '/token/verify', { body, headers: organization });
  t.match(answer.body, { success: true, status, failureCategory, isDuplicate });
  const { fraudSignals = [] } = answer.body as TokenReply;
  t.equal(duplicateMatch !== null, failureCategory === 'duplicate');
  t.equal(isDuplicate, duplicateMatch !== null || priorParticipation !== null);
  const notes = fraudSignals.map(({ type }) => type).filter((type) => type.endsWith('_seen'));
  if (status !== 'pass') return String(failureCategory);
  const rest = [
    ...(priorParticipation === null ? [] : ['`priorParticipation`']),
    ...notes.map((type) => `\`${type}\``),
  ];
  return ['pass', ...rest].join(', ');
}

const rows = readFileSync(join(packageRoot, 'docs', 'reference', 'duplicates.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, name]) => name !== undefined && name in scenes);

t.test('the table of outcomes has a row for every scene', (t) => {
  t.same(
    rows.map(([, name]) => name),
    Object.keys(scenes),
  );
  t.end();
});

for (const [, name = '', byPage, byBackend] of rows)
  t.test(name, async (t) => {
    const scene = scenes[name];
    if (scene === undefined) throw new Error(name);
    t.equal(await play('page', scene), byPage, 'the page names the respondent');
    t.equal(await play('backend', scene), byBackend, 'a backend names the respondent');
  });

t.test('a stranger who writes somebody’s respondentId uses up nobody’s participation', async (t) => {
  const { visit } = await openProject({});
  t.equal((await visit('page', { respondentId: 'ann', device: 'stranger' })).status, 'pass');
  t.equal((await visit('backend', ann)).status, 'pass');
  t.equal((await visit('page', { respondentId: 'ann', device: 'stranger' })).failureCategory, 'duplicate');
});

t.test('a hosted link vouches for the respondent that it names', async (t) => {
  const made = await service.call('POST', `/projects/${service.bootstrap.projectId}/links`, {
    body: { respondentId: 'linked' },
    headers: organization,
  });
  t.equal(made.status, 201, JSON.stringify(made.body));
  const { linkId } = made.body as { linkId: string };
  const visit = async (device: string) => {
    const session = await createSession(service, { linkId });
    const ids = { token: device, kept: true };
    return (await verify(service, session, { device: { ...deviceOnlyExample.device, ids } })).body;
  };
  t.equal((await visit('one')).status, 'pass');
  t.equal((await visit('two')).failureCategory, 'duplicate');
});

t.test('a shared link may pass each browser once, whatever the project does', async (t) => {
  const links = `/projects/${service.bootstrap.projectId}/links`;
  const openLink = async (body: object): Promise<string> =>
    (await service.call('POST', links, { body: { maxUses: 50, ...body }, headers: organization })).body['linkId'];
  const end = async (session: SessionReply, token: string, over: object = {}): Promise<string> => {
    const device = { ...deviceOnlyExample.device, ids: { token, kept: true } };
    const { body } = await verify(service, session, { ...over, device });
    return body.failureCategory ?? body.status;
  };
  const pass = async (linkId: string, token: string) => end(await createSession(service, { linkId }), token);
  const open = await openLink({});
  t.same([await pass(open, 'open'), await pass(open, 'open')], ['pass', 'pass']);
  const linkId = await openLink({ device: 'fail' });
  t.same(
    [await pass(linkId, '1st'), await pass(linkId, '1st'), await pass(linkId, '2nd')],
    ['pass', 'duplicate', 'pass'],
  );
  const failing = await createSession(service, { linkId });
  t.equal(await end(failing, '1st', { nonce: 'of another session' }), 'duplicate');
  const again = { previousSessionId: failing.sessionId, previousClientSecret: failing.clientSecret };
  t.equal(await end(await createSession(service, again), '1st'), 'duplicate', 'a retry, too');
  const read = async (id: string) => (await service.call('GET', `${links}/${id}`, { headers: organization })).body;
  t.match(
    [await read(linkId), await read(open)],
    [
      { uses: 2, device: 'fail' },
      { uses: 2, device: null },
    ],
  );
});

t.test('of sessions that one respondent completes at the same moment one passes', async (t) => {
  const { visit } = await openProject({});
  const all = await Promise.all(
    ['one', 'two', 'three', 'four'].map((device) => visit('backend', { respondentId: 'ann', device })),
  );
  t.same(all.map(({ status }) => status).sort(), ['fail', 'fail', 'fail', 'pass']);
});

t.test('erasing a respondent erases their participation', async (t) => {
  const { siteKey, visit } = await openProject({});
  await visit('backend', ann);
  t.equal((await visit('backend', ann)).failureCategory, 'duplicate');
  await service.call('DELETE', `/projects/${siteKey}/respondents/ann`, { headers: organization });
  t.equal((await visit('backend', ann)).status, 'pass');
});

t.test('of respondents who come at once on one device, `device: fail` takes one', async (t) => {
  const { visit } = await openProject({ device: 'fail' });
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const replies = await Promise.all(names.map((respondentId) => visit('page', { respondentId, device: 'shared' })));
  t.equal(replies.filter(({ status }) => status === 'pass').length, 1);
  t.equal(replies.filter(({ failureCategory }) => failureCategory === 'duplicate').length, 5);
});

t.test('a label that a page writes separates; a backend that names or checks the label is not misled', async (t) => {
  for (const label of ['studyId', 'dataCollector'] as const) {
    const { visit } = await openProject({ scope: 'study', perDataCollector: true });
    t.equal((await visit('page', { ...ann, [label]: 'north' })).status, 'pass');
    const { status, verificationToken: token } = await visit('page', { ...ann, [label]: 'invented' });
    t.equal(status, 'pass', 'as the threat model says');
    const checked = await service.call('POST', '/token/verify', {
      body: { token, [label]: 'north' },
      headers: organization,
    });
    t.match(checked.body, { success: false, error: 'EXPECTATION_FAILED', field: label });
    t.equal((await visit('backend', { ...ann, [label]: 'north' })).failureCategory, 'duplicate');
  }
});

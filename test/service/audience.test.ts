/** The audience API over HTTP: who may call, what is refused, and how respondents come, go, and come again. */
import t from 'tap';
import type { MintedKeyReply } from '../../src/contract/api-key.js';
import { configDefaults } from '../../src/contract/project.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import { issueDashboardToken } from '../../src/administration/dashboard-tokens.js';
import { loadMasterKey } from '../../src/crypto/master-key.js';
import {
  callerOf,
  creation,
  enter,
  fieldStudy,
  open,
  placeAt,
  returnUrl,
  startSurvey,
  takePart,
  titles,
} from '../helpers/fielding.js';
import { createPatch } from '../helpers/project-fields.js';
import { startTestService } from '../helpers/service.js';
import { automated, createSession, verify } from '../helpers/verifications.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn' });
const { audienceUrl, projectKey, organizationKey, projectId, organizationId, baseUrl } = service.bootstrap;
const call = callerOf(audienceUrl, projectKey);
const survey = await startSurvey(t, () => null);
const asked = (sampleSize: number, more: object = {}) =>
  creation(survey.url, { audience: { countries: ['DE'], language: 'en', sample_size: sampleSize, ...more } });
const read = async (study: StudyReply): Promise<StudyReply> => (await call('GET', `/studies/${study.studyId}`)).body;

t.test('the documented examples work, and a draft takes nobody', async (t) => {
  const document = (await (await fetch(`${audienceUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example?: unknown }> } }>>;
  };
  t.ok(document.paths['/studies/{studyId}/launch']);
  const example = document.paths['/studies']?.['post']?.requestBody?.content['application/json']?.example;
  const created = await call('POST', '/studies', example);
  t.equal(created.status, 201, created.text);
  const study = created.body as StudyReply;
  t.equal(study.status, 'draft');
  t.match(study, example, 'what was asked for is answered, field by field');
  const quality = { service_check: true, minimum_quality: 'standard' } as const;
  const checked = await call('POST', '/studies', { ...asked(7), verification: quality });
  t.match(checked.body, {
    survey_url: survey.url,
    audience: { countries: ['DE'], language: 'en', sample_size: 7 },
    verification: quality,
  });
  t.equal(study.projectId, projectId);
  t.equal((await enter(study, { rid: 'early', src: 's' })).title, 'Diese Studie ist nicht geöffnet');
  t.equal((await read(study)).progress.entered, 0);
  const again = await call('POST', `/studies/${study.studyId}/resume`);
  t.equal(again.status, 409);
  t.match(again.body, { code: 'CONFLICT', state: 'draft', possible: ['launch', 'cancel'] });
  t.equal((await fetch(`${audienceUrl}/docs`)).status, 200);
});

t.test('what is wrong with a study is named', async (t) => {
  const wrong = await call('POST', '/studies', {
    ...asked(10),
    survey_url: 'http://survey.example',
    audience: { countries: ['UK'], language: 'en', sample_size: 10 },
  });
  t.equal(wrong.status, 400);
  t.match(wrong.text, /did you mean \\"GB\\"/);
  t.match((await call('POST', '/studies', { ...asked(10), survey_url: 'http://survey.example' })).body, {
    code: 'VALIDATION_FAILED',
    issues: [{ path: '/survey_url' }],
  });
  t.equal((await call('POST', '/studies', asked(0))).status, 400);
  const nowhere = await fetch(`${audienceUrl}/nowhere`);
  t.match(await nowhere.text(), /See the operations at \/v1\/docs/, 'the page of this listener');
});

t.test('keys see what is theirs, and nobody else sees anything', async (t) => {
  const study = (await call('POST', '/studies', asked(3))).body as StudyReply;
  const token = await issueDashboardToken(loadMasterKey(service.dataDirectory), {
    organizationId,
    role: 'owner',
    lifetimeSeconds: 600,
  });
  const manage = async (path: string, body: object): Promise<never> =>
    (await service.call('POST', path, { body, headers: { authorization: `Bearer ${token}` } })).body;
  const other = (await manage('/projects', { name: 'Supplier' })) as { projectId: string };
  const supplier = ((await manage(`/projects/${other.projectId}/api-keys`, { name: 's' })) as MintedKeyReply).apiKey;
  const path = `/studies/${study.studyId}`;
  t.equal((await call('GET', path, undefined, '')).status, 401);
  t.equal((await call('GET', path, undefined, token)).status, 200, 'a person of the organization reads it');
  t.equal((await call('GET', path, undefined, supplier)).status, 404);
  t.equal((await call('POST', `${path}/launch`, undefined, supplier)).status, 404);
  t.equal((await call('GET', `${path}/export`, undefined, supplier)).status, 404);
  t.equal((await call('GET', path, undefined, organizationKey)).status, 200);
  await call('POST', `${path}/launch`);
  const supply = (await call('GET', '/supply/studies', undefined, supplier)).body as { studies: object[] };
  t.same(
    supply.studies.find((item) => (item as { studyId: string }).studyId === study.studyId),
    {
      studyId: study.studyId,
      countries: ['DE'],
      language: 'en',
      placesLeft: 3,
      entry: 'open',
      entryUrl: study.entryUrl,
    },
  );
  const byOrganization = (await call('POST', '/studies', { ...asked(3), projectId: other.projectId }, organizationKey))
    .body;
  t.equal((byOrganization as StudyReply).projectId, other.projectId);
  t.equal((await call('POST', '/studies', { ...asked(3), projectId: other.projectId })).status, 404);
  const demo = await service.call('POST', `/public/projects/${projectId}/demo-key`, { body: {}, headers: {} });
  t.equal(
    (await call('POST', '/studies', asked(3), (demo.body as { apiKey?: string }).apiKey ?? 'vf_none')).status,
    403,
  );
});

t.test('who comes back continues the same place; who has finished is told so', async (t) => {
  const study = await fieldStudy(call, asked(2));
  const first = await enter(study, { rid: 'one', src: 'a' });
  t.equal(first.status, 302);
  const again = await enter(study, { rid: 'one', src: 'a' });
  t.equal(again.location, first.location, 'the same token');
  t.equal((await enter(study, { rid: 'one', src: 'b' })).title, titles.declined, 'not by another name');
  t.match((await read(study)).progress, { entered: 1, places_left: 1 });
  t.equal((await open(returnUrl(first.location, 'complete'))).title, titles.thanks);
  t.equal((await open(returnUrl(first.location, 'complete'))).title, titles.thanks, 'and again');
  t.equal((await open(returnUrl(first.location, 'terminate'))).title, titles.thanks, 'the first answer stands');
  t.equal((await enter(study, { rid: 'one', src: 'a' })).title, titles.done);
  t.match((await read(study)).progress, { entered: 1, verified: 1, completed: 1, places_left: 1 });
});

t.test('terminate frees the place and its quota', async (t) => {
  const study = await fieldStudy(call, asked(5, { quotas: [{ name: 'men', gender: 'male', limit: 1 }] }));
  const man = { src: 'a', more: { gender: 'Male' } };
  const first = await enter(study, { rid: 'm1', ...man });
  t.equal((await enter(study, { rid: 'm2', ...man })).title, titles.full);
  t.equal((await enter(study, { rid: 'w1', src: 'a', more: { gender: 'female' } })).status, 302);
  t.equal((await open(returnUrl(first.location, 'terminate'))).title, titles.thanks);
  t.match((await read(study)).progress, { quotas: [{ name: 'men', limit: 1, held: 0, verified: 0 }] });
  t.equal((await enter(study, { rid: 'm2', ...man })).status, 302, 'who found it full finds room');
  t.equal((await read(study)).progress.screened_out, 0);
});

t.test('less than what was verified is a conflict, and less than what is held is no over-filling', async (t) => {
  const study = await fieldStudy(call, asked(3));
  const ways = await Promise.all(['x', 'y', 'z'].map((rid) => enter(study, { rid, src: 'a' })));
  await open(returnUrl(ways[0]?.location ?? null, 'complete'));
  await open(returnUrl(ways[1]?.location ?? null, 'complete'));
  const patch = (body: object) => call('PATCH', `/studies/${study.studyId}`, body);
  t.equal((await patch({ audience: { sample_size: 1 } })).status, 409);
  t.equal((await patch({ audience: { quotas: [{ name: 'all', limit: 1 }] } })).status, 409);
  t.match((await read(study)).audience, { sample_size: 3, quotas: [] }, 'nothing of it was kept');
  const changed = await patch({ name: 'Tea', audience: { sample_size: 2 } });
  t.match(changed.body, { name: 'Tea', progress: { sample_size: 2, verified: 2, places_left: 0 } });
  t.equal((await open(returnUrl(ways[2]?.location ?? null, 'complete'))).title, titles.full);
  t.equal((await read(study)).progress.completed, 2);
  t.equal((await patch({ name: null })).status, 400);
  for (const [path, body] of Object.entries({
    '/survey_url': { survey_url: 'https://other.example/s' },
    '/verification': { verification: { service_check: true } },
    '/audience/countries': { audience: { countries: ['FR'] } },
    '/status': { status: 'paused' },
    '/sample_size': { sample_size: 5 },
  }))
    t.match(await patch(body), { status: 400, body: { issues: [{ path }] } }, `${path} is not taken without effect`);
  t.match((await patch({ audience: { quotas: [{ name: 'all', limit: 2 }] } })).body, {
    progress: { quotas: [{ held: 2, verified: 2 }] },
  });
});

t.test('the codes that administrations use for Britain and Greece are read as their countries', async (t) => {
  const study = await fieldStudy(call, asked(5));
  for (const country of ['UK', 'el'])
    t.equal((await enter(study, { rid: country, src: 'a', more: { country } })).title, titles.declined, country);
  const british = await fieldStudy(call, asked(5, { countries: ['GB'] }));
  t.equal((await enter(british, { rid: 'b', src: 'a', more: { country: 'UK' } })).status, 302);
});

t.test('paused lets holders finish and nobody in; cancelled takes no return', async (t) => {
  const study = await fieldStudy(call, asked(3));
  const one = await enter(study, { rid: '1', src: 'a' });
  const two = await enter(study, { rid: '2', src: 'a' });
  await call('POST', `/studies/${study.studyId}/pause`);
  t.equal((await enter(study, { rid: '3', src: 'a' })).title, titles.closed);
  t.equal((await enter(study, { rid: '2', src: 'a' })).location, two.location);
  t.equal((await open(returnUrl(one.location, 'complete'))).title, titles.thanks);
  await call('POST', `/studies/${study.studyId}/cancel`);
  t.equal((await open(returnUrl(two.location, 'complete'))).title, titles.closed);
  t.equal((await read(study)).progress.completed, 1);
  t.equal((await call('PATCH', `/studies/${study.studyId}`, { name: 'x' })).status, 409);
});

t.test('a return that is forged, of another study or of nobody is refused kindly', async (t) => {
  const [mine, theirs] = [await fieldStudy(call, asked(2)), await fieldStudy(call, asked(2))];
  const way = await enter(mine, { rid: 'a', src: 's' });
  const token = new URL(way.location ?? '').searchParams.get('vh_token') ?? '';
  const [head = '', body = '', tail = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
  const write = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = [
    `${head}.${write({ ...claims, study_id: theirs.studyId })}.${tail}`,
    `${head}.${write({ ...claims, exp: 99_999_999_999 })}.${tail}`,
    `${write({ alg: 'none', typ: 'JWT' })}.${body}.`,
    `${write({ alg: 'HS256', typ: 'JWT', kid: 'x' })}.${body}.${tail}`,
    'a.b.c',
    '%00',
  ];
  for (const one of forged) {
    const page = await open(
      `${audienceUrl}/return?${new URLSearchParams({ vh_token: one, status: 'complete' }).toString()}`,
    );
    t.equal(page.status, 400);
    t.match(page.headers.get('content-type'), /^text\/html/);
  }
  for (const query of [
    '',
    `vh_token=${token}`,
    `vh_token=${token}&status=paid`,
    `vh_token=${token}&vh_token=x&status=complete`,
  ])
    t.equal((await open(`${audienceUrl}/return?${query}`)).title, titles.broken);
  t.equal((await read(mine)).progress.completed, 0);
  t.equal((await read(theirs)).progress.completed, 0);
});

t.test('nothing that a respondent puts into the link changes where it leads', async (t) => {
  const study = await fieldStudy(call, asked(20));
  const start = new URL(survey.url);
  for (const [n, more] of [
    { survey_url: 'https://evil.example/' },
    { vh_return: 'https://evil.example/' },
    { returnUrl: 'https://evil.example/' },
    { vh_token: 'x' },
  ].entries()) {
    const to = new URL((await enter(study, { rid: `h${n}`, src: 'a', more })).location ?? '');
    t.equal(to.origin + to.pathname, start.origin + start.pathname);
    t.equal(to.searchParams.get('vh_return'), `${audienceUrl}/return`);
    t.not(to.searchParams.get('vh_token'), 'x');
  }
  const feed = await enter(study, { rid: 'a\r\nlocation: https://evil.example/', src: 'a' });
  t.match([feed.status, feed.title], [400, titles.broken]);
  const rid = 'a location: https://evil.example/ <script>';
  const odd = await enter(study, { rid, src: '//evil.example' });
  t.equal(new URL(odd.location ?? '').origin, start.origin);
  t.notMatch((await enter(study, { rid, src: 'other' })).html, /script/);
  const preview = await fetch(`${study.entryUrl}?rid=head&src=a`, { method: 'HEAD' });
  t.not(preview.status, 302);
  for (const query of [
    '',
    '?rid=a',
    '?rid=&src=a',
    `?rid=${'x'.repeat(300)}&src=a`,
    '?rid=a&rid=b&src=c',
    '?rid=%00&src=a',
  ])
    t.equal((await open(study.entryUrl + query)).title, titles.broken, query);
  t.equal((await open(`${audienceUrl}/enter/study_${'0'.repeat(32)}?rid=a&src=b`)).title, titles.broken);
  t.equal((await open(`${audienceUrl}/verified/plc_${'0'.repeat(32)}`)).title, titles.broken);
});

t.test(
  'with service_check the way leads past the hosted page, and a place without its verdict stays before it',
  async (t) => {
    const study = await fieldStudy(call, { ...asked(2), verification: { service_check: true } });
    const respondent = { rid: 'v', src: 'a', cookie: `vh_device=${'1e'.repeat(16)}` };
    const first = await enter(study, respondent);
    t.match(first.location, new RegExp(`^${service.bootstrap.siteUrl}/v/link_`));
    t.equal((await enter(study, respondent)).location, first.location);
    const listed = await call('GET', `/studies/${study.studyId}/respondents?status=verifying`);
    const back = `${audienceUrl}/verified/${String(listed.body['respondents'][0]['sessionId'])}`;
    t.equal((await open(back, respondent)).location, first.location);
    t.equal((await fetch(first.location ?? '')).status, 200);
    t.match((await read(study)).progress, { entered: 1, verified: 0, places_left: 1 });
    const linkId = /link_[0-9a-f]{32}/.exec(first.location ?? '')?.[0] ?? '';
    const verified = await verify(service, await createSession(service, { linkId }));
    t.equal(verified.body.status, 'pass');
    t.equal((await open(back)).title, titles.elsewhere, 'another browser');
    const onward = await open(back, respondent);
    t.equal(new URL(onward.location ?? '').origin, new URL(survey.url).origin);
    t.match((await read(study)).progress, { verified: 1, completed: 0 });
    t.equal((await open(returnUrl(onward.location, 'terminate'))).title, titles.thanks);
    t.match((await read(study)).progress, { verified: 0, completed: 0, places_left: 2 });

    const failing = await enter(study, { rid: 'f', src: 'a', cookie: `vh_device=${'1f'.repeat(16)}` });
    const failedLink = /link_[0-9a-f]{32}/.exec(failing.location ?? '')?.[0] ?? '';
    const failedPlace = await call('GET', `/studies/${study.studyId}/respondents?status=verifying`);
    const failedBack = `${audienceUrl}/verified/${String(failedPlace.body['respondents'][0]['sessionId'])}`;
    const holder = { cookie: `vh_device=${'1f'.repeat(16)}` };
    for (let left: number = configDefaults.maxRetries; left >= 0; left--) {
      const failed = await verify(service, await createSession(service, { linkId: failedLink }), automated);
      t.equal(failed.body.status, 'fail');
      if (left === 0) continue;
      const again = [await enter(study, { rid: 'f', src: 'a', ...holder }), await open(failedBack, holder)];
      for (const { location } of again) t.equal(location, failing.location, `${left} retries are left`);
      t.match((await read(study)).progress, { screened_out: 0, places_left: 1 });
    }
    t.equal((await open(failedBack, holder)).title, titles.declined);
    t.equal((await enter(study, { rid: 'f', src: 'a', ...holder })).title, titles.declined);
    t.match((await read(study)).progress, { screened_out: 1, places_left: 2 });
  },
);

t.test(
  'a pass counts within the retries alone, whether or not the respondent came back after each failure',
  async (t) => {
    const study = await fieldStudy(call, { ...asked(2), verification: { service_check: true } });
    for (const [failures, isIn] of [
      [configDefaults.maxRetries, true],
      [configDefaults.maxRetries + 1, false],
    ] as const) {
      const respondent = { rid: `f-${failures}`, src: 'a', cookie: `vh_device=${`2${failures}`.repeat(16)}` };
      const way = await enter(study, respondent);
      const linkId = /link_[0-9a-f]{32}/.exec(way.location ?? '')?.[0] ?? '';
      for (let n = 0; n < failures; n++)
        t.equal((await verify(service, await createSession(service, { linkId }), automated)).body.status, 'fail');
      t.equal((await verify(service, await createSession(service, { linkId }))).body.status, 'pass');
      const next = await enter(study, respondent);
      t.equal(next.title === titles.declined, !isIn, `${failures} failures`);
      t.equal(next.location?.startsWith(new URL(survey.url).origin) ?? false, isIn);
    }
  },
);

t.test('a verification that a limit of score mode stops lets nobody into a study', async (t) => {
  const patch = createPatch(t, service);
  const study = await fieldStudy(call, { ...asked(2), verification: { service_check: true } });
  const respondent = { rid: 'stopped', src: 'a', cookie: `vh_device=${'3a'.repeat(16)}` };
  const way = await enter(study, respondent);
  const linkId = /link_[0-9a-f]{32}/.exec(way.location ?? '')?.[0] ?? '';
  await patch({ verificationMode: 'score', scoreModeConfig: { blockAboveRisk: 0 } });
  t.match((await verify(service, await createSession(service, { linkId }))).body, { status: 'pass' });
  t.equal((await enter(study, respondent)).title, titles.declined);
  t.match((await read(study)).progress, { screened_out: 1, verified: 0 });
  await patch({ verificationMode: null, scoreModeConfig: null });
});

t.test('an export holds no formula of a supplier’s', async (t) => {
  const study = await fieldStudy(call, asked(2));
  const way = await enter(study, { rid: '=HYPERLINK("https://evil.example")', src: '@SUM(A1)' });
  await open(returnUrl(way.location, 'complete'));
  const { text, headers } = await call('GET', `/studies/${study.studyId}/export`);
  t.match(headers.get('content-disposition'), /attachment; filename="study_[0-9a-f]{32}\.csv"/);
  t.match(text, /"'=HYPERLINK\(""https:\/\/evil\.example""\)",'@SUM\(A1\)/);
  for (const query of ['export?format=xls', 'export?formatt=csv', 'export?completion=reversed', 'report?By=day'])
    t.equal((await call('GET', `/studies/${study.studyId}/${query}`)).status, 400, query);
});

t.test('a complete is history of the respondent: the next study knows them', async (t) => {
  const study = await fieldStudy(call, asked(2));
  const place = placeAt((await enter(study, { rid: 'known', src: 'a' })).location);
  await call('POST', `/studies/${study.studyId}/returns`, { place, status: 'complete' });
  const accepted = async (): Promise<number> => {
    const text = await (await fetch(`${service.bootstrap.adminUrl}/metrics`)).text();
    return Number(/vh_outcome_events_total\{result="accepted"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  await waitUntil(async () => (await accepted()) > 0, 'the outcome is told');
  t.equal((await takePart(await fieldStudy(call, asked(2)), { rid: 'known', src: 'a' })).status, 200);
  t.equal((await fetch(`${baseUrl}/openapi.json`)).status, 200);
});

t.test('a respondent who is erased is named nowhere in the study, and counted all the same', async (t) => {
  const study = await fieldStudy(call, asked(2));
  const way = await enter(study, { rid: 'to be erased', src: 'a' });
  await open(returnUrl(way.location, 'complete'));
  const listed = async (): Promise<{ respondentId: string; token: string | null }[]> =>
    ((await call('GET', `/studies/${study.studyId}/respondents?token=on`)).body as { respondents: never }).respondents;
  t.match(await listed(), [{ respondentId: 'to be erased' }]);
  const answer = await service.call('DELETE', `/projects/${projectId}/respondents/to%20be%20erased`, {
    headers: { 'x-api-key': organizationKey },
  });
  t.equal(answer.status, 200);
  t.match(await listed(), [{ respondentId: 'erased', token: null }]);
  t.equal((await read(study)).progress.completed, 1);
  t.match(await open(returnUrl(way.location, 'complete')), { status: 410, title: titles.erased });
});

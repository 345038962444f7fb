/** Returns that cannot be forged, over HTTP: by the browser, by signature, by the survey's key; and the way back to the supplier. */
import { createHmac } from 'node:crypto';
import t from 'tap';
import type { StudyCreation } from '../../src/contract/study.js';
import type { CreatedStudyReply, RespondentReply } from '../../src/contract/study-replies.js';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import {
  callerOf,
  creation,
  enter,
  open,
  openEntry,
  placeAt,
  returnUrl,
  startSurvey,
  titles,
} from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';

t.setTimeout(120_000);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn' });
const { audienceUrl, organizationKey } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const survey = await startSurvey(t, () => null);
const field = async (over: Partial<StudyCreation> = {}): Promise<CreatedStudyReply> => {
  const study = (await call('POST', '/studies', creation(survey.url, over))).body as CreatedStudyReply;
  await call('POST', `/studies/${study.studyId}/launch`);
  return study;
};
const confirmed = { survey: { returns: 'confirmed', minimumSeconds: 0 } } as const;
const progressOf = async ({ studyId }: CreatedStudyReply) =>
  ((await call('GET', `/studies/${studyId}`)).body as CreatedStudyReply).progress;
const outcomes = async (): Promise<number> =>
  Number(
    /vh_outcome_events_total\{result="accepted"\} (\d+)/.exec(
      await (await fetch(`${service.bootstrap.adminUrl}/metrics`)).text(),
    )?.[1] ?? 0,
  );
const report = (study: CreatedStudyReply, place: string, status = 'complete', key = study.surveyKey, more = {}) =>
  call('POST', `/studies/${study.studyId}/returns`, { place, status, ...more }, key);
function signReturn(study: CreatedStudyReply, location: string | null, status: string, t: number): string {
  const lines = ['vh-return-1', study.studyId, placeAt(location), status, String(t)].join('\n');
  const sig = createHmac('sha256', study.surveyKey).update(lines).digest('base64url');
  return `${returnUrl(location, status)}&t=${t}&sig=${sig}`;
}
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

t.test('a complete that a browser claims holds its place, counts nothing and teaches nothing', async (t) => {
  const study = await field(confirmed);
  const { location } = await enter(study, { rid: 'claims', src: 'a' });
  t.equal((await open(returnUrl(location, 'complete'))).title, titles.thanks);
  t.match(await progressOf(study), { verified: 0, completed: 0, unconfirmed: 1, places_left: 4 });
  t.equal(await outcomes(), 0);
  const first = await report(study, placeAt(location));
  t.match([first.status, first.body], [200, { status: 'completed', completion: 'confirmed', changed: true }]);
  t.match((await report(study, placeAt(location))).body, { changed: false });
  t.match(await progressOf(study), { verified: 1, completed: 1, unconfirmed: 0 });
  t.equal(await outcomes(), 1);
});

t.test(
  'a complete in the first moments is too fast, until the owner accepts it; a retry of the owner’s does not',
  async (t) => {
    const study = await field({ survey: { returns: 'browser' } });
    const { location } = await enter(study, { rid: 'fast', src: 'a' });
    await open(returnUrl(location, 'complete'));
    t.match(await progressOf(study), { completed: 0, unconfirmed: 1 });
    t.match((await report(study, placeAt(location))).body, { completion: 'too_fast' });
    const listed = (await call('GET', `/studies/${study.studyId}/respondents`)).body as {
      respondents: readonly RespondentReply[];
    };
    t.match(listed.respondents, [{ completion: 'too_fast', seconds: 0, entry: 'open', returnedAt: /Z$/ }]);
    t.match((await report(study, placeAt(location), 'complete', organizationKey)).body, { completion: 'confirmed' });
    const early = placeAt((await enter(study, { rid: 'early', src: 'a', address: '91.20.8.1' })).location);
    const ahead = { at: new Date(Date.now() + 200_000).toISOString() };
    t.match((await report(study, early, 'complete', study.surveyKey, ahead)).body, { completion: 'too_fast' });
    const own = placeAt((await enter(study, { rid: 'own', src: 'a', address: '91.20.9.1' })).location);
    for (const changed of [true, false, false])
      t.match((await report(study, own, 'complete', organizationKey)).body, { completion: 'too_fast', changed });
    const accept = { ignoreMinimumSeconds: true };
    t.match(await report(study, own, 'complete', study.surveyKey, accept), {
      ...{ status: 400, body: { issues: [{ path: '/ignoreMinimumSeconds' }] } },
    });
    t.match(await report(study, own, 'complete', organizationKey, accept), {
      body: { completion: 'confirmed', changed: true },
    });
    t.match((await report(study, own, 'complete', organizationKey, accept)).body, { changed: false });
    t.match(await progressOf(study), { completed: 2, unconfirmed: 1 });
  },
);

t.test('a signed return is the survey’s word; one that is wrong changes nothing', async (t) => {
  const study = await field(confirmed);
  const { location } = await enter(study, { rid: 'signed', src: 'a' });
  const good = signReturn(study, location, 'complete', nowSeconds());
  for (const forged of [
    good.replace('status=complete', 'status=quality'),
    good.replace(/&t=\d+/, `&t=${nowSeconds() + 1}`),
    good.replace(/&sig=.*/, ''),
    good.replace(/&t=\d+/, ''),
    signReturn({ ...study, surveyKey: 'f'.repeat(64) }, location, 'complete', nowSeconds()),
    signReturn(study, location, 'complete', nowSeconds() + 3_600),
    signReturn(study, location, 'complete', nowSeconds() - 3_600),
  ])
    t.equal((await open(forged)).title, titles.broken, forged);
  t.match(await progressOf(study), { completed: 0, unconfirmed: 0 });
  t.equal((await open(good)).title, titles.thanks);
  t.match(await progressOf(study), { completed: 1, unconfirmed: 0 });
});

t.test(
  'a survey that repeats a complete for a full study reads the same, and is heard once there is room',
  async (t) => {
    const study = await field({ ...confirmed, audience: { countries: ['DE'], language: 'en', sample_size: 2 } });
    const resize = (size: number) => call('PATCH', `/studies/${study.studyId}`, { audience: { sample_size: size } });
    const [first, second] = [
      await enter(study, { rid: 'first', src: 'a', address: '91.20.7.1' }),
      await enter(study, { rid: 'second', src: 'a', address: '91.20.7.2' }),
    ].map(({ location }) => location);
    await report(study, placeAt(first ?? null));
    await resize(1);
    const signed = signReturn(study, second ?? null, 'complete', nowSeconds());
    const full = { status: 'terminated', completion: null };
    for (const changed of [true, false])
      t.match((await report(study, placeAt(second ?? null))).body, { ...full, changed });
    for (let times = 0; times < 2; times++) t.equal((await open(signed)).title, titles.full);
    await resize(2);
    t.match((await report(study, placeAt(second ?? null))).body, { completion: 'confirmed', changed: true });
    t.equal((await open(signed)).title, titles.thanks);
    t.match(await progressOf(study), { completed: 2 });
  },
);

t.test('a key of another study, a rotated one and places of others report nothing', async (t) => {
  const [study, other] = [await field(confirmed), await field(confirmed)];
  const { location } = await enter(study, { rid: 'keyed', src: 'a' });
  const place = placeAt(location);
  t.equal((await report(study, place, 'complete', other.surveyKey)).status, 401);
  t.equal((await report(study, place, 'complete', 'f'.repeat(64))).status, 401);
  t.equal((await report(other, place)).status, 404);
  t.equal((await report(study, place, 'paid')).status, 400);
  for (const [hours, message] of [
    [1, /^is in the future/],
    [-1, /^is before the survey began/],
  ] as const) {
    const at = new Date(Date.now() + hours * 3_600_000).toISOString();
    const refused = await report(study, place, 'complete', study.surveyKey, { at });
    t.match(refused, { status: 400, body: { code: 'VALIDATION_FAILED', issues: [{ path: '/at', message }] } });
  }
  const path = `/studies/${study.studyId}/survey-key/rotate`;
  t.equal((await call('POST', path, { overlapHour: 0 })).status, 400, 'it would keep the old one');
  const rotated = (await call('POST', path, { overlapHours: 0 })).body as { readonly surveyKey: string };
  t.equal((await report(study, place)).status, 401, 'the old key');
  t.match((await report(study, place, 'quality', rotated.surveyKey)).body, { status: 'terminated' });
  t.match(await progressOf(study), { completed: 0, verified: 0, places_left: 5 });
});

t.test('respondents go back to their supplier, with a signature that it checks', async (t) => {
  const at = 'https://panel.example/end?s={status}&id={rid}&p={place}&y={study}&sig={sig}';
  const supplier = (
    await call('POST', '/suppliers', {
      ...{ name: 'P', sourceId: 'back' },
      redirects: { complete: at, screened_out: at, full: at, finished: at },
    })
  ).body as CreatedSupplierReply;
  const study = await field({
    ...confirmed,
    audience: { countries: ['DE'], language: 'en', sample_size: 1, suppliers: [supplier.supplierId] },
  });
  const respondents = ['one', 'two', 'three'].map((rid) => ({ rid, ...(rid === 'three' ? { country: 'FR' } : {}) }));
  const invited = await call('POST', `/studies/${study.studyId}/invitations`, {
    ...{ supplierId: supplier.supplierId, respondents },
  });
  const [one = '', two = '', three = ''] = (
    invited.body as { invitations: readonly { readonly url: string }[] }
  ).invitations.map(({ url }) => url);
  const { location } = await openEntry(one);
  const ended = async (page: Promise<{ readonly location: string | null }>) => {
    const { searchParams, origin } = new URL((await page).location ?? 'https://none.example');
    const [status, rid, place, id] = ['s', 'id', 'p', 'y'].map((name) => searchParams.get(name) ?? '');
    const lines = ['vh-exit-1', id, place, rid, status].join('\n');
    const sig = createHmac('sha256', supplier.entrySecret).update(lines).digest('base64url');
    t.match([origin, id, searchParams.get('sig')], ['https://panel.example', study.studyId, sig]);
    return `${rid} ${status}`;
  };
  t.equal(await ended(openEntry(three)), 'three screened_out');
  t.equal(await ended(openEntry(two)), 'two full');
  t.equal((await open(returnUrl(location, 'complete'))).location, null, 'an unconfirmed complete is not paid for');
  await report(study, placeAt(location));
  t.equal(await ended(open(returnUrl(location, 'complete'))), 'one complete');
  t.equal(await ended(openEntry(one)), 'one finished');
});

/** One person, one place: attacks on an open entry link with invented respondents, over HTTP. */
import t from 'tap';
import { personDevice } from '../../src/contract/person-example.js';
import type { ProbeBody } from '../../src/contract/probe.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import {
  callerOf,
  creation,
  enter,
  fieldStudy,
  open,
  placeAt,
  returnUrl,
  startSurvey,
  titles,
  type Page,
  type Respondent,
} from '../helpers/fielding.js';
import { keepCookies, nextOf } from '../helpers/entry-probe.js';
import { writeSystems } from '../helpers/autonomous-systems.js';
import { startTestService } from '../helpers/service.js';

t.setTimeout(240_000);
const systems = writeSystems(t, {
  '91.0.0.0/8': 'home',
  '2003::/19': 'home',
  '80.10.0.0/16': 'carrier',
  '80.20.0.0/16': 'campus',
});
const service = await startTestService(t, {
  GEOIP_ASN_DB: systems,
  VH_TRUSTED_PROXIES: '127.0.0.1',
  VH_PUBLIC_PER_ADDRESS: '0',
  VH_LOG_LEVEL: 'warn',
});
const call = callerOf(service.bootstrap.audienceUrl, service.bootstrap.projectKey);
const survey = await startSurvey(t, () => null);
const asked = (sampleSize: number, more: object = {}) =>
  creation(survey.url, { audience: { countries: ['DE'], language: 'en', sample_size: sampleSize, ...more } });
const read = async ({ studyId }: StudyReply): Promise<StudyReply> => (await call('GET', `/studies/${studyId}`)).body;

/** The probe of one browser is the same each time: its token and its pictures. */
const oneBrowser = (n: number): Partial<ProbeBody> => ({
  ids: { token: `00000000000000a${n}`, kept: true },
  gfx: { ...personDevice.gfx, canvas: `0000a00${n}`, audio: 124.5 },
});

/** Invented respondents one after the other; answers the pages that led to the survey. */
async function invent(
  study: StudyReply,
  count: number,
  who: (n: number) => Partial<Respondent>,
): Promise<readonly Page[]> {
  const passed: Page[] = [];
  for (let n = 0; n < count; n++) {
    const page = await enter(study, { rid: `invented-${n}-${JSON.stringify(who(n))}`, src: 's', ...who(n) });
    if (page.location?.startsWith(survey.url.split('?')[0] ?? '') === true) passed.push(page);
    else t.ok([titles.declined, titles.full].includes(page.title), page.title);
  }
  return passed;
}

t.test('20 invented respondents from the address of a home take 3 places', async (t) => {
  const study = await fieldStudy(call, asked(20));
  const passed = await invent(study, 20, () => ({ address: '91.10.0.7' }));
  t.equal(passed.length, 3);
  t.match((await read(study)).progress, { places_left: 17, screened_out: 17 });
});

t.test('an address of which nothing is known takes a tenth of a study, and of a small one ten', async (t) => {
  const large = await fieldStudy(call, asked(120));
  t.equal((await invent(large, 14, () => ({ address: '193.0.2.7' }))).length, 12);
  const small = await fieldStudy(call, asked(70));
  t.equal((await invent(small, 12, () => ({ address: '193.0.3.7' }))).length, 10);
});

t.test('a header that hides the address takes a tenth of a study with all others that do', async (t) => {
  const study = await fieldStudy(call, asked(70));
  const hidden = (n: number) => ({ address: '91.40.0.7', forwarded: `for=198.51.100.${n}` });
  t.equal((await invent(study, 14, hidden)).length, 10);
  t.equal((await invent(study, 1, () => ({ address: '91.40.1.7' }))).length, 1, 'whoever hides nothing enters');
});

t.test('an address of a carrier or a campus has no limit', async (t) => {
  for (const address of ['80.10.0.7', '80.20.0.7']) {
    const study = await fieldStudy(call, asked(40));
    t.equal((await invent(study, 16, () => ({ address }))).length, 16, address);
  }
});

t.test('a browser that people share admits as many as perDevice says, and no browser that looks alike', async (t) => {
  for (const perDevice of [4, 8]) {
    const study = await fieldStudy(call, asked(40, { limits: { perDevice, perAddress: 100 } }));
    const cookie = `vh_device=${`a${perDevice}`.repeat(16)}`;
    const shared = (n: number) => ({
      rid: `shared-${perDevice}-${n}`,
      address: '91.80.0.1',
      cookie,
      probe: oneBrowser(perDevice),
    });
    t.equal((await invent(study, perDevice + 2, shared)).length, perDevice);
    const fresh = (n: number) => ({
      ...shared(n),
      rid: `fresh-${perDevice}-${n}`,
      cookie: `vh_device=${`b${n}`.repeat(16)}`,
    });
    t.equal((await invent(study, 4, fresh)).length, 0, 'the same browser without its cookie');
  }
});

t.test('6 respondents in one browser are one', async (t) => {
  const study = await fieldStudy(call, asked(6));
  const cookie = `vh_device=${'ab'.repeat(16)}`;
  t.equal((await invent(study, 6, (n) => ({ address: `91.20.${n}.1`, cookie }))).length, 1);
  t.equal((await read(study)).progress.places_left, 5);
});

t.test('12 respondents of one /48 take 6 places, and of one /64 take 3', async (t) => {
  const study = await fieldStudy(call, asked(60));
  t.equal((await invent(study, 12, (n) => ({ address: `2003:1:2:${n.toString(16)}::1` }))).length, 6);
  const other = await fieldStudy(call, asked(60));
  t.equal((await invent(other, 6, (n) => ({ address: `2003:1:3:1::${n.toString(16)}` }))).length, 3);
});

t.test('respondents with a bare HTTP library take no place', async (t) => {
  const study = await fieldStudy(call, asked(40));
  const agents = ['python-requests/2.32.3', 'curl/8.9.1', 'Go-http-client/2.0', 'okhttp/4.12.0'];
  const passed = await invent(study, 8, (n) => ({ address: `91.30.${n}.1`, agent: agents[n % 4] ?? '' }));
  t.equal(passed.length, 0);
  t.equal((await read(study)).progress.places_left, 40);
});

t.test('a browser’s user agent without a browser takes no place: no probe, or no cookie', async (t) => {
  const study = await fieldStudy(call, asked(40));
  const link = `${study.entryUrl}?rid=claims&src=s`;
  const cookie = `vh_device=${'ef'.repeat(16)}`;
  const page = await open(link, { cookie });
  t.equal(page.title, titles.checking, 'the page goes on by itself');
  const next = new URL(nextOf(page.html) ?? '', link).href;
  t.equal((await open(next)).title, titles.unchecked, 'without a cookie');
  const kept = { cookie: keepCookies(page.headers, cookie) };
  t.equal((await open(next, kept)).title, titles.unchecked, 'without a probe');
  t.match((await read(study)).progress, { places_left: 40, screened_out: 0 });
  t.equal((await enter(study, { rid: 'claims', src: 's', cookie })).status, 302, 'and a browser may still come');
});

t.test('two addresses that take places and leave them unused do not close a study of 30', async (t) => {
  const study = await fieldStudy(call, asked(30));
  t.equal((await invent(study, 12, (n) => ({ address: `91.40.0.${n % 2}` }))).length, 6);
  t.equal((await invent(study, 22, (n) => ({ address: `193.40.0.${n % 2}` }))).length, 20);
  t.equal((await read(study)).progress.places_left, 4);
});

t.test('who took a place and ended it has used it', async (t) => {
  const study = await fieldStudy(call, asked(30));
  const passed = await invent(study, 3, () => ({ address: '91.50.0.1' }));
  for (const page of passed) await open(returnUrl(page.location, 'terminate'), { address: '91.50.0.1' });
  t.match((await read(study)).progress, { places_left: 30 });
  t.same(await invent(study, 6, () => ({ address: '91.50.0.1', more: { age: '40' } })), []);
});

t.test('the owner sets the limits, and null goes back to the default', async (t) => {
  const study = await fieldStudy(call, asked(30, { limits: { perAddress: 1, perDevice: 2, heldPerSupplier: 4 } }));
  t.same(study.audience.limits, { perAddress: 1, perDevice: 2, heldPerSupplier: 4 });
  const cookie = `vh_device=${'cd'.repeat(16)}`;
  t.equal((await invent(study, 4, (n) => ({ address: `91.60.${n}.1`, cookie }))).length, 2);
  t.equal((await invent(study, 4, () => ({ address: '91.61.0.1' }))).length, 1);
  t.equal((await invent(study, 4, (n) => ({ address: `91.62.${n}.1` }))).length, 1, 'the supplier holds 4');
  t.same(await invent(study, 1, () => ({ address: '91.63.0.1', src: 'other' })), [], 'an invented source is no other');
  const patch = (limits: object | null) => call('PATCH', `/studies/${study.studyId}`, { audience: { limits } });
  t.match((await patch({ perAddress: null, heldPerSupplier: 9 })).body, {
    audience: { limits: { perAddress: undefined, perDevice: 2, heldPerSupplier: 9 } },
  });
  t.equal((await invent(study, 4, () => ({ address: '91.64.0.1' }))).length, 3);
  t.same(((await patch(null)).body as StudyReply).audience.limits, {});
});

t.test('a complete that nobody confirmed counts as held by its supplier, however soon it came', async (t) => {
  for (const minimumSeconds of [0, 3_600]) {
    const limits = { heldPerSupplier: 2 };
    const study = await fieldStudy(call, {
      ...asked(6, { limits }),
      survey: { returns: 'confirmed', minimumSeconds },
    });
    const takeNext = async (n: number): Promise<Page> => {
      const page = await enter(study, { rid: `hasty-${n}`, src: 's', address: `91.90.${n}.1` });
      if (page.location !== null) t.equal((await open(returnUrl(page.location, 'complete'))).title, titles.thanks);
      return page;
    };
    const pages = [await takeNext(1), await takeNext(2), await takeNext(3)];
    t.same(
      pages.map((page) => (page.location === null ? page.title : 'in')),
      ['in', 'in', titles.declined],
    );
    const place = placeAt(pages[0]?.location ?? null);
    const body = { place, status: 'complete', ignoreMinimumSeconds: true };
    t.match((await call('POST', `/studies/${study.studyId}/returns`, body)).body, { completion: 'confirmed' });
    t.ok((await takeNext(3)).location, 'a complete that counts is not held');
  }
});

t.test('a condition or limit with a misspelt name is refused with the nearest one', async (t) => {
  const create = (audience: object) => call('POST', '/studies', asked(5, audience));
  t.match(await create({ quotas: [{ name: 'men', gendre: 'male', limit: 1 }] }), {
    status: 400,
    body: { issues: [{ path: '/audience/quotas/0/gendre', message: /did you mean "gender"/ }] },
  });
  t.match(await create({ limits: { perAdress: 1 } }), {
    status: 400,
    body: { issues: [{ path: '/audience/limits/perAdress', message: /did you mean "perAddress"/ }] },
  });
  const study = await fieldStudy(call, asked(5));
  t.match(
    await call('PATCH', `/studies/${study.studyId}`, { audience: { quotas: [{ name: 'a', agemin: 3, limit: 1 }] } }),
    { status: 400, body: { issues: [{ message: /did you mean "ageMin"/ }] } },
  );
});

t.test('suppliers see the places that quotas leave', async (t) => {
  const supply = async ({ studyId }: StudyReply): Promise<number | undefined> =>
    (
      (await call('GET', '/supply/studies?limit=200')).body as { studies: { studyId: string; placesLeft: number }[] }
    ).studies.find((one) => one.studyId === studyId)?.placesLeft;
  const quotas = (...list: object[]) => asked(100, { quotas: list });
  const byGender = await fieldStudy(
    call,
    quotas({ name: 'w', gender: 'female', limit: 10 }, { name: 'm', gender: 'male', limit: 15 }),
  );
  t.equal(await supply(byGender), 25);
  await enter(byGender, { rid: 'w1', src: 's', address: '91.70.0.1', more: { gender: 'female' } });
  t.equal(await supply(byGender), 24);
  t.equal((await read(byGender)).progress.places_left, 24);
  t.equal(await supply(await fieldStudy(call, quotas({ name: 'all', limit: 7 }))), 7);
  t.equal(await supply(await fieldStudy(call, quotas({ name: 'de', country: 'DE', limit: 9 }))), 9);
  t.equal(await supply(await fieldStudy(call, quotas({ name: 'nurses', profession: 'nurse', limit: 9 }))), 100);
});

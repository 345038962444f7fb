/** The page where a supplier tries an entry link, over HTTP: what it says of a link, what it keeps from strangers, and that nobody enters. */
import { createHmac } from 'node:crypto';
import t from 'tap';
import { pageTexts } from '../../src/audience/page-texts.js';
import type { StudyCreation } from '../../src/contract/study.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import type { CreatedSupplierReply, LinkCheckReply } from '../../src/contract/supplier.js';
import {
  callerOf,
  creation,
  fieldStudy,
  open,
  openEntry,
  placeAt,
  startSurvey,
  titles,
  type Page,
} from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { createStandingClock } from '../helpers/standing-clock.js';

t.setTimeout(120_000);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn' });
const { audienceUrl, organizationKey } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const survey = await startSurvey(t, () => null);
const addressOf = (code: number): string => `https://panel.example.com/end?s=${code}&rid={rid}&p={place}&sig={sig}`;
const makeSupplier = async (sourceId: string): Promise<CreatedSupplierReply> =>
  (
    await call('POST', '/suppliers', {
      ...{ name: `The buyer’s note on ${sourceId}`, sourceId },
      redirects: { complete: addressOf(1), screened_out: addressOf(2), full: addressOf(3) },
    })
  ).body;
const north = await makeSupplier('north');
const south = await makeSupplier('south');
const field = (audience: Partial<StudyCreation['audience']> = {}): Promise<StudyReply> =>
  fieldStudy(
    call,
    creation(survey.url, {
      audience: { countries: ['DE'], language: 'de', sample_size: 5, suppliers: [north.supplierId], ...audience },
    }),
  );
const study = await field({ quotas: [{ name: 'women', gender: 'female', limit: 1 }] });
const soon = (): number => Math.floor(Date.now() / 1_000) + 600;

interface Signed {
  readonly of?: Pick<StudyReply, 'studyId' | 'entryUrl'>;
  readonly by?: CreatedSupplierReply;
  readonly exp?: number;
  readonly traits?: Readonly<Record<string, string>>;
}
/** The values of a link that suppliers sign like this, according to the documentation. */
function valuesOf(rid: string, { of = study, by = north, exp = soon(), traits = {} }: Signed = {}) {
  const given = ['country', 'age', 'gender', 'profession'].map((name) => traits[name] ?? '');
  const lines = ['vh-entry-1', of.studyId, rid, by.sourceId, String(exp), ...given];
  const sig = createHmac('sha256', by.entrySecret).update(lines.join('\n')).digest('base64url');
  return { rid, src: by.sourceId, exp: String(exp), ...traits, sig };
}
const linkOf = (rid: string, signed: Signed = {}): string =>
  `${(signed.of ?? study).entryUrl}?${new URLSearchParams(valuesOf(rid, signed)).toString()}`;
const tried = (values: Readonly<Record<string, string>>): Promise<Page> =>
  open(`${audienceUrl}/try?${new URLSearchParams(values).toString()}`);
const tryLink = (link: string): Promise<Page> => tried({ link });
/** Cuts the page down to its verdict on the link. */
const result = ({ html }: Page): string => /<section class="result".*?<\/section>/s.exec(html)?.[0] ?? '';
const progress = async (of = study) => ((await call('GET', `/studies/${of.studyId}`)).body as StudyReply).progress;

t.test('the page is a form without a script, under the policy of the other pages', async (t) => {
  const page = await tried({});
  t.match([page.status, page.title, result(page)], [200, 'Try an entry link', '']);
  t.match(page.headers.get('content-security-policy'), /default-src 'none'.*form-action 'self'/);
  t.notMatch(page.html, /<script/);
  t.equal(page.headers.get('cache-control'), 'no-store');
  t.equal((await fetch(`${audienceUrl}/pages/try.css`)).status, 200);
});

t.test('a right link is told apart from one that opens nothing now, and nobody enters', async (t) => {
  const said = async (rid: string, signed: Signed = {}) => result(await tryLink(linkOf(rid, signed)));
  const fits = await said('r-1', { traits: { country: 'DE', age: '34', gender: 'Female' } });
  for (const part of ['The link opens the study', `Coffee (${study.studyId})`, 'north', 'r-1', 'Takes respondents'])
    t.ok(fits.includes(part), part);
  t.match(fits, /country DE, gender female, age 34/);
  t.match(fits, /Left for this respondent/);
  t.match(await said('r-1', { exp: soon() - 601 }), /does not open the study now.*The link has expired/s);
  t.match(await said('r-1', { traits: { country: 'FR', age: 'old' } }), /not run in this country.*`age` is invalid/s);
  t.equal((await progress()).entered, 0);
  const woman = { traits: { gender: 'female' } };
  t.ok((await openEntry(linkOf('w-1', woman))).location?.startsWith(survey.url));
  t.match(await said('w-2', woman), /No place is left for this respondent/, 'the quota is full');
  t.match(await said('m-1', { traits: { gender: 'male' } }), /The link opens the study/);
  t.equal((await progress()).entered, 1, 'the one who entered');
  const held = await field({ limits: { heldPerSupplier: 1 } });
  t.ok((await openEntry(linkOf('h-1', { of: held }))).location?.startsWith(survey.url));
  t.match(await said('h-2', { of: held }), /No place is left/, 'the supplier holds as many as it may');
  await call('POST', `/studies/${held.studyId}/pause`);
  t.match(await said('h-2', { of: held }), /The study takes no respondents now/);
});

t.test('a respondent who has a place is told from a new one, and from one who has finished', async (t) => {
  const single = await field({ sample_size: 1 });
  const check = async (link: string) => (await call('POST', '/supply/links', { url: link })).body as LinkCheckReply;
  const codesOf = async (link: string) => (await check(link)).problems.map(({ code }) => code);
  const own = linkOf('own', { of: single });
  const expired = linkOf('own', { of: single, exp: soon() - 601 });
  const { location } = await openEntry(own);
  t.ok(location?.startsWith(survey.url));
  for (const link of [own, expired]) {
    t.match(result(await tryLink(link)), /The link opens the study.*Held by this respondent/s);
    t.match(await check(link), { ok: true, problems: [] });
  }
  t.match(result(await tryLink(linkOf('new', { of: single }))), /No place is left/);
  await call('POST', `/studies/${single.studyId}/pause`);
  t.match(result(await tryLink(own)), /The link opens the study/, 'whoever holds a place may finish');
  t.match(await codesOf(linkOf('new', { of: single })), ['study_not_open']);
  t.same(await codesOf(own), []);
  const returned = { place: placeAt(location), status: 'complete' };
  await call('POST', `/studies/${single.studyId}/returns`, returned);
  t.match(result(await tryLink(own)), /does not open the study now.*has already taken part/s);
  t.match(await check(own), { ok: false, problems: [{ code: 'respondent_finished' }] });
});

t.test('a parameter that stands twice is named, as no entry takes it', async (t) => {
  for (const name of ['rid', 'src', 'exp', 'sig', 'country', 'vh_checked']) {
    const once = `${linkOf('r-9', { traits: { country: 'DE' } })}&vh_checked=1`;
    const doubled = `${once}&${name}=other`;
    t.equal((await open(doubled)).title, pageTexts.de.broken[0]);
    t.match(result(await tryLink(doubled)), new RegExp(`not well formed.*\`${name}\` stands twice`, 's'));
    t.match((await call('POST', '/supply/links', { url: doubled })).body, {
      ok: false,
      problems: [{ code: 'value_repeated' }],
    });
  }
});

t.test('values that are typed are tried like the link', async (t) => {
  const values = valuesOf('r-2', { traits: { age: '34', gender: 'male' } });
  t.match(result(await tried({ study: study.studyId, ...values })), /The link opens the study.*age 34/s);
  t.match(result(await tried({ study: study.studyId, ...values, age: '35' })), /The signature does not fit/);
  t.match(result(await tried({ rid: 'r-2' })), /not well formed.*no `src`.*no `sig`.*exp has to be/s);
});

t.test('redirects show in full for a rid of no respondent, with the signature of the redirect', async (t) => {
  const page = result(await tryLink(linkOf('vh-try-1'))).replaceAll('&amp;', '&');
  const urls = [...page.matchAll(/https:\/\/panel\.example\.com\/end\?[^<]+/g)].map(([text]) => new URL(text));
  t.same(
    urls.map(({ searchParams }) => searchParams.get('s')),
    ['1', '3', '2', '2', '2'],
    'complete, full, screened out; quality and duplicate by default like screened out',
  );
  t.match(page, /Finished before<\/dt><dd>A page of the service/);
  const { searchParams } = urls[0] ?? new URL(audienceUrl);
  t.match([searchParams.get('rid'), searchParams.get('p')], ['vh-try-1', 'plc_try']);
  const lines = ['vh-exit-1', study.studyId, 'plc_try', 'vh-try-1', 'complete'].join('\n');
  t.equal(searchParams.get('sig'), createHmac('sha256', north.entrySecret).update(lines).digest('base64url'));
  const theirs = result(await tryLink(linkOf('r-3')));
  t.match(theirs, /Complete<\/dt><dd>An address at panel\.example\.com</);
  t.notMatch(theirs, /panel\.example\.com\/|[?&]s=1/, 'a respondent cannot read the address of a complete');
});

t.test('without the right signature all causes look alike', async (t) => {
  const unknown = { studyId: `study_${'0'.repeat(32)}`, entryUrl: `${audienceUrl}/enter/study_${'0'.repeat(32)}` };
  const stranger = { ...north, sourceId: 'nobody' };
  const open = await field({ suppliers: [] });
  const causes = {
    'a secret that is invented': linkOf('r-4', { by: { ...north, entrySecret: 'f'.repeat(64) } }),
    'the secret of another supplier': linkOf('r-4', { by: { ...north, entrySecret: south.entrySecret } }),
    'no such supplier': linkOf('r-4', { by: stranger }),
    'no such study': linkOf('r-4', { of: unknown }),
    'another rid': linkOf('r-4').replace('rid=r-4', 'rid=r-5'),
    'an open study': linkOf('r-4', { of: open, by: { ...north, entrySecret: 'f'.repeat(64) } }),
    'expired as well': linkOf('r-4', { exp: 1, by: stranger }),
  };
  const said = new Set<string>();
  for (const [name, link] of Object.entries(causes)) {
    const page = await tryLink(link);
    t.match([page.status, result(page)], [200, /The signature does not fit/], name);
    said.add(result(page));
  }
  t.equal(said.size, 1, 'the same text for all');
  t.match(result(await tryLink(linkOf('r-4', { by: south }))), /does not take your respondents/);
  const { html } = await tryLink(linkOf('r-4'));
  t.notMatch(html, /buyer’s note/, 'what the buyer noted of the supplier stays with the buyer');
  for (const { entrySecret } of [north, south]) t.notMatch(html, entrySecret);
});

t.test('what is typed comes back as text, and what is no link is named', async (t) => {
  const page = await tryLink('"><script>alert(1)</script>');
  t.notMatch(page.html, /<script>/);
  t.match(result(page), /not an entry link/);
  t.match(result(await tryLink(`${study.entryUrl}?rid=a%0Ab&src=north&exp=1&sig=x`)), /line feed/);
  const long = linkOf('r'.repeat(257));
  t.equal((await openEntry(long)).status, 400);
  t.match(result(await tryLink(long)), /`rid` is longer than 256 characters/);
  t.match((await call('POST', '/supply/links', { url: long })).body, {
    ...{ ok: false, problems: [{ code: 'value_too_long' }] },
  });
  t.match(await tried({ link: 'x'.repeat(4_097) }), { status: 400, title: titles.broken });
});

t.test('a rotated secret is named until its overlap ends', async (t) => {
  const link = linkOf('r-6', { of: await field({ suppliers: [south.supplierId] }), by: south });
  await call('POST', `/suppliers/${south.supplierId}/rotate-secret`, { overlapHours: 1 });
  t.match(result(await tryLink(link)), /Fits the replaced secret/);
  await call('POST', `/suppliers/${south.supplierId}/rotate-secret`, { overlapHours: 0 });
  t.match(result(await tryLink(link)), /The signature does not fit/);
});

t.test('an address that tries too often waits, as one that visits too often', async (t) => {
  const limited = await startTestService(
    t,
    { VH_LOG_LEVEL: 'warn', VH_PUBLIC_PER_ADDRESS: '2', VH_TRUSTED_PROXIES: '127.0.0.1' },
    createStandingClock(),
  );
  const statusesOf = async (path: string, times: number): Promise<readonly number[]> => {
    const statuses = [];
    for (let n = 0; n < times; n++)
      statuses.push((await open(limited.bootstrap.audienceUrl + path, { address: '91.0.0.1' })).status);
    return statuses;
  };
  t.same(new Set(await statusesOf('/try', 25)), new Set([200, 429]));
  t.ok((await statusesOf('/enter/x?rid=a&src=b', 3)).includes(429), 'one count for both');
});

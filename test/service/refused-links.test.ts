/** Links that open nothing, in the report of their study: over HTTP, by signed and open links. */
import t from 'tap';
import { supplierExample } from '../../src/audience/examples.js';
import type { StudyCreation } from '../../src/contract/study.js';
import type { StudyReply } from '../../src/contract/study-replies.js';
import type { StudyReport } from '../../src/contract/study-report.js';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import { signLink } from '../../src/audience/entry-links.js';
import { callerIdLengthMax } from '../../src/limits.js';
import { callerOf, creation, enter, fieldStudy, inviteOne, open, titles } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn' });
const call = callerOf(service.bootstrap.audienceUrl, service.bootstrap.organizationKey);
const makeSupplier = async (sourceId: string): Promise<CreatedSupplierReply> =>
  (await call('POST', '/suppliers', { ...supplierExample, redirects: {}, sourceId })).body;
const north = await makeSupplier('north');
const south = await makeSupplier('south');
const field = (audience: Partial<StudyCreation['audience']> = {}): Promise<StudyReply> =>
  fieldStudy(
    call,
    creation('https://survey.example.com/', {
      audience: { countries: ['DE'], language: 'en', sample_size: 20, suppliers: [north.supplierId], ...audience },
    }),
  );
const report = async ({ studyId }: StudyReply): Promise<StudyReport> =>
  (await call('GET', `/studies/${studyId}/report`)).body;
const countsOf = ({ refusedLinks }: StudyReport) =>
  Object.fromEntries(refusedLinks.map(({ sourceId, reason, visits }) => [`${sourceId} ${reason}`, visits]));

t.test('visits by invalid links are counted by supplier and reason, and take no place', async (t) => {
  const study = await field();
  const other = await field();
  const good = await inviteOne(call, study, north.supplierId, { rid: 'r' });
  const signed = (src: string, secret: string, exp: string) =>
    signLink(study.entryUrl, { studyId: study.studyId, rid: 'late', src, exp }, secret);
  const inTime = String(Math.floor(Date.now() / 1_000) + 600);
  const links = [
    ...[`${study.entryUrl}?rid=a&src=north`, `${study.entryUrl}?rid=b&src=north`],
    `${good.slice(0, -4)}AAAA`,
    good.replace(study.studyId, other.studyId),
    signed('north', north.entrySecret, '1'),
    signed('south', south.entrySecret, inTime),
    `${study.entryUrl}?rid=a&src=nobody&exp=${inTime}&sig=x`,
    `${study.entryUrl}?src=north&exp=${inTime}&sig=x`,
    `${study.entryUrl}?rid=&src=`,
  ];
  for (const url of links) {
    const { title } = await open(url);
    t.ok([titles.broken, titles.expired].includes(title), `${url}: ${title}`);
  }
  t.equal((await open(good)).title, titles.checking);
  await waitUntil(async () => (await report(other)).refusedLinks.length > 0, 'the counts are written');
  await waitUntil(async () => (await report(study)).refusedLinks.length >= 7, 'the counts are written');
  const shown = await report(study);
  t.same(countsOf(shown), {
    'north signature_missing': 2,
    'north signature_wrong': 1,
    'north expired': 1,
    'south supplier_not_in_study': 1,
    'null supplier_unknown': 1,
    'north value_missing': 1,
    'null value_missing': 1,
  });
  t.match(shown.refusedLinks[0], { supplierId: north.supplierId, name: north.name, visits: 2, lastAt: /^20/ });
  t.same(countsOf(await report(other)), { 'north signature_wrong': 1 });
  t.equal(shown.totals.entries, 1, 'of the good link');
});

t.test('links whose values no entry takes are counted, too', async (t) => {
  const study = await field();
  const good = await inviteOne(call, study, north.supplierId, { rid: 'r' });
  const long = 'x'.repeat(callerIdLengthMax + 1);
  const links = [
    `${good}&rid=again`,
    `${study.entryUrl}?rid=a&src=north&src=south`,
    `${study.entryUrl}?rid=${long}&src=north`,
    `${study.entryUrl}?rid=a&src=${long}`,
    `${study.entryUrl}?rid=a%00&src=north`,
    `${study.entryUrl}?rid=a&src=north%00`,
    `${study.entryUrl}?rid=a&src=north&other=%00`,
  ];
  for (const url of links) {
    const { title, status } = await open(url);
    t.same([title, status], [titles.broken, 400], url);
  }
  t.equal((await open(`${study.entryUrl.replace(study.studyId, 'std_none%00')}?rid=a&rid=b`)).title, titles.broken);
  await waitUntil(async () => (await report(study)).refusedLinks.length >= 6, 'the counts are written');
  t.same(countsOf(await report(study)), {
    'north value_repeated': 2,
    'north value_too_long': 1,
    'null value_too_long': 1,
    'north line_feed': 1,
    'null line_feed': 1,
    'north value_unreadable': 1,
  });
});

t.test('an expired link of a respondent who holds a place is not refused', async (t) => {
  const study = await field({ suppliers: [], entry: 'open' });
  await enter(study, { rid: 'r', src: 'anything' });
  t.same((await report(study)).refusedLinks, []);
});

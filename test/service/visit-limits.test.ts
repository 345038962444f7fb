/**
 * Limits of visits by address, over HTTP: what strangers at an address do, and what it costs everybody else there. The clock stands, so
 * that all visits fall into one minute.
 */
import { createHmac } from 'node:crypto';
import t from 'tap';
import { supplierExample } from '../../src/audience/examples.js';
import type { StudyCreation } from '../../src/contract/study.js';
import type { CreatedStudyReply, RespondentReply, StudyReply } from '../../src/contract/study-replies.js';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import {
  callerOf,
  creation,
  enter,
  inviteOne,
  open,
  openEntry,
  placeAt,
  returnUrl,
  startSurvey,
  titles,
} from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { createStandingClock } from '../helpers/standing-clock.js';

t.setTimeout(120_000);
// 20 visits a minute.
const perAddress = 2;
const visits = 10 * perAddress;
const clock = createStandingClock();
const service = await startTestService(
  t,
  { VH_TRUSTED_PROXIES: '127.0.0.1', VH_PUBLIC_PER_ADDRESS: String(perAddress), VH_LOG_LEVEL: 'warn' },
  clock,
);
const { audienceUrl, organizationKey } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const survey = await startSurvey(t, () => null);
const supplier = (await call('POST', '/suppliers', { ...supplierExample, redirects: {}, sourceId: 'north' }))
  .body as CreatedSupplierReply;
const limits = { perAddress: 50 };
const field = async (over: Partial<StudyCreation> = {}): Promise<CreatedStudyReply> => {
  const audience = { countries: ['DE'], language: 'en', sample_size: 60, limits };
  const made = (await call('POST', '/studies', creation(survey.url, { audience, ...over }))).body as CreatedStudyReply;
  await call('POST', `/studies/${made.studyId}/launch`);
  return made;
};
const linkOf = (study: StudyReply, rid: string): Promise<string> =>
  inviteOne(call, study, supplier.supplierId, { rid });
interface RespondentList {
  readonly respondents: readonly RespondentReply[];
}
const isIn = ({ location }: { readonly location: string | null }): boolean => location?.startsWith(survey.url) === true;

t.test('everybody of a class enters from one address', async (t) => {
  const study = await field();
  const address = '91.1.1.1';
  const people = Math.floor(visits / 3);
  for (let n = 0; n < people; n += 1) {
    const way = await enter(study, { rid: `pupil-${n}`, src: 'class', address });
    t.ok(isIn(way), `pupil ${n}: ${way.title}`);
    t.equal((await open(returnUrl(way.location, 'complete'), { address })).title, titles.thanks);
  }
});

t.test('strangers at an address use up no visit of signed links and of tokens', async (t) => {
  const study = await field();
  const address = '91.1.2.1';
  const ways = [
    await openEntry(await linkOf(study, 'signed-return'), { address }),
    await openEntry(await linkOf(study, 'browser-return'), { address }),
  ];
  t.ok(ways.every(isIn));
  let page = await open(`${audienceUrl}/enter/x?rid=1&src=1`, { address });
  for (let n = 0; n < visits + 5; n += 1) page = await open(`${audienceUrl}/enter/x?rid=1&src=1`, { address });
  t.match([page.status, page.title], [429, titles.later]);
  t.ok(page.headers.get('retry-after'));
  const probe = { method: 'POST', headers: { 'x-forwarded-for': address, 'content-type': 'text/plain' } };
  const send = () => fetch(`${audienceUrl}/enter/probe`, { ...probe, body: '{"projectKey":"pk_x"}' });
  for (let n = 0; n < visits; n += 1) await send();
  t.equal((await send()).status, 429);

  t.ok(isIn(await openEntry(await linkOf(study, 'late'), { address })), 'a signed link');
  const [first, second] = ways;
  const at = String(Math.floor(clock.now() / 1_000));
  const lines = ['vh-return-1', study.studyId, placeAt(first?.location ?? null), 'complete', at];
  const sig = createHmac('sha256', study.surveyKey).update(lines.join('\n')).digest('base64url');
  const signed = `${returnUrl(first?.location ?? null, 'complete')}&t=${at}&sig=${sig}`;
  t.equal((await open(signed, { address })).title, titles.thanks, 'a signed return');
  const own = returnUrl(second?.location ?? null, 'complete');
  t.equal((await open(own, { address })).title, titles.thanks, 'the browser’s return');

  const forged = (await linkOf(study, 'forged')).replace('rid=forged', 'rid=other');
  for (const url of [forged, `${study.entryUrl}?rid=new&src=a`, own.replace('vh_token=', 'vh_token=x')])
    t.equal((await open(url, { address })).status, 429, url);
  t.same(
    service.log.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
    [],
    'a visitor who has to wait is no fault of the service',
  );
});

t.test(
  'links of a respondent that are over, or of another study, use up no visit of the one that is good',
  async (t) => {
    const [study, other] = [await field(), await field()];
    const address = '91.1.4.1';
    const expired = String(Math.floor(clock.now() / 1_000) - 60);
    const lines = ['vh-entry-1', study.studyId, 'twice', supplier.sourceId, expired, '', '', '', ''].join('\n');
    const sig = createHmac('sha256', supplier.entrySecret).update(lines).digest('base64url');
    const values = { rid: 'twice', src: supplier.sourceId, exp: expired, sig };
    const over = `${study.entryUrl}?${new URLSearchParams(values).toString()}`;
    const elsewhere = await linkOf(other, 'twice');
    t.equal((await open(over, { address })).title, titles.expired);
    for (const url of [over, elsewhere]) {
      const statuses = new Set<number>();
      for (let n = 0; n < 70; n += 1) statuses.add((await open(url, { address })).status);
      t.ok(statuses.has(429), 'the stranger waits');
    }
    t.ok(isIn(await openEntry(await linkOf(study, 'twice'), { address: '91.1.4.2' })));
  },
);

t.test('who comes back from the verification does not wait for strangers at their address', async (t) => {
  const study = await field({ verification: { service_check: true } });
  const address = '91.1.5.1';
  const url = await linkOf(study, 'verifies');
  const own = { address, cookie: `vh_device=${'5e'.repeat(16)}` };
  const way = await openEntry(url, own);
  t.match(way.location, /\/v\/link_/);
  const { respondents } = (await call('GET', `/studies/${study.studyId}/respondents?status=all`))
    .body as RespondentList;
  const back = `${audienceUrl}/verified/${respondents[0]?.sessionId ?? ''}`;
  for (let n = 0; n < visits + 5; n += 1) await open(`${audienceUrl}/verified/plc_${'0'.repeat(32)}`, { address });
  t.equal((await open(`${audienceUrl}/verified/plc_${'0'.repeat(32)}`, { address })).status, 429);
  t.equal((await open(back, own)).location, way.location);
  const statusesOf = async (visit: Parameters<typeof open>[1]): Promise<readonly number[]> => {
    const statuses = new Set<number>();
    for (let n = 0; n < 70; n += 1) statuses.add((await open(back, visit)).status);
    return [...statuses];
  };
  t.same(await statusesOf({ address: '91.1.5.2' }), [200, 429], 'a stranger who knows the place gets nowhere');
  t.equal((await open(back, own)).status, 302, 'and uses up no visit of its person');
  t.same(await statusesOf(own), [302, 429], 'and a place has a limit of its own');
});

t.test('a signed link that is opened again and again has to wait, and the others of its address do not', async (t) => {
  const study = await field();
  const address = '91.1.3.1';
  const url = await linkOf(study, 'again');
  const statuses = new Set<number>();
  for (let n = 0; n < 70; n += 1) statuses.add((await open(url, { address })).status);
  t.same([...statuses], [200, 429]);
  t.ok(isIn(await openEntry(await linkOf(study, 'neighbour'), { address })));
});

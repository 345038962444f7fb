/** Entry by signed links over HTTP: who gets in, who does not, and what a supplier learns of a link that does not open. */
import { createHmac } from 'node:crypto';
import t from 'tap';
import { supplierExample } from '../../src/audience/examples.js';
import type { StudyCreation } from '../../src/contract/study.js';
import type { RespondentReply, StudyReply } from '../../src/contract/study-replies.js';
import type { StudyReport } from '../../src/contract/study-report.js';
import type { CreatedSupplierReply, InvitationsReply, LinkCheckReply } from '../../src/contract/supplier.js';
import {
  callerOf,
  creation,
  enter,
  fieldStudy,
  open,
  openEntry,
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

const makeSupplier = async (sourceId: string): Promise<CreatedSupplierReply> =>
  (await call('POST', '/suppliers', { ...supplierExample, redirects: {}, sourceId })).body;
const north = await makeSupplier('north');
const south = await makeSupplier('south');
const field = (audience: Partial<StudyCreation['audience']> = {}): Promise<StudyReply> =>
  fieldStudy(
    call,
    creation(survey.url, {
      audience: {
        ...{ countries: ['DE'], language: 'en', sample_size: 20, suppliers: [north.supplierId, south.supplierId] },
        ...audience,
      },
    }),
  );
const invite = async (study: StudyReply, by: CreatedSupplierReply, respondents: readonly object[]) => {
  const body = { supplierId: by.supplierId, respondents };
  return (await call('POST', `/studies/${study.studyId}/invitations`, body)).body as InvitationsReply;
};
const linkOf = async (study: StudyReply, by: CreatedSupplierReply, rid: string): Promise<string> =>
  (await invite(study, by, [{ rid }])).invitations[0]?.url ?? '';
const isIn = ({ location }: { readonly location: string | null }): boolean => location?.startsWith(survey.url) === true;
/** Suppliers sign like this, according to the documentation. */
function signByHand(study: StudyReply, rid: string, secret: string, expSeconds: number): string {
  const lines = ['vh-entry-1', study.studyId, rid, 'north', String(expSeconds), 'DE', '', '', ''];
  const sig = createHmac('sha256', secret).update(lines.join('\n')).digest('base64url');
  const query = new URLSearchParams({ rid, src: 'north', exp: String(expSeconds), country: 'DE', sig });
  return `${study.entryUrl}?${query.toString()}`;
}
const soon = (): number => Math.floor(Date.now() / 1_000) + 600;
const respondents = async (study: StudyReply): Promise<readonly RespondentReply[]> =>
  ((await call('GET', `/studies/${study.studyId}/respondents?status=in_survey`)).body as { respondents: never })
    .respondents;

t.test('an invitation opens a signed study, and its targets count in the quotas', async (t) => {
  const study = await field({ quotas: [{ name: 'women', gender: 'Female', ageMax: 39, limit: 1 }] });
  const { invitations, expiresAt } = await invite(study, north, [
    { rid: 'w1', gender: 'female', age: 34, country: 'DE' },
    { rid: 'w2', gender: 'female', age: 38, country: 'DE' },
    { rid: 'm1', gender: 'male', age: 38, country: 'DE' },
    { rid: 'f1', country: 'FR' },
  ]);
  t.ok(Date.parse(expiresAt) > Date.now() + 13 * 86_400_000);
  const pages = [];
  for (const [n, { url }] of invitations.entries()) pages.push(await openEntry(url, { address: `203.0.113.${n + 1}` }));
  t.same(
    pages.map((page) => (isIn(page) ? 'in' : page.title)),
    ['in', titles.full, 'in', titles.declined],
  );
  t.match(await respondents(study), [{ respondentId: 'm1', entry: 'signed' }, { respondentId: 'w1' }]);
  const many = Array.from({ length: 1_001 }, (_, n) => ({ rid: `r${n}` }));
  const path = `/studies/${study.studyId}/invitations`;
  t.equal((await call('POST', path, { supplierId: north.supplierId, respondents: many })).status, 400);
  const thousand = await call('POST', path, { supplierId: north.supplierId, respondents: many.slice(1) });
  t.equal((thousand.body as InvitationsReply).invitations.length, 1_000);
  t.equal((await call('POST', path, { supplierId: 'sup_none', respondents: [{ rid: 'a' }] })).status, 404);
});

t.test('in a signed study nobody takes a rid or goes on with an interview without its link', async (t) => {
  const study = await field();
  const mine = await openEntry(await linkOf(study, north, 'mine'));
  t.ok(isIn(mine));
  const strangers = {
    'rid and src': await enter(study, { rid: 'mine', src: 'north' }),
    'an invented rid': await enter(study, { rid: 'invented', src: 'north' }),
    'an invented signature': await enter(study, { rid: 'mine', src: 'north', more: { exp: `${soon()}`, sig: 'x' } }),
    'another secret': await openEntry(signByHand(study, 'mine', south.entrySecret, soon())),
  };
  for (const [name, page] of Object.entries(strangers)) {
    t.match([page.status, page.location, page.title], [400, null, titles.broken], name);
    t.notMatch(page.html, /signature|sig|supplier/i, `${name}: the page gives no reason`);
  }
  t.equal((await call('GET', `/studies/${study.studyId}`)).body['progress']['entered'], 1, 'nobody else is counted');
  t.ok(isIn(await openEntry(await linkOf(study, north, 'mine'))), 'the holder goes on');
  t.ok(
    isIn(await openEntry(await linkOf(study, south, 'mine'))),
    'another supplier’s rid of the same text is another person',
  );
});

t.test(
  'an open study marks who is unproven, and an unsigned rid does not stand in the way of the signed one',
  async (t) => {
    const study = await field({ suppliers: [] });
    t.ok(isIn(await enter(study, { rid: 'taken', src: 'north' })));
    t.ok(isIn(await openEntry(await linkOf(study, north, 'taken'))));
    const found = await respondents(study);
    t.same(found.map(({ respondentId, entry }) => `${respondentId} ${entry}`).sort(), ['taken open', 'taken signed']);
  },
);

t.test('an unsigned link uses up no supplier’s limit, and proves no rid to it', async (t) => {
  const address = 'https://panel.example.com/end?s={status}&rid={rid}&study={study}&place={place}&sig={sig}';
  const redirects = { complete: address, finished: address };
  const marked = (await call('POST', '/suppliers', { ...supplierExample, redirects, sourceId: 'marked' }))
    .body as CreatedSupplierReply;
  const isProven = ({ searchParams: values }: URL, purpose: string): boolean => {
    const lines = [purpose, ...['study', 'place', 'rid', 's'].map((name) => values.get(name) ?? '')];
    return values.get('sig') === createHmac('sha256', marked.entrySecret).update(lines.join('\n')).digest('base64url');
  };
  for (const suppliers of [[], [marked.supplierId]]) {
    const audience = { countries: ['DE'], language: 'en', sample_size: 20, limits: { heldPerSupplier: 1 } };
    const study = await fieldStudy(call, {
      ...creation(survey.url, { audience: { ...audience, suppliers, entry: 'open' } }),
      survey: { returns: 'browser', minimumSeconds: 0 },
    });
    const unsigned = await enter(study, { rid: 'invented', src: 'marked' });
    t.ok(isIn(unsigned));
    t.equal((await enter(study, { rid: 'invented-2', src: 'marked' })).title, titles.declined, 'unsigned ones count');
    const signed = await openEntry(await linkOf(study, marked, 'real'));
    t.ok(isIn(signed), 'apart from signed ones');
    const proven = new URL((await open(returnUrl(signed.location, 'complete'))).location ?? '');
    t.ok(isProven(proven, 'vh-exit-1'));
    const unproven = await open(returnUrl(unsigned.location, 'complete'));
    const again = await enter(study, { rid: 'invented', src: 'marked' });
    const { rows } = (await call('GET', `/studies/${study.studyId}/report?by=supplier`)).body as StudyReport;
    const counted = rows.map(({ supplierId, entries }) => [supplierId, entries]);
    if (suppliers.length === 0) {
      t.same([unproven.title, again.title], [titles.thanks, titles.done], 'it is no supplier’s');
      t.same(counted, [
        [null, 2],
        [marked.supplierId, 1],
      ]);
      continue;
    }
    t.same(counted, [[marked.supplierId, 3]]);
    for (const { location } of [unproven, again]) {
      t.notOk(isProven(new URL(location ?? ''), 'vh-exit-1'), 'its redirect is not that of a proven rid');
      t.ok(isProven(new URL(location ?? ''), 'vh-exit-open-1'));
    }
  }
});

t.test('a link signed by hand opens until it expires; who holds a place goes on afterwards', async (t) => {
  const study = await field();
  t.ok(isIn(await openEntry(signByHand(study, 'hand', north.entrySecret, soon()))));
  const past = soon() - 601;
  const late = await openEntry(signByHand(study, 'late', north.entrySecret, past));
  t.match([late.status, late.title], [400, titles.expired]);
  t.ok(isIn(await openEntry(signByHand(study, 'hand', north.entrySecret, past))));
});

t.test('a link that is opened before it expires and not followed is that of a new respondent', async (t) => {
  const study = await field({ sample_size: 1 });
  const past = soon() - 601;
  t.equal((await open(signByHand(study, 'opened', north.entrySecret, soon()))).title, titles.checking);
  t.equal((await openEntry(signByHand(study, 'opened', north.entrySecret, past))).title, titles.expired);
  t.ok(isIn(await openEntry(signByHand(study, 'first', north.entrySecret, soon()))));
  t.equal((await openEntry(signByHand(study, 'second', north.entrySecret, soon()))).title, titles.full);
  t.equal((await openEntry(signByHand(study, 'second', north.entrySecret, past))).title, titles.expired);
});

t.test('respondents go on with new links after their supplier’s sourceId changed', async (t) => {
  const east = await makeSupplier('east');
  const study = await field({ suppliers: [east.supplierId], limits: { heldPerSupplier: 1 } });
  const old = await linkOf(study, east, 'mine');
  t.ok(isIn(await openEntry(old)));
  t.equal((await call('PATCH', `/suppliers/${east.supplierId}`, { sourceId: 'east-2' })).status, 200);
  t.ok(isIn(await openEntry(await linkOf(study, east, 'mine'))));
  t.equal((await openEntry(old)).title, titles.broken, 'links with the old one end');
  t.equal((await respondents(study)).length, 1);
});

t.test('a value with a question mark opens as it is, also after the check of the browser', async (t) => {
  const study = await field();
  const link = (await linkOf(study, north, 'what?')).replace('what%3F', 'what?');
  t.match((await call('POST', '/supply/links', { url: link })).body, { ok: true });
  t.ok(isIn(await openEntry(link)));
});

t.test('a replaced secret opens links during its overlap, and none after a leak', async (t) => {
  const west = await makeSupplier('west');
  const study = await field({ suppliers: [west.supplierId] });
  const [first, second] = [await linkOf(study, west, 'one'), await linkOf(study, west, 'two')];
  const path = `/suppliers/${west.supplierId}/rotate-secret`;
  await call('POST', path, { overlapHours: 1 });
  t.ok(isIn(await openEntry(first)));
  t.match((await call('POST', '/supply/links', { url: second })).body, { ok: true, signedWith: 'previous' });
  await call('POST', path, { overlapHours: 0 });
  t.equal((await openEntry(second)).title, titles.broken);
  t.ok(isIn(await openEntry(await linkOf(study, west, 'three'))));
});

t.test('a tried link names all that is wrong with it, to a key and not to a respondent', async (t) => {
  const study = await field();
  const check = async (url: string): Promise<LinkCheckReply> => (await call('POST', '/supply/links', { url })).body;
  const good = await linkOf(study, north, 'tried');
  t.match(await check(good), { ok: true, entry: 'signed', signedWith: 'current', problems: [] });
  const forged = await check(good.replace('rid=tried', 'rid=other'));
  t.match(forged, { ok: false, problems: [{ code: 'signature_wrong' }] });
  t.match(forged.signedText, new RegExp(`^vh-entry-1\n${study.studyId}\nother\nnorth\n\\d+\n\n\n\n$`));
  const codes = async (url: string) => (await check(url)).problems.map(({ code }) => code);
  t.same(await codes(`${study.entryUrl}?src=nobody&age=old&country=FR`), [
    ...['value_missing', 'supplier_unknown', 'signature_missing', 'value_unreadable', 'country_not_in_study'],
  ]);
  t.same(await codes(`${audienceUrl}/enter/study_${'0'.repeat(32)}?rid=a&src=b`), ['study_unknown']);
  t.same(await codes('https://elsewhere.example/'), ['not_an_entry_link']);
  await call('POST', `/studies/${study.studyId}/pause`);
  t.same(await codes(good), ['study_not_open']);
  t.equal((await call('GET', `/studies/${study.studyId}`)).body['progress']['entered'], 0, 'nobody entered');
});

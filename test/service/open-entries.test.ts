/** Open links over HTTP: whoever knows a rid sees its page, and can neither speak for the respondent's browser nor use up the place. */
import t from 'tap';
import type { LinkCheckReply } from '../../src/contract/supplier.js';
import type { RespondentReply, StudyReply } from '../../src/contract/study-replies.js';
import { keepCookies, nextOf, readAttribute, sendEntryProbe } from '../helpers/entry-probe.js';
import { callerOf, creation, desktopAgent, enter, fieldStudy, open, startSurvey, titles } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn', VH_TRUSTED_PROXIES: '127.0.0.1' });
const { audienceUrl, organizationKey, projectId, projectKey } = service.bootstrap;
const call = callerOf(audienceUrl, projectKey);
const survey = await startSurvey(t, () => null);
const audience = { countries: ['DE'], language: 'en', sample_size: 50 };
const field = (): Promise<StudyReply> => fieldStudy(call, creation(survey.url, { audience }));
const linkOf = ({ entryUrl }: StudyReply, rid: string, src = 's'): string => `${entryUrl}?rid=${rid}&src=${src}`;
const cookieOf = (headers: Headers): string => headers.get('set-cookie')?.split(';')[0] ?? '';

let addresses = 0;
const address = (): string => `91.80.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`;
const isIn = ({ location }: { readonly location: string | null }): boolean => location?.startsWith(survey.url) === true;
const driven = { auto: { webdriver: true, globals: [], debugStack: false, debugGetter: false } };
const respondentsOf = async ({ studyId }: StudyReply): Promise<readonly RespondentReply[]> =>
  (
    (await call('GET', `/studies/${studyId}/respondents?status=all`)).body as {
      respondents: readonly RespondentReply[];
    }
  ).respondents;

/** A stranger with the link: opens it, and sends the probe of a program. */
async function interfere(url: string, agent = desktopAgent): Promise<string> {
  const page = await open(url, { address: address() });
  const sent = await sendEntryProbe(page.html, { agent, address: address(), seed: `stranger ${url}`, over: driven });
  t.equal(sent.status, 202, 'the page of the stranger takes its own probe');
  return readAttribute(page.html, 'session-id');
}

t.test('the probe of another browser does not count for a respondent, before or after their own', async (t) => {
  const study = await field();
  for (const agent of [desktopAgent, 'python-requests/2.32.3']) {
    await interfere(linkOf(study, agent.slice(0, 6)), agent);
    t.ok(isIn(await enter(study, { rid: agent.slice(0, 6), src: 's', address: address() })), `before: ${agent}`);
  }
  const url = linkOf(study, 'late');
  const own = await open(url, { address: '91.81.0.1' });
  await sendEntryProbe(own.html, { agent: desktopAgent, address: '91.81.0.1', seed: 'late' });
  const strange = await interfere(url);
  t.not(strange, readAttribute(own.html, 'session-id'));
  const next = new URL(nextOf(own.html) ?? '', url).href;
  t.ok(isIn(await open(next, { address: '91.81.0.1', cookie: keepCookies(own.headers) })), 'after');
});

t.test('a browser reads one session id however often it opens the link', async (t) => {
  const url = linkOf(await field(), 'again');
  const first = await open(url);
  const cookie = cookieOf(first.headers);
  await open(url);
  t.equal(readAttribute((await open(url, { cookie })).html, 'session-id'), readAttribute(first.html, 'session-id'));
});

t.test('a program that was screened out leaves the place to the respondent, and gets no second look', async (t) => {
  const study = await field();
  const squatters = {
    program: { probe: driven },
    declared: { agent: 'python-requests/2.32.3' },
    'another source': { probe: driven, src: 'elsewhere' },
    'never checked': null,
  };
  for (const [rid, squatter] of Object.entries(squatters)) {
    const src = squatter !== null && 'src' in squatter ? squatter.src : 's';
    let cookie = cookieOf((await open(linkOf(study, rid, src))).headers);
    if (squatter !== null) {
      const given = { rid, address: address(), cookie, ...squatter, src };
      t.equal((await enter(study, given)).title, titles.declined, rid);
      t.equal((await enter(study, given)).title, titles.declined, `${rid} again`);
    }
    cookie = cookieOf((await open(linkOf(study, rid))).headers);
    t.ok(isIn(await enter(study, { rid, src: 's', address: address(), cookie })), `the respondent after: ${rid}`);
  }
  const found = await respondentsOf(study);
  const program = found.filter(({ respondentId }) => respondentId === 'program');
  t.same(program.map(({ status }) => status).sort(), ['in_survey', 'screened_out'], 'both entries are in the list');
  t.match((await call('GET', `/studies/${study.studyId}`)).body, { progress: { screenOutReason: { gate: 3 } } });
});

t.test('a check of a link says what the respondent reads who has come by another source', async (t) => {
  const study = await field();
  t.ok(isIn(await enter(study, { rid: 'taken', src: 'first', address: address() })));
  const codesOf = async (src: string): Promise<readonly string[]> => {
    const checked = (await call('POST', '/supply/links', { url: linkOf(study, 'taken', src) })).body as LinkCheckReply;
    t.equal(checked.ok, checked.problems.length === 0);
    return checked.problems.map(({ code }) => code);
  };
  t.equal((await open(linkOf(study, 'taken', 'second'))).title, titles.declined);
  t.same(await codesOf('second'), ['respondent_of_other_source']);
  t.same(await codesOf('first'), []);
});

t.test('an erasure finds the places of every browser that named the respondent', async (t) => {
  const study = await field();
  const url = linkOf(study, 'forget me');
  t.equal(
    (await enter(study, { rid: 'forget me', src: 's', address: address(), probe: driven })).title,
    titles.declined,
  );
  const cookie = cookieOf((await open(url)).headers);
  t.ok(isIn(await enter(study, { rid: 'forget me', src: 's', address: address(), cookie })));
  const readAll = async (): Promise<readonly number[]> =>
    Promise.all(receipts.map(async (id) => (await service.call('GET', `/lite/score/${id ?? ''}/evidence`)).status));
  const receipts = (await respondentsOf(study)).map(({ receiptId }) => receiptId);
  await waitUntil(async () => (await readAll()).every((status) => status === 200), 'both receipts are there');
  const listed = async (): Promise<number> =>
    ((await service.call('GET', `/lite/sessions?studyId=${study.studyId}`)).body as { sessions: unknown[] }).sessions
      .length;
  await waitUntil(async () => (await listed()) === 2, 'both receipts are recorded');
  await service.call('DELETE', `/projects/${projectId}/respondents/forget%20me`, {
    headers: { 'x-api-key': organizationKey },
  });
  await waitUntil(async () => (await readAll()).every((status) => status === 404), 'the receipts are gone');
  t.same(
    (await respondentsOf(study)).map(({ respondentId }) => respondentId),
    ['erased', 'erased'],
  );
});

t.test('a respondent who was screened out is refused in the same browser, and limits hold in another', async (t) => {
  const study = await field();
  const abroad = { rid: 'moves', src: 's', address: address(), more: { country: 'FR' } };
  t.equal((await enter(study, abroad)).title, titles.declined);
  const device = 'vh_device=' + 'cd34'.repeat(8);
  t.ok(isIn(await enter(study, { rid: 'moves', src: 's', address: address(), cookie: device })));
  t.equal((await enter(study, { rid: 'second', src: 's', address: address(), cookie: device })).title, titles.declined);
});

t.test('a respondent of a study is found by the exact rid, together with the other filters', async (t) => {
  const [study, other] = [await field(), await field()];
  for (const rid of ['find-me', 'find-me-too']) await enter(study, { rid, src: 's', address: address() });
  await enter(other, { rid: 'find-me', src: 's', address: address() });
  const found = async (query: string): Promise<readonly string[]> =>
    (
      (await call('GET', `/studies/${study.studyId}/respondents?${query}`)).body as {
        respondents: readonly RespondentReply[];
      }
    ).respondents.map(({ respondentId, status }) => `${respondentId} ${status}`);
  t.same(await found('status=all&rid=find-me'), ['find-me in_survey']);
  t.same(await found('status=in_survey&rid=find-me-too&limit=1'), ['find-me-too in_survey']);
  t.same(await found('status=screened_out&rid=find-me'), []);
  t.same(await found('status=all&rid=FIND-ME'), []);
  const sessionId =
    (await respondentsOf(study)).find(({ respondentId }) => respondentId === 'find-me')?.sessionId ?? '';
  t.same(await found(`status=all&sessionId=${sessionId}`), ['find-me in_survey'], 'by the session');
  t.same(await found(`status=all&sessionId=${sessionId}&rid=find-me-too`), []);
});

/** Programs at the gate of a study, what lists and exports say of them, and who reads why. */
import t from 'tap';
import type { RespondentReply } from '../../src/contract/study-replies.js';
import {
  callerOf,
  creation,
  desktopAgent,
  enter,
  fieldStudy,
  startSurvey,
  titles,
  type Respondent,
} from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';

t.setTimeout(120_000);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn', VH_TRUSTED_PROXIES: '127.0.0.1' });
const { audienceUrl, baseUrl, organizationKey, projectKey, projectId } = service.bootstrap;
const call = callerOf(audienceUrl, projectKey);
const survey = await startSurvey(t, () => null);
const study = await fieldStudy(call, creation(survey.url));
const respondents = async (query = ''): Promise<readonly RespondentReply[]> =>
  (
    (await call('GET', `/studies/${study.studyId}/respondents?status=all${query}`)).body as {
      respondents: readonly RespondentReply[];
    }
  ).respondents;

const auto = { webdriver: false, globals: [], debugStack: false, debugGetter: false };
const programs: Readonly<Record<string, Partial<Respondent>>> = {
  webdriver: { probe: { auto: { ...auto, webdriver: true } } },
  automation_globals: { probe: { auto: { ...auto, globals: ['__playwright__binding__'] } } },
  headless_user_agent: { agent: desktopAgent.replace('Chrome/', 'HeadlessChrome/') },
  declared_bot: { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
};

t.test('who declares a program, or is one with certainty, takes no place of a standard study', async (t) => {
  let n = 0;
  for (const [reason, program] of Object.entries(programs)) {
    const page = await enter(study, { rid: reason, src: 's', address: `91.70.${n++}.1`, ...program });
    t.equal(page.title, titles.declined, reason);
  }
  for (const visitAgent of ['curl/8.5.0', 'python-requests/2.32.3', 'Mozilla/5.0 (compatible; GPTBot/1.2)']) {
    const page = await enter(study, { rid: visitAgent, src: 's', address: `91.70.${n++}.1`, visitAgent });
    t.equal(page.title, titles.declined, `${visitAgent}, with a browser’s probe`);
  }
  const person = await enter(study, { rid: 'person', src: 's', address: '91.71.0.1' });
  t.ok(person.location?.startsWith(survey.url.split('?')[0] ?? ''), 'and a person does');
  const inApp = {
    rid: 'in app',
    src: 's',
    address: '91.71.0.2',
    agent: `${desktopAgent} News/3 (+https://panel.example)`,
  };
  t.ok((await enter(study, inApp)).location, 'and one in the browser of an app');
  t.match((await call('GET', `/studies/${study.studyId}`)).body, { progress: { screenOutReason: { gate: 7 } } });
});

t.test('respondents and export say what the gate found, and the token only if asked', async (t) => {
  const all = await respondents();
  for (const respondent of all.filter(({ status }) => status === 'screened_out')) {
    const isInProbe = respondent.respondentId in programs;
    t.match(respondent, { screenOutReason: 'quality', screenOutRule: 'program' });
    t.equal(respondent.reason, isInProbe ? respondent.respondentId : 'declared_bot');
    if (isInProbe) t.ok(respondent.score > 0 && respondent.recommendation !== 'allow', respondent.respondentId);
  }
  t.match(
    all.find(({ respondentId }) => respondentId === 'person'),
    { recommendation: 'allow', screenOutRule: null, token: undefined },
  );
  t.ok((await respondents('&token=on')).some(({ token }) => typeof token === 'string'));
  for (const [query, isThere] of [
    ['', false],
    ['&token=on', true],
  ] as const) {
    const { text } = await call('GET', `/studies/${study.studyId}/export?status=all${query}`);
    t.equal(text.split('\r\n')[0]?.split(',').includes('token'), isThere);
    t.equal(/eyJ/.test(text), isThere, query);
  }
});

t.test('every key that lists the study reads the evidence of its receipts, and no other does', async (t) => {
  const receiptId = (await respondents()).find(({ respondentId }) => respondentId === 'webdriver')?.receiptId ?? '';
  const makeKey = async (body: object): Promise<string> => {
    const made = await service.call('POST', `/projects/${projectId}/api-keys`, {
      headers: { 'x-api-key': organizationKey },
      body,
    });
    return (made.body as { apiKey: string }).apiKey;
  };
  const read = async (apiKey: string): Promise<number> =>
    (await fetch(`${baseUrl}/lite/score/${receiptId}/evidence`, { headers: { 'x-api-key': apiKey } })).status;
  const own = await makeKey({ name: 'own', scopes: ['audience:write', 'lite:read'] });
  t.equal(await read(own), 200);
  t.equal(await read(projectKey), 200, 'the key that created the study');
  t.equal(await read(await makeKey({ name: 'blind', scopes: ['lite:read'] })), 404, 'lists no studies');
  t.equal(await read(await makeKey({ name: 'test', isTest: true })), 404, 'lists studies of test mode');
});

/** Returns of browser, survey and owner over HTTP, in every order: the end is the same while the place is there. */
import t from 'tap';
import type { StudyCreation } from '../../src/contract/study.js';
import type { CreatedStudyReply, RespondentReply } from '../../src/contract/study-replies.js';
import { callerOf, creation, enter, open, placeAt, returnUrl, startSurvey } from '../helpers/fielding.js';
import { startTestService } from '../helpers/service.js';
import { createSession, verify } from '../helpers/verifications.js';

t.setTimeout(180_000);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn', VH_TRUSTED_PROXIES: '127.0.0.1' });
const { audienceUrl, organizationKey } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const survey = await startSurvey(t, () => null);

const field = async (sampleSize: number, over: Partial<StudyCreation> = {}): Promise<CreatedStudyReply> => {
  const audience = { countries: ['DE'], language: 'en', sample_size: sampleSize };
  const study = (await call('POST', '/studies', creation(survey.url, { audience, ...over }))).body as CreatedStudyReply;
  await call('POST', `/studies/${study.studyId}/launch`);
  return study;
};
const progressOf = async ({ studyId }: CreatedStudyReply) =>
  ((await call('GET', `/studies/${studyId}`)).body as CreatedStudyReply).progress;
const respondentsOf = async ({ studyId }: CreatedStudyReply) =>
  ((await call('GET', `/studies/${studyId}/respondents?status=all`)).body as { respondents: RespondentReply[] })
    .respondents;

let visitors = 0;
/** Each respondent has an address of their own. */
const arrive = (study: CreatedStudyReply, rid: string) =>
  enter(study, { rid, src: 'a', address: `91.20.${Math.floor(++visitors / 250)}.${(visitors % 250) + 1}` });

type Source = 'browser' | 'survey' | 'owner';
async function send(study: CreatedStudyReply, location: string | null, by: Source, status: string): Promise<void> {
  if (by === 'browser') return void (await open(returnUrl(location, status), { address: `91.21.0.${++visitors}` }));
  const key = by === 'survey' ? study.surveyKey : organizationKey;
  const { status: code, text } = await call(
    'POST',
    `/studies/${study.studyId}/returns`,
    { place: placeAt(location), status },
    key,
  );
  if (code !== 200) throw new Error(text);
}

const orders = [
  ['browser', 'survey', 'owner'],
  ['browser', 'owner', 'survey'],
  ['survey', 'browser', 'owner'],
  ['survey', 'owner', 'browser'],
  ['owner', 'browser', 'survey'],
  ['owner', 'survey', 'browser'],
] as const;
const cases = [
  { name: 'confirmed', says: { browser: 'terminate', survey: 'complete' }, ends: ['completed', 'confirmed', null] },
  {
    name: 'accepted',
    says: { browser: 'complete', survey: 'quality', owner: 'complete' },
    ends: ['completed', 'confirmed', null],
  },
  {
    name: 'refused',
    says: { browser: 'complete', survey: 'complete', owner: 'terminate' },
    ends: ['terminated', null, 'fit'],
  },
] as const;

for (const action of ['fielding', 'pause', 'close'] as const)
  for (const returns of ['confirmed', 'browser'] as const)
    t.test(`any order of returns has one end: ${action}, returns ${returns}`, async (t) => {
      const study = await field(50, { survey: { returns, minimumSeconds: 0 } });
      const ways = [];
      for (const { name, says, ends } of cases)
        for (const order of orders)
          ways.push({ rid: `${name}: ${order.join()}`, order, ends, says: says as Partial<Record<Source, string>> });
      const entered = [];
      for (const way of ways) entered.push({ ...way, location: (await arrive(study, way.rid)).location });
      if (action !== 'fielding') await call('POST', `/studies/${study.studyId}/${action}`);
      for (const { order, says, location } of entered)
        for (const by of order) if (says[by] !== undefined) await send(study, location, by, says[by]);
      const found = await respondentsOf(study);
      for (const { rid, ends } of ways) {
        const { status, completion, refusedFor } = found.find(({ respondentId }) => respondentId === rid) ?? {};
        // A complete that was reported is reversed; nothing of it counts.
        t.same([status, completion === 'reversed' ? null : completion, refusedFor], ends, rid);
      }
      t.match(await progressOf(study), { completed: 12, unconfirmed: 0 });
    });

t.test('a place that was given away is no complete, and the reply says that nothing changed', async (t) => {
  const study = await field(1, { survey: { returns: 'browser', minimumSeconds: 0 } });
  const { location } = await arrive(study, 'first');
  await open(returnUrl(location, 'terminate'));
  t.equal((await arrive(study, 'second')).status, 302, 'the browser’s word frees the place where it counts');
  const place = placeAt(location);
  for (const key of [study.surveyKey, organizationKey])
    t.match((await call('POST', `/studies/${study.studyId}/returns`, { place, status: 'complete' }, key)).body, {
      ...{ status: 'terminated', completion: null, changed: false },
    });
  t.match(await progressOf(study), { completed: 0, places_left: 0 });
});

t.test('who passed the verification stays verified when the browser returns', async (t) => {
  const study = await field(2, {
    verification: { service_check: true },
    survey: { returns: 'confirmed', minimumSeconds: 0 },
  });
  const places: string[] = [];
  for (const rid of ['one', 'two']) {
    const linkId = /link_[0-9a-f]{32}/.exec((await arrive(study, rid)).location ?? '')?.[0] ?? '';
    await verify(service, await createSession(service, { linkId }));
    const { location } = await arrive(study, rid);
    places.push(placeAt(location));
    await open(returnUrl(location, 'complete'), { address: `91.21.1.${++visitors}` });
  }
  t.match(await progressOf(study), { verified: 2, completed: 0, unconfirmed: 2 });
  const smaller = { audience: { sample_size: 1 } };
  t.match(await call('PATCH', `/studies/${study.studyId}`, smaller), { status: 409, body: { verified: 2 } });
  for (const place of places)
    t.match(
      (await call('POST', `/studies/${study.studyId}/returns`, { place, status: 'complete' }, study.surveyKey)).body,
      { completion: 'confirmed' },
    );
  t.match(await progressOf(study), { verified: 2, completed: 2, unconfirmed: 0, places_left: 0 });
});

/** Returns of several sources, and rejections before, between and after them, over HTTP: the supplier's status, the counts and the end of a place. */
import t from 'tap';
import type { StudyCreation } from '../../src/contract/study.js';
import type { CreatedStudyReply, RespondentReply } from '../../src/contract/study-replies.js';
import type { CreatedSupplierReply } from '../../src/contract/supplier.js';
import {
  callerOf,
  creation,
  inviteOne,
  open,
  openEntry,
  placeAt,
  returnUrl,
  startSurvey,
} from '../helpers/fielding.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(180_000);
const receiver = await startReceiver(t);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn', VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { audienceUrl, baseUrl, organizationKey, projectKey } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const api = callerOf(baseUrl, projectKey);
const survey = await startSurvey(t, () => null);
const postbackUrl = `${receiver.url}/pb?place={place}&status={status}`;
const redirects = { complete: 'https://panel.example/done?place={place}' };
const { supplierId } = (await call('POST', '/suppliers', { name: 'P', sourceId: 'p', postbackUrl, redirects }))
  .body as CreatedSupplierReply;

const field = async (over: StudyCreation['survey'] = {}): Promise<CreatedStudyReply> => {
  const asked = creation(survey.url, {
    audience: {
      ...{ countries: ['DE'], language: 'en', sample_size: 20, suppliers: [supplierId] },
      limits: { perAddress: 100 },
    },
    survey: { returns: 'browser', minimumSeconds: 0, ...over },
  });
  const study = (await call('POST', '/studies', asked)).body as CreatedStudyReply;
  await call('POST', `/studies/${study.studyId}/launch`);
  return study;
};
const interview = async (study: CreatedStudyReply, rid: string): Promise<string | null> =>
  (await openEntry(await inviteOne(call, study, supplierId, { rid, country: 'DE' }))).location;
const report = async (study: CreatedStudyReply, place: string, status: string, more: object = {}, isOwner = false) =>
  (
    await call(
      'POST',
      `/studies/${study.studyId}/returns`,
      { place, status, ...more },
      isOwner ? organizationKey : study.surveyKey,
    )
  ).body as object;
const respondentOf = async ({ studyId }: CreatedStudyReply, place: string): Promise<RespondentReply | undefined> =>
  (
    (await call('GET', `/studies/${studyId}/respondents?status=all`)).body as {
      respondents: readonly RespondentReply[];
    }
  ).respondents.find(({ sessionId }) => sessionId === place);
const sentOf = (place: string): readonly string[] =>
  receiver.received.flatMap(({ path }) => (path.includes(place) ? [/status=(\w+)/.exec(path)?.[1] ?? ''] : []));
const rejection = (place: string) => ({
  ...{ sessionId: place, type: 'buyer_reject', occurredAt: '2026-06-01T12:00:00Z', reasonClass: 'fraud' },
});
const reject = (place: string) => api('POST', '/lite/events', { events: [rejection(place)] });
const retract = (place: string) => {
  const of = { type: 'buyer_reject', occurredAt: rejection(place).occurredAt };
  const event = { sessionId: place, type: 'custom', occurredAt: '2026-06-02T12:00:00Z' };
  return api('POST', '/lite/events', { events: [{ ...event, detail: { name: 'retraction', of } }] });
};

t.test('a complete that was sent to the supplier and no longer counts is sent as reversed', async (t) => {
  const study = await field({ minimumSeconds: 1 });
  for (const [rid, status, completion] of [
    ['early', 'complete', 'too_fast'],
    ['refused', 'quality', null],
  ] as const) {
    const location = await interview(study, rid);
    const place = placeAt(location);
    const enteredAt = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await open(returnUrl(location, 'complete'));
    await waitUntil(() => sentOf(place).includes('complete'), 'the complete was posted back');
    t.match(await report(study, place, status, { at: enteredAt }), { completion, changed: true });
    await waitUntil(() => sentOf(place).length === 2, 'its loss was posted back');
    t.match(await report(study, place, 'complete', { ignoreMinimumSeconds: true }, true), { completion: 'confirmed' });
    await waitUntil(() => sentOf(place).length === 3, 'the confirmation was posted back');
    t.same(sentOf(place), ['complete', 'reversed', 'complete']);
  }
});

t.test('an outcome event that came before the complete rejects it, whoever reports the complete', async (t) => {
  for (const returns of ['browser', 'confirmed'] as const) {
    const study = await field({ returns });
    const location = await interview(study, returns);
    const place = placeAt(location);
    t.equal((await reject(place)).status, 200);
    const { location: next } = await open(returnUrl(location, 'complete'));
    t.equal(next, null, 'the supplier’s address for completes is not for this one');
    t.match(await respondentOf(study, place), { completion: 'reversed', refusedFor: 'fraud' });
    t.equal((await retract(place)).status, 200);
    t.match(await respondentOf(study, place), { completion: 'unconfirmed', refusedFor: null });
    t.match((await call('GET', `/studies/${study.studyId}`)).body, {
      progress: { completed: returns === 'browser' ? 1 : 0, reversed: 0 },
    });
  }
});

t.test('a stronger return during a rejection is what its withdrawal restores', async (t) => {
  const study = await field();
  const ways = [
    ['complete', { status: 'completed', completion: 'confirmed', refusedFor: null }],
    ['terminate', { status: 'terminated', completion: null, refusedFor: 'fit' }],
    ['quality', { status: 'terminated', completion: null, refusedFor: 'quality' }],
  ] as const;
  for (const [status, end] of ways)
    for (const by of ['event', 'dispute'] as const) {
      const location = await interview(study, `${by} ${status}`);
      const place = placeAt(location);
      await open(returnUrl(location, 'complete'));
      if (by === 'event') await reject(place);
      else await call('POST', `/studies/${study.studyId}/disputes`, { rows: [{ place, reason: 'fraud' }] });
      t.match(await report(study, place, status), { completion: 'reversed', changed: true });
      t.match(await report(study, place, status), { completion: 'reversed', changed: false }, 'again');
      t.match(
        await respondentOf(study, place),
        { completion: 'reversed', refusedFor: 'fraud' },
        'the rejection stands',
      );
      if (by === 'event') await retract(place);
      else t.match((await call('DELETE', `/studies/${study.studyId}/disputes/${place}`)).body, { changed: true });
      t.match(await respondentOf(study, place), end, `${by} ${status}`);
      const { outcomes } = (await api('GET', `/lite/sessions/${place}`)).body as {
        outcomes: readonly { type: string }[];
      };
      const told = { complete: 'complete', terminate: 'dq', quality: 'quality_term' }[status];
      t.ok(
        outcomes.some(({ type }) => type === told),
        `scoring learns of ${status}`,
      );
    }
  t.match((await call('GET', `/studies/${study.studyId}`)).body, { progress: { completed: 2, reversed: 0 } });
});

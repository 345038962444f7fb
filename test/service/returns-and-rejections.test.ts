/** Returns of several sources, and rejections before, between and after them, over HTTP: the supplier's status, the counts and the end of a place. */
import t from 'tap';
import type { StudyCreation } from '../../src/contract/study.js';
import type { CreatedStudyReply } from '../../src/contract/study-replies.js';
import type { CreatedSupplierReply, InvitationsReply } from '../../src/contract/supplier.js';
import { callerOf, creation, open, openEntry, placeAt, returnUrl, startSurvey } from '../helpers/fielding.js';
import { startReceiver } from '../helpers/receiver.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(180_000);
const receiver = await startReceiver(t);
const service = await startTestService(t, { VH_LOG_LEVEL: 'warn', VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { audienceUrl, organizationKey } = service.bootstrap;
const call = callerOf(audienceUrl, organizationKey);
const survey = await startSurvey(t, () => null);
const postbackUrl = `${receiver.url}/pb?place={place}&status={status}`;
const { supplierId } = (await call('POST', '/suppliers', { name: 'P', sourceId: 'p', postbackUrl }))
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
const interview = async ({ studyId }: CreatedStudyReply, rid: string): Promise<string | null> => {
  const respondents = [{ rid, country: 'DE' }];
  const made = await call('POST', `/studies/${studyId}/invitations`, { supplierId, respondents });
  return (await openEntry((made.body as InvitationsReply).invitations[0]?.url ?? '')).location;
};
const report = async (study: CreatedStudyReply, place: string, status: string, more: object = {}, isOwner = false) =>
  (
    await call(
      'POST',
      `/studies/${study.studyId}/returns`,
      { place, status, ...more },
      isOwner ? organizationKey : study.surveyKey,
    )
  ).body as object;
const sentOf = (place: string): readonly string[] =>
  receiver.received.flatMap(({ path }) => (path.includes(place) ? [/status=(\w+)/.exec(path)?.[1] ?? ''] : []));
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

/** Effects of corrections and bans on later scores, through the service. */
import t from 'tap';
import type { OutcomeReply } from '../../src/contract/outcome.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { ownRange } from '../helpers/own-range.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t);
const occurredAt = new Date(Date.now() - 3_600_000).toISOString();
let sessions = 0;
const addressOf = ownRange();
const score = async (fields: {
  readonly respondentId?: string;
  readonly [field: string]: unknown;
}): Promise<ScoreReply> =>
  (
    await service.call('POST', '/lite/score', {
      body: { sessionId: `corrected-${(sessions += 1)}`, clientIp: addressOf(fields.respondentId), ...fields },
    })
  ).body;
const post = async (events: readonly object[]): Promise<{ body: OutcomeReply }> =>
  service.call('POST', '/lite/events', { body: { events } });
/** Scores new sessions of the respondent until history says what is waited for. */
const untilHistory = (respondentId: string, what: string, holds: (reply: ScoreReply) => boolean): Promise<void> =>
  waitUntil(async () => holds(await score({ respondentId, studyId: `study-${sessions}` })), what);

t.test('of what one request says of one event the last stands, and corrections are counted', async (t) => {
  const first = await score({ respondentId: 'last-stands' });
  const event = { sessionId: first.sessionId, type: 'buyer_reject', occurredAt };
  const classes = ['fraud', 'quality', 'fraud'].map((reasonClass) => ({ ...event, reasonClass }));
  t.match(
    (await post(classes)).body,
    {
      received: 3,
      accepted: 2,
      corrected: 1,
      duplicates: 1,
      issues: [{ path: '/events/2', message: /sent before/ }],
    },
    'the first is said again by the last, which corrects the second',
  );
  await untilHistory('last-stands', 'fraud was said last', (reply) => reply.categories.history > 0);
  t.match((await post(classes)).body, { accepted: 0, corrected: 0, duplicates: 3 }, 'a replay corrects nothing');
  t.match((await post([{ ...event, reasonClass: 'fit' }])).body, { accepted: 1, corrected: 1 });
  await untilHistory('last-stands', 'fit was said last', (reply) => reply.categories.history === 0);
  const named = { ...event, type: 'dq', eventId: 'counted-correction' };
  t.match((await post([{ ...named, reasonClass: 'fit' }])).body, { accepted: 1, corrected: 0 });
  t.match((await post([{ ...named, reasonClass: 'quality' }])).body, { accepted: 1, corrected: 1 }, 'by its eventId');
});

t.test('an eventId that says two things in one request corrects once, and a replay nothing', async (t) => {
  const { sessionId } = await score({});
  const event = { sessionId, occurredAt, eventId: 'corrected-in-one-request' };
  const events = ['complete', 'dq', 'dq'].map((type) => ({ ...event, type }));
  t.match((await post(events)).body, { received: 3, accepted: 1, corrected: 1, duplicates: 2 });
  t.match((await post(events)).body, { received: 3, accepted: 0, corrected: 0, duplicates: 3 });
});

t.test('a ban without a class is a decision and raises risk; one with another class than fraud does not', async (t) => {
  for (const reasonClass of ['fit', 'quality', 'unknown']) {
    const { sessionId } = await score({ respondentId: `banned-${reasonClass}` });
    await post([{ sessionId, type: 'ban', occurredAt, reasonClass }]);
  }
  const bare = await score({ respondentId: 'banned' });
  t.match((await post([{ sessionId: bare.sessionId, type: 'ban', occurredAt }])).body, { accepted: 1 });
  await untilHistory('banned', 'the ban raises risk', (reply) => reply.categories.history > 0);
  for (const reasonClass of ['fit', 'quality', 'unknown'])
    t.equal((await score({ respondentId: `banned-${reasonClass}` })).categories.history, 0, reasonClass);
});

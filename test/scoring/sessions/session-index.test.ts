import t from 'tap';
import { leastIdAt } from '../../../src/crypto/ids.js';
import {
  dropExpiredSessions,
  findScoredTimes,
  findSilentSources,
  indexing,
  listSessions,
  type IndexedReceipt,
} from '../../../src/scoring/sessions/session-index.js';
import { createSessionService } from '../../../src/scoring/sessions/session-service.js';
import { openMemoryCounters } from '../../../src/stores/counters/memory/open.js';
import { callFunctions } from '../../../src/stores/database/call-functions.js';
import { openTestDatabase } from '../../helpers/embedded.js';
import { recordScores, refOf } from '../../helpers/year.js';

/** Each test has a project of its own in it. */
const database = await openTestDatabase(t);

const owner = { organizationId: 'org_1', namespace: 'proj_1' };
const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 5, 1);

const receipt = (sessionId: string, hour: number, over: Partial<IndexedReceipt> = {}): IndexedReceipt => ({
  ...owner,
  sessionRef: `ref-${sessionId}`,
  sessionId,
  receiptId: leastIdAt('receipt', startMs + hour * hourMs),
  scoredAt: new Date(startMs + hour * hourMs),
  score: hour,
  recommendation: 'allow',
  verdictClass: 'human',
  duplicateBand: 'none',
  studyId: null,
  sourceId: 'source',
  supersedes: null,
  topReason: null,
  subjects: ['respondent-ref', 'source-ref'],
  respondentKnown: true,
  ...over,
});

t.test('a session stands with its latest receipt, in whatever order and however often receipts come', async (t) => {
  const indexSessions = (receipts: readonly IndexedReceipt[]) => callFunctions(database, [indexing(receipts)]);
  await indexSessions([receipt('a', 5), receipt('b', 3), receipt('a', 2)]);
  await indexSessions([receipt('a', 1), receipt('b', 4)]);
  await indexSessions([receipt('a', 1), receipt('b', 4)]);
  await indexSessions([]);
  const { items } = await listSessions(database, owner, {}, { limit: 10, below: null });
  t.same(
    items.map((session) => [session.sessionId, session.receipt.score]),
    [
      ['a', 5],
      ['b', 4],
    ],
  );
  t.same(await findScoredTimes(database, owner, 'ref-a'), {
    first: new Date(startMs + hourMs),
    last: new Date(startMs + 5 * hourMs),
  });
  t.equal(
    await findScoredTimes(database, { ...owner, organizationId: 'org_2' }, 'ref-a'),
    null,
    'rows of others are hidden',
  );
  t.same(await findSilentSources(database, owner, ['source', 'never']), ['never']);

  t.equal(
    await dropExpiredSessions(database, startMs + 29 * hourMs, 1),
    1,
    'what was scored last before its lifetime goes',
  );
  t.equal(await findScoredTimes(database, owner, 'ref-b'), null);
  t.ok(await findScoredTimes(database, owner, 'ref-a'));
});

t.test('a text finds a session by part of its id, its receipt, its respondent and its top reason', async (t) => {
  const texts = { ...owner, namespace: 'proj_text' };
  const many = [
    receipt('Alpha-1', 5, { ...texts, topReason: 'webdriver' }),
    receipt('beta-1', 4, texts),
    receipt('alpha-2', 3, texts),
    receipt('gamma', 2, { ...texts, subjects: ['who'] }),
  ];
  await callFunctions(database, [indexing(many)]);
  const find = async (plain: string, over = {}, limit = 10) => {
    const text = { plain, session: `ref-${plain}`, respondent: plain, ...over };
    const page = await listSessions(database, texts, { text }, { limit, below: null });
    return [page.items.map(({ sessionId }) => sessionId), page.nextCursor !== null];
  };
  t.same(await find('ALPHA'), [['Alpha-1', 'alpha-2'], false]);
  t.same(await find('ALPHA', {}, 1), [['Alpha-1'], true]);
  t.same(await find('who'), [['gamma'], false]);
  t.same(await find('webdriver'), [['Alpha-1'], false]);
  t.same(await find(leastIdAt('receipt', startMs + 4 * hourMs)), [['beta-1'], false]);
  t.same(await find('100%'), [[], false], 'nothing in a text is a pattern');
  const sharing = { session: 'ref-beta-1', subjects: ['respondent-ref'] };
  const { items } = await listSessions(database, texts, { sharing }, { limit: 10, below: null });
  t.same(
    items.map(({ sessionId }) => sessionId),
    ['Alpha-1', 'alpha-2'],
    'others of the same respondent',
  );
});

t.test('the trail of a session holds every receipt between its first and its last score', async (t) => {
  const counters = await openMemoryCounters({ snapshotPath: null, keysMax: 1_000, now: Date.now });
  t.teardown(() => counters.close());
  const service = createSessionService({
    database,
    counters,
    makeRef: (_holder, _kind, value) => refOf(`session ${value}`),
    now: Date.now,
  });
  const scoresOf = async (sessionId: string): Promise<readonly string[]> =>
    (
      await service.trail({ organizationId: 'org_year', namespace: 'proj_trail', projectId: 'proj_trail' }, sessionId)
    ).receipts.map(({ scoredAt }) => scoredAt);
  const [first, second, third] = [5, 4, 3].map((hours) => Date.now() - hours * hourMs) as [number, number, number];
  const scored = (sessionId: string, atMs: number) => ({ projectId: 'proj_trail', sessionId, atMs });
  const times = (...ms: readonly number[]) => ms.map((each) => new Date(each).toISOString());
  await recordScores(database, [scored('once', first), scored('thrice', first), scored('thrice', second)]);
  await recordScores(database, [scored('thrice', third)]);
  t.same(await scoresOf('once'), times(first));
  t.same(await scoresOf('thrice'), times(third, second, first));
});

import t, { type Test } from 'tap';
import type { ErrorBody } from '../../src/contract/common.js';
import type { RecommendationsReply, SimulationReply } from '../../src/contract/thresholds.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { createPatch } from '../helpers/project-fields.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t);
const day = 86_400_000;
let sessions = 0;

type Reply = { readonly status: number; readonly body: SimulationReply & ErrorBody };

async function score(fields: object = {}): Promise<ScoreReply> {
  const body = { sessionId: `mix-${(sessions += 1)}`, clientIp: '8.8.4.4', sourceId: 'supplier-a', ...fields };
  const answer = await service.call('POST', '/lite/score', { body });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}
const simulate = (body: object, headers?: Record<string, string>): Promise<Reply> =>
  service.call('POST', '/lite/simulate', { body, ...(headers === undefined ? {} : { headers }) });
const recommend = (query = ''): Promise<{ status: number; body: RecommendationsReply & ErrorBody }> =>
  service.call('GET', `/lite/threshold-recommendations${query}`);

/** Simulates until as many sessions are counted as were scored. */
async function untilCounted(
  t: Test,
  question: object,
  holds: (reply: SimulationReply) => boolean,
): Promise<SimulationReply> {
  let reply: SimulationReply | null = null;
  await waitUntil(async () => {
    const { status, body } = await simulate(question);
    // A source is unknown until its first session is counted.
    if (status !== 200) return false;
    reply = body;
    return holds(body);
  }, 'the sessions are counted');
  if (reply === null) throw new Error('nothing was answered');
  t.ok(holds(reply));
  return reply;
}

const present = { reviewLow: 40, blockThreshold: 75 };

t.test('a project without sessions gets an empty mix that says why', async (t) => {
  const { status, body } = await simulate(present);
  t.equal(status, 200);
  t.match(body, { sessions: 0, flips: [], flipped: 0, period: { from: null, to: null }, note: /No session/ });
  t.match((await recommend()).body.sources, [
    { sourceId: null, status: 'insufficient_data', shortfall: { honest: 598, fraud: 30 } },
  ]);
});

t.test('the present edges give the mix that was answered, and each session counts once', async (t) => {
  const replies: ScoreReply[] = [];
  for (let index = 0; index < 6; index += 1) replies.push(await score());
  const again = await score({ sessionId: replies[0]?.sessionId, declaredCountry: 'DE' });
  t.not(again.receiptId, replies[0]?.receiptId, 'scored again with another body');
  const reply = await untilCounted(t, present, ({ sessions: counted }) => counted === 6);
  t.same(reply.current, reply.hypothetical);
  t.equal(
    Object.values(reply.current).reduce((total, count) => total + count, 0),
    6,
  );
  t.equal(reply.flipped, 0);
});

t.test('lower edges flip sessions, which are listed with what they were and would be', async (t) => {
  const patch = createPatch(t, service);
  await patch({ config: { liteConfig: { noProbeRiskScore: 20 } } });
  const clean = await score({ sourceId: 'supplier-b' });
  await patch({ config: { liteConfig: null } });
  t.match(clean, { recommendation: 'allow', score: 20 });
  await untilCounted(t, { ...present, sourceId: 'supplier-b' }, ({ sessions: counted }) => counted === 1);
  const question = { reviewLow: 0, blockThreshold: 75 };
  const reply = await untilCounted(t, question, ({ flips }) =>
    flips.some(({ receiptId }) => receiptId === clean.receiptId),
  );
  const flip = reply.flips.find(({ receiptId }) => receiptId === clean.receiptId);
  t.match(flip, {
    sessionId: clean.sessionId,
    sourceId: 'supplier-b',
    score: clean.score,
    from: 'allow',
    to: 'review',
  });
  t.ok(reply.flips.length <= reply.flipped);
  t.equal(
    reply.flippedBySource.reduce((sum, { sessions }) => sum + sessions, 0),
    reply.flipped,
  );
  t.equal(reply.flippedBySource.find(({ sourceId }) => sourceId === 'supplier-b')?.sessions, 1);
  t.ok(
    reply.flips.every((flipped) => flipped.score > 0),
    'a score of 0 is never reviewed',
  );
  t.equal((await simulate({ ...question, flips: 0 })).body.flips.length, 0);
  t.equal((await simulate({ ...question, flips: 1 })).body.flips[0]?.receiptId, clean.receiptId, 'the newest first');
  t.same((await simulate(question)).body, (await simulate(question)).body);
});

t.test(
  'a higher blockThreshold shows the higher scores of what a ceiling holds, next to those that were given',
  async (t) => {
    const userAgent =
      'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/142.0.0.0 Safari/537.36';
    const held = await score({ sourceId: 'ceilings', userAgent });
    t.match(held, { score: 74, ceilings: ['uncorroborated'], recommendation: 'review' });
    const raised = await untilCounted(
      t,
      { reviewLow: 80, blockThreshold: 83, sourceId: 'ceilings' },
      ({ sessions: counted }) => counted === 1,
    );
    t.match(raised, { ceiling: 82, heldBelowBlock: 1, flipped: 0 }, 'it is still reviewed');
    t.equal(raised.scores[16], 1, 'with a score of 80 to 84');
    const { body } = await simulate({ reviewLow: 50, blockThreshold: 50, sourceId: 'ceilings' });
    t.match(body, { ceiling: 49, flips: [{ givenScore: 74, score: 49, from: 'review', to: 'allow' }] });
  },
);

t.test('an outcome labels its session; a completion is believed only after sixty days', async (t) => {
  const honest = await score({ sourceId: 'labels' });
  const fresh = await score({ sourceId: 'labels' });
  const fraud = await score({ sourceId: 'labels' });
  const ago = (days: number): string => new Date(Date.now() - days * day).toISOString();
  const events = [
    { sessionId: honest.sessionId, type: 'complete', occurredAt: ago(61) },
    { sessionId: fresh.sessionId, type: 'complete', occurredAt: ago(59) },
    { sessionId: fraud.sessionId, type: 'buyer_reject', reasonClass: 'fraud', occurredAt: ago(1) },
  ];
  t.match((await service.call('POST', '/lite/events', { body: { events } })).body, { accepted: 3 });
  const labelled = await untilCounted(
    t,
    { ...present, sourceId: 'labels' },
    (reply) => reply.labelled.fraud === 1 && reply.labelled.honest === 1,
  );
  t.match(labelled, { sessions: 3, labelled: { honest: 1, fraud: 1 } });
  const { body } = await recommend('?sourceId=labels&targetFalseBlockRate=0.1');
  t.match(body.sources, [
    {
      sourceId: 'labels',
      status: 'insufficient_data',
      labels: { honest: 1, fraud: 1, pending: 1 },
      suggested: null,
      current: present,
    },
  ]);
  const retraction = { name: 'retraction', of: { type: 'buyer_reject', occurredAt: events[2]?.occurredAt } };
  const taken = {
    sessionId: fraud.sessionId,
    type: 'custom',
    occurredAt: new Date().toISOString(),
    detail: retraction,
  };
  await service.call('POST', '/lite/events', { body: { events: [taken] } });
  await untilCounted(t, { ...present, sourceId: 'labels' }, (reply) => reply.labelled.fraud === 0);
});

t.test('a source whose name no database keeps is refused, and asking for it finds none', async (t) => {
  const name = 'nul-\u0000-source';
  const body = { sessionId: 'nul', clientIp: '8.8.4.4', sourceId: name };
  t.match(await service.call('POST', '/lite/score', { body }), {
    status: 400,
    body: { issues: [{ path: '/sourceId' }] },
  });
  t.match(await simulate({ ...present, sourceId: name }), { status: 400 });
  t.equal((await recommend(`?sourceId=${encodeURIComponent(name)}`)).status, 400);
});

t.test('a period may begin before and end after all that calendars of databases know', async (t) => {
  const all = (await simulate(present)).body.sessions;
  for (const period of [
    { from: '0000-01-01T00:00:00Z' },
    { to: '9999-12-31T23:59:59-10:00' },
    { from: '0001-01-01T00:00:00+10:00', to: '9999-12-31T23:59:59-10:00' },
  ])
    t.match(
      await simulate({ ...present, ...period }),
      { status: 200, body: { sessions: all } },
      JSON.stringify(period),
    );
  t.match(await simulate({ ...present, to: '0000-01-01T00:00:00Z' }), { status: 200, body: { sessions: 0 } });
});

t.test('null in an optional field is its absence, as where recommendations name the whole project', async (t) => {
  const nothing = { sourceId: null, stepUpThreshold: null, from: null, to: null, flips: null, projectId: null };
  t.same((await simulate({ ...present, ...nothing })).body, (await simulate(present)).body);
});

t.test('bad questions are refused with a pointer', async (t) => {
  const refused = async (body: object, path: string): Promise<void> => {
    const reply = await simulate(body);
    t.match(reply, { status: 400, body: { code: 'VALIDATION_FAILED', issues: [{ path }] } }, path);
  };
  await refused({ reviewLow: 80, blockThreshold: 75 }, '/reviewLow');
  await refused({ ...present, sourceId: 'nobody' }, '/sourceId');
  await refused({ ...present, from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '/from');
  await refused({ ...present, flips: 1_001 }, '/flips');
  await refused({ reviewLow: 40 }, '/blockThreshold');
  await refused({ ...present, from: '2016-12-31T23:59:60Z' }, '/from');
  t.match(await recommend('?sourceId=nobody'), { status: 400, body: { issues: [{ path: '/sourceId' }] } });
  t.match(await recommend('?targetFalseBlockRate=0.9'), { status: 400 });
  t.match(await recommend('?reviewBudget=0'), { status: 400, body: { issues: [{ path: '/reviewBudget' }] } });
  const long = await simulate({ ...present, from: '2001-01-01T00:00:00Z', to: '2001-02-01T00:00:00Z' });
  t.match(long, { status: 200, body: { sessions: 0, note: /no longer kept/ } });
});

t.test('an organization key names the project; another organization’s project is not there', async (t) => {
  const headers = { 'x-api-key': service.bootstrap.organizationKey };
  t.match(await simulate(present, headers), { status: 400, body: { issues: [{ path: '/projectId' }] } });
  const { status, body } = await simulate({ ...present, projectId: service.bootstrap.projectId }, headers);
  t.equal(status, 200);
  t.ok(body.sessions > 0);
  t.equal((await simulate({ ...present, projectId: `proj_${'0'.repeat(32)}` }, headers)).status, 404);
});

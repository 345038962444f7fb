import t, { type Test } from 'tap';
import type { ErrorBody } from '../../src/contract/common.js';
import type { OutcomeReply } from '../../src/contract/outcome.js';
import type { ScoreReply } from '../../src/contract/score.js';
import { ownRange } from '../helpers/own-range.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

const service = await startTestService(t);
const occurredAt = new Date(Date.now() - 3_600_000).toISOString();
let sessions = 0;
const addressOf = ownRange();

async function score(fields: {
  readonly respondentId?: string;
  readonly [field: string]: unknown;
}): Promise<ScoreReply> {
  const answer = await service.call('POST', '/lite/score', {
    body: { sessionId: `outcome-${(sessions += 1)}`, clientIp: addressOf(fields.respondentId), ...fields },
  });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

async function post(
  events: readonly unknown[],
  path = '/lite/events',
): Promise<{ status: number; body: OutcomeReply & ErrorBody }> {
  return service.call('POST', path, { body: { events } });
}

const codes = ({ evidence }: ScoreReply): string[] =>
  [...evidence.against, ...evidence.for, ...evidence.notes]
    .filter(({ axis }) => axis === 'history')
    .map(({ code }) => code);

/** Scores new sessions of the respondent until history says what is waited for. */
async function untilHistory(
  t: Test,
  respondentId: string,
  meaning: string,
  holds: (reply: ScoreReply) => boolean,
): Promise<void> {
  let reply = await score({ respondentId, studyId: 'first look' });
  await waitUntil(async () => {
    reply = await score({ respondentId, studyId: `study-${sessions}` });
    return holds(reply);
  }, meaning);
  t.ok(holds(reply), meaning);
}

t.test(
  'null in an optional field of an event means absent, so that both ways of saying it are one event',
  async (t) => {
    const plain = { sessionId: 'nulls', type: 'complete', occurredAt };
    t.match((await post([plain])).body, { accepted: 1, rejected: 0 });
    const nulls = { ...plain, projectId: null, reasonClass: null };
    t.match((await post([{ ...nulls, detail: null }])).body, { accepted: 0, duplicates: 1, rejected: 0 });
    t.match((await post([{ ...nulls, detail: { reasonClass: null, respondentId: null, name: null } }])).body, {
      rejected: 0,
    });
    const { issues } = (await post([{ ...plain, occurredAt: null }])).body;
    t.same(
      issues,
      [{ path: '/events/0/occurredAt', message: 'must be a time with a time zone, such as "2026-06-01T12:00:00Z".' }],
      'a needed field that is null is at fault',
    );
  },
);

t.test('null for a group of the probe means absent, and a 400 tells what is wrong and nothing else', async (t) => {
  const probe = {
    v: 1,
    sdk: '1',
    projectKey: service.bootstrap.probeKey,
    sessionId: 'nulls',
    nonce: 'nonce-of-nulls',
    at: 1,
    up: 1,
  };
  const send = (over: object) =>
    service.call('POST', '/public/lite/probe', { headers: {}, body: { ...probe, seq: 0, phase: 'load', ...over } });
  t.equal((await send({ beh: null, lies: null, q: null, ids: null })).status, 202);
  const { status, body }: { status: number; body: ErrorBody } = await send({
    seq: 1,
    hw: { cores: 'x' },
    loc: { languages: [7] },
  });
  t.match((await send({ v: 2 })).body, { issues: [{ path: '/v', message: 'must be 1.' }] });
  t.match(await send({ sessionId: 'nul-\u0000' }), { status: 400, body: { issues: [{ path: '/sessionId' }] } });
  t.equal(status, 400);
  t.same(body.issues, [
    { path: '/hw/cores', message: 'must be a whole number or null.' },
    { path: '/loc/languages/0', message: 'must be a string.' },
  ]);
});

t.test('counts are exact: received, accepted, duplicates, rejected, sessions', async (t) => {
  const events = [
    { sessionId: 'a', type: 'complete', occurredAt },
    { sessionId: 'a', type: 'complete', occurredAt },
    { sessionId: 'a', type: 'speeder', occurredAt },
    { sessionId: 'b', type: 'complete', occurredAt: occurredAt.replace('Z', '+00:00') },
  ];
  const counts = { received: 4, accepted: 3, corrected: 0, duplicates: 1, rejected: 0, unmatched: 3, sessions: 2 };
  t.same((await post(events)).body, counts);
  t.same(
    (await post(events)).body,
    { received: 4, accepted: 0, duplicates: 4, rejected: 0, unmatched: 0, sessions: 2, corrected: 0 },
    'a replay is never counted twice',
  );
});

t.test('all nine types are taken, in both forms, and the same event is one in either', async (t) => {
  const plain = [
    'herring_result',
    'dq',
    'speeder',
    'buyer_reject',
    'reconciliation',
    'ban',
    'quality_term',
    'complete',
  ].map((type) => ({ type, occurredAt }));
  const events = [...plain, { type: 'custom', occurredAt, detail: { name: 'panel note' } }];
  t.match((await post(events, '/lite/sessions/all%20types/events')).body, { received: 9, accepted: 9, sessions: 1 });
  t.match((await post(events.map((event) => ({ ...event, sessionId: 'all types' })))).body, {
    accepted: 0,
    duplicates: 9,
  });
});

t.test('a malformed event is told by its pointer and costs none of the valid ones', async (t) => {
  const { status, body } = await post([
    { sessionId: 'c', type: 'complete', occurredAt },
    { sessionId: 'c', type: 'finished', occurredAt },
    { sessionId: 'c', type: 'dq', occurredAt: 'yesterday' },
    { type: 'dq', occurredAt },
    { sessionId: 'c', type: 'custom', occurredAt },
    'not an event',
  ]);
  t.equal(status, 200);
  t.match(body, { received: 6, accepted: 1, duplicates: 0, rejected: 5, sessions: 1 });
  t.same(
    body.issues?.map(({ path }) => path),
    ['/events/1/type', '/events/2/occurredAt', '/events/3/sessionId', '/events/4/detail', '/events/5'],
  );
  t.match(body.issues?.[1]?.message, /a time with a time zone, such as "\d{4}-/);
});

t.test('a name that means nothing is told, once, and the event is accepted without it', async (t) => {
  const event = { sessionId: 'misspelt', type: 'buyer_reject', occurredAt };
  const { status, body } = await post([
    { ...event, reasonClass: 'fit' },
    { ...event, type: 'ban', reason_class: 'fraud' },
    { ...event, type: 'dq', reason_class: 'fraud', zzzzzzzzzzzzzzzz: 1, detail: { anything: 'goes' } },
  ]);
  t.equal(status, 200);
  t.match(body, { received: 3, accepted: 3, rejected: 0 });
  t.match(body.issues, [
    { path: '/events/1/reason_class', message: /ignored; did you mean "reasonClass"\?/ },
    { path: '/events/2/zzzzzzzzzzzzzzzz', message: /ignored\. The event was accepted/ },
  ]);
  t.equal(body.issues?.length, 2);
  const ofSession = await post([{ type: 'speeder', occurredAt, eventID: 'e' }], '/lite/sessions/misspelt/events');
  t.match(ofSession.body, { accepted: 1, issues: [{ path: '/events/0/eventID', message: /"eventId"/ }] });
});

t.test('a request without a valid event, without events, or with too many is a 400', async (t) => {
  t.match(await post([{ sessionId: 'd', type: 'finished', occurredAt }]), {
    status: 400,
    body: { code: 'VALIDATION_FAILED', issues: [{ path: '/events/0/type' }] },
  });
  t.match(await post([]), { status: 400, body: { issues: [{ path: '/events' }] } });
  const event = { sessionId: 'd', type: 'complete', occurredAt };
  t.equal((await post(Array.from({ length: 1_001 }, () => event))).status, 400);
  t.equal(
    (
      await post(
        Array.from({ length: 101 }, () => event),
        '/lite/sessions/d/events',
      )
    ).status,
    400,
  );
  t.match((await post(Array.from({ length: 1_000 }, (_, n) => ({ ...event, sessionId: `bulk-${n}` })))).body, {
    accepted: 1_000,
    sessions: 1_000,
  });
});

t.test(
  'a fraud-class reversal of a respondent raises the risk of later sessions, in every study of the project',
  async (t) => {
    const first = await score({ respondentId: 'clawed', studyId: 'X' });
    t.equal(first.categories.history, 0);
    await post([{ sessionId: first.sessionId, type: 'buyer_reject', occurredAt, reasonClass: 'fraud' }]);
    await untilHistory(
      t,
      'clawed',
      'history raises risk',
      (reply) => reply.categories.history > 0 && reply.evidence.against.some((finding) => finding.class === 'record'),
    );
  },
);

t.test('rejections for fit, quality and unknown reasons never raise risk', async (t) => {
  for (const reasonClass of ['fit', 'quality', 'unknown', undefined]) {
    const respondentId = `neutral-${reasonClass}`;
    const first = await score({ respondentId });
    await post([
      {
        sessionId: first.sessionId,
        type: 'buyer_reject',
        occurredAt,
        ...(reasonClass === undefined ? {} : { reasonClass }),
      },
    ]);
  }
  // Carried over in order: once this one, which came last, is there, those before it were carried over as well.
  const last = await score({ respondentId: 'after-neutral' });
  await post([{ sessionId: last.sessionId, type: 'buyer_reject', occurredAt, reasonClass: 'fraud' }]);
  await untilHistory(t, 'after-neutral', 'the consumer has come this far', (reply) => reply.categories.history > 0);
  for (const reasonClass of ['fit', 'quality', 'unknown', undefined])
    t.equal((await score({ respondentId: `neutral-${reasonClass}` })).categories.history, 0);
});

t.test('an event that comes before its score waits for it', async (t) => {
  await post([{ sessionId: 'early', type: 'ban', occurredAt, reasonClass: 'fraud' }]);
  await score({ sessionId: 'early', respondentId: 'early-bird' });
  await untilHistory(t, 'early-bird', 'the ban reached the respondent', (reply) => reply.categories.history > 0);
});

t.test('an event can name the respondent where the score named none', async (t) => {
  const first = await score({});
  await post(
    [{ type: 'ban', occurredAt, reasonClass: 'fraud', detail: { respondentId: 'named-later' } }],
    `/lite/sessions/${first.sessionId}/events`,
  );
  await untilHistory(t, 'named-later', 'the ban reached the respondent', (reply) => reply.categories.history > 0);
});

t.test('an outcome that is taken back leaves history as if it had never come', async (t) => {
  const first = await score({ respondentId: 'undone' });
  const untouched = codes(await score({ respondentId: 'undone' }));
  await post([{ sessionId: first.sessionId, type: 'ban', occurredAt, reasonClass: 'fraud' }]);
  await untilHistory(t, 'undone', 'the ban counts', (reply) => reply.categories.history > 0);
  const retraction = {
    sessionId: first.sessionId,
    type: 'custom',
    occurredAt: new Date().toISOString(),
    detail: { name: 'retraction', of: { type: 'ban', occurredAt } },
  };
  t.match((await post([retraction])).body, { accepted: 1 });
  await untilHistory(t, 'undone', 'the ban is forgotten', (reply) => reply.categories.history === 0);
  t.same(codes(await score({ respondentId: 'undone' })), untouched);
  t.match(
    (await post([{ sessionId: first.sessionId, type: 'ban', occurredAt, reasonClass: 'fraud' }, retraction])).body,
    { accepted: 0, duplicates: 2 },
    'a replay does not bring it back',
  );
  t.equal((await score({ respondentId: 'undone' })).categories.history, 0);
});

t.test('an event dated more than a day ahead is an issue of that event; the others are accepted', async (t) => {
  const ahead = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
  const { status, body } = await post([
    { sessionId: 'ahead', type: 'complete', occurredAt: ahead(25) },
    { sessionId: 'ahead', type: 'complete', occurredAt: ahead(23) },
  ]);
  t.equal(status, 200);
  t.match(body, { received: 2, accepted: 1, rejected: 1, issues: [{ path: '/events/0/occurredAt' }] });
});

t.test('a retraction can itself be undone, and a class be given later', async (t) => {
  const first = await score({ respondentId: 'corrected' });
  const event = { sessionId: first.sessionId, type: 'buyer_reject', occurredAt };
  t.match((await post([event])).body, { accepted: 1 });
  t.match((await post([{ ...event, reasonClass: 'fraud' }])).body, { accepted: 1, duplicates: 0 });
  await untilHistory(t, 'corrected', 'the class given later counts', (reply) => reply.categories.history > 0);
  t.match((await post([event, { ...event, reasonClass: 'fraud' }])).body, { accepted: 0, duplicates: 2 });
  const takeBack = (of: object, at: string) => ({
    sessionId: first.sessionId,
    type: 'custom',
    occurredAt: at,
    detail: { name: 'retraction', of },
  });
  const retractedAt = new Date(Date.now() - 60_000).toISOString();
  await post([takeBack({ type: 'buyer_reject', occurredAt }, retractedAt)]);
  await untilHistory(t, 'corrected', 'it is taken back', (reply) => reply.categories.history === 0);
  const undo = takeBack({ type: 'custom', occurredAt: retractedAt }, new Date().toISOString());
  t.match((await post([undo])).body, { accepted: 1 });
  await untilHistory(t, 'corrected', 'and stands again', (reply) => reply.categories.history > 0);
  t.match(await post([takeBack({ type: 'custom', occurredAt: retractedAt }, retractedAt)]), {
    status: 400,
    body: { issues: [{ path: '/events/0/occurredAt', message: /later/ }] },
  });
});

t.test(
  'an organization key’s outcomes find the session in the project they name, or are rejected by name',
  async (t) => {
    const first = await score({ respondentId: 'by-organization' });
    const { bootstrap } = service;
    const byOrganization = (
      fields: object,
      key = bootstrap.organizationKey,
    ): Promise<{ status: number; body: OutcomeReply & ErrorBody }> =>
      service.call('POST', '/lite/events', {
        body: {
          events: [{ sessionId: first.sessionId, type: 'ban', occurredAt, reasonClass: 'fraud', ...fields }],
        },
        headers: { 'x-api-key': key },
      });
    t.match(await byOrganization({}), {
      status: 400,
      body: { issues: [{ path: '/events/0/projectId', message: /organization key/ }] },
    });
    t.match(await byOrganization({ projectId: 'proj_of_somebody_else' }), {
      status: 400,
      body: { issues: [{ path: '/events/0/projectId' }] },
    });
    t.match(await byOrganization({ projectId: 'proj_of_somebody_else' }, bootstrap.projectKey), {
      status: 400,
      body: { issues: [{ path: '/events/0/projectId' }] },
    });
    t.match((await byOrganization({ projectId: bootstrap.projectId })).body, { accepted: 1 });
    await untilHistory(t, 'by-organization', 'the ban counts', (reply) => reply.categories.history > 0);
    t.match((await byOrganization({}, bootstrap.projectKey)).body, { duplicates: 1 }, 'one event, whoever tells it');
  },
);

t.test('events of sessions that were never scored are counted as unmatched, also right after the score', async (t) => {
  await score({ sessionId: 'matched-1' });
  const events = ['matched-1', 'never-scored'].map((sessionId) => ({ sessionId, type: 'complete', occurredAt }));
  t.match((await post(events)).body, { accepted: 2, unmatched: 1 });
  await score({ sessionId: 'never-scored' });
  t.match((await post([{ sessionId: 'never-scored', type: 'dq', occurredAt }])).body, { accepted: 1, unmatched: 0 });
});

t.test('a repeat that says something else is pointed to; an eventId replaces what it said', async (t) => {
  const event = { sessionId: 'restated', type: 'buyer_reject', occurredAt, reasonClass: 'quality' };
  t.equal((await post([event])).body.issues, undefined);
  t.equal((await post([event])).body.issues, undefined, 'a duplicate is no contradiction');
  t.match(
    (
      await post([
        { sessionId: 'other', type: 'complete', occurredAt },
        { ...event, reasonClass: 'fraud' },
      ])
    ).body,
    {
      accepted: 2,
      issues: [{ path: '/events/1', message: /was sent before/ }],
    },
  );

  const named = { ...event, sessionId: 'corrected', eventId: 'e-1' };
  t.match((await post([named])).body, { accepted: 1, duplicates: 0 });
  t.match((await post([named])).body, { accepted: 0, duplicates: 1 });
  const corrections = ['fraud', 'fit'].map((reasonClass) => ({ ...named, reasonClass }));
  t.match((await post(corrections)).body, { accepted: 1, duplicates: 1, rejected: 0 }, 'the last of a request stands');
  const outcomesOf = async (sessionId: string): Promise<readonly object[]> =>
    ((await service.call('GET', `/lite/sessions/${sessionId}`)).body as { outcomes: readonly object[] }).outcomes;
  t.match(await outcomesOf('corrected'), [{ reasonClass: 'fit', eventId: 'e-1', matched: false }]);
  t.equal((await outcomesOf('corrected')).length, 1);
  t.match((await post([{ ...named, sessionId: 'corrected-elsewhere' }])).body, { accepted: 1 });
  t.equal((await service.call('GET', '/lite/sessions/corrected')).status, 404, 'the event moved with its id');
  t.equal((await post([{ ...named, eventId: 'x'.repeat(129) }])).status, 400);

  const unnamed = { ...event, sessionId: 'named-later', reasonClass: 'fraud' };
  await post([unnamed]);
  t.match((await post([{ ...unnamed, eventId: 'e-2' }])).body, { accepted: 0, duplicates: 1 });
  await post([{ ...unnamed, eventId: 'e-2', type: 'dq', reasonClass: 'fit' }]);
  const corrected = await outcomesOf('named-later');
  t.match(corrected, [{ type: 'dq', reasonClass: 'fit', eventId: 'e-2' }], 'an id given later names what stood');
  t.equal(corrected.length, 1);
});

t.test('history survives a restart and the loss of the counters', async (t) => {
  await service.stop();
  const { rmSync } = await import('node:fs');
  rmSync(`${service.dataDirectory}/counters.snapshot`);
  const again = await startTestService(t, { VH_DATA_DIR: service.dataDirectory });
  const rescore = async (n: number): Promise<ScoreReply> =>
    (
      await again.call('POST', '/lite/score', {
        body: { sessionId: `after-${n}`, clientIp: '8.8.4.4', respondentId: 'clawed', studyId: 'after' },
      })
    ).body;
  const cold = await rescore(0);
  if (cold.degradedSignals.includes('history_unavailable'))
    t.equal(cold.duplicate.measured, false, 'until then nulls say so');
  let n = 1;
  await waitUntil(async () => {
    const reply = await rescore((n += 1));
    return reply.categories.history > 0 && !reply.degradedSignals.includes('history_unavailable');
  }, 'history is brought back');
});

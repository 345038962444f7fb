import t from 'tap';
import { createClient, VerifyHumanError, type EventsSummary, type OutcomeEvent } from '../../../sdk/node/index.js';
import { reply, startFlakyServer, type Answer } from '../../helpers/flaky-server.js';

const apiKey = 'vf_live_x';
interface Sent {
  readonly events: readonly OutcomeEvent[];
}
const event = (index: number): OutcomeEvent => ({
  sessionId: `s-${index}`,
  type: 'complete',
  occurredAt: '2026-06-01T12:00:00Z',
});
/** Accepts everything but one event of each request, at index 7. */
const accept: Answer = (response, request) => {
  const received = (request.body as Sent).events.length;
  const issues = [{ path: '/events/7/type', message: 'is none.' }];
  reply(200, {
    received,
    accepted: received - 3,
    corrected: 1,
    duplicates: 2,
    rejected: 1,
    unmatched: 5,
    sessions: 9,
    issues,
  })(response, request);
};

t.test('events of an async iterable go in requests of 1,000 and their answers are added up', async (t) => {
  const { seen, baseUrl } = await startFlakyServer(t, [accept]);
  async function* source() {
    for (let index = 0; index < 2_345; index += 1) yield event(index);
  }
  const summary = await createClient({ apiKey, baseUrl }).events(source());
  t.match(summary, { received: 2_345, accepted: 2_336, corrected: 3, duplicates: 6, rejected: 3, unmatched: 15 });
  t.strictSame(summary.issues.map(({ path }) => path).sort(), [
    '/events/1007/type',
    '/events/2007/type',
    '/events/7/type',
  ]);
  t.strictSame(seen.map(({ body }) => (body as Sent).events.length).sort(), [1_000, 1_000, 345].sort());
  const ids = new Set(seen.flatMap(({ body }) => (body as Sent).events.map(({ sessionId }) => sessionId)));
  t.equal(ids.size, 2_345);
});

t.test('no more requests are under way than asked for, and the source is not read ahead of them', async (t) => {
  let underWay = 0;
  let underWayMax = 0;
  const held: (() => void)[] = [];
  let read = 0;
  let readMax = 0;
  const { baseUrl } = await startFlakyServer(t, [
    (response, request) => {
      underWay += 1;
      underWayMax = Math.max(underWayMax, underWay);
      readMax = Math.max(readMax, read - answered);
      held.push(() => {
        underWay -= 1;
        answered += (request.body as Sent).events.length;
        accept(response, request);
      });
      // Answers only once as many as may be are under way, or the last ones are.
      if (underWay === 2 || answered >= 4_000) for (const release of held.splice(0)) release();
    },
  ]);
  let answered = 0;
  function* source() {
    for (; read < 6_000; read += 1) yield event(read);
  }
  const summary = await createClient({ apiKey, baseUrl }).events(source(), { concurrency: 2 });
  t.equal(summary.received, 6_000);
  t.equal(underWayMax, 2);
  t.ok(readMax <= 3_000, `${readMax} events were read and not answered`);
});

t.test('a request that fails for good ends it: the error says what was posted, and the source is closed', async (t) => {
  const { seen, baseUrl } = await startFlakyServer(t, [
    accept,
    reply(401, { code: 'INVALID_KEY', message: 'No.', requestId: 'r' }),
  ]);
  let isClosed = false;
  function* source() {
    try {
      for (let index = 0; ; index += 1) yield event(index);
    } finally {
      isClosed = true;
    }
  }
  const error: unknown = await createClient({ apiKey, baseUrl })
    .events(source(), { concurrency: 1 })
    .catch((reason: unknown) => reason);
  t.ok(error instanceof VerifyHumanError);
  t.match(error, { code: 'INVALID_KEY', posted: { received: 1_000, rejected: 1 } });
  t.equal(isClosed, true);
  t.equal(seen.length, 2);
});

t.test('a call of which every event was rejected throws, and says what was wrong', async (t) => {
  const issues = [{ path: '/events/0/type', message: 'is missing.' }];
  const { baseUrl } = await startFlakyServer(t, [
    reply(400, { code: 'VALIDATION_FAILED', message: 'No.', requestId: 'r', issues }),
  ]);
  const client = createClient({ apiKey, baseUrl });
  const none: EventsSummary = {
    received: 0,
    accepted: 0,
    corrected: 0,
    duplicates: 0,
    rejected: 0,
    unmatched: null,
    issues: [],
  };
  await t.rejects(client.events([event(1)]), {
    ...{ code: 'EVENTS_REJECTED', issues, posted: { ...none, received: 1, rejected: 1, issues } },
    message: 'The only event was rejected: /events/0/type is missing.',
  });
  await t.rejects(client.events([event(1), event(2)]), { message: /^All 2 events were rejected\. The first: / });
  t.strictSame(await client.events([]), none, 'nothing to post');
  const body = await startFlakyServer(t, [
    reply(400, {
      code: 'VALIDATION_FAILED',
      message: 'No.',
      requestId: 'r',
      issues: [{ path: '', message: 'no list' }],
    }),
  ]);
  await t.rejects(createClient({ apiKey, baseUrl: body.baseUrl }).events([event(1)]), { code: 'VALIDATION_FAILED' });
  await t.rejects(client.events([event(1)], { concurrency: 0 }), { code: 'INVALID_OPTION' });
});

import fc from 'fast-check';
import t from 'tap';
import {
  breakerRules,
  isOutage,
  lengthen,
  parkWaitMs,
  shouldPark,
  type Streak,
} from '../../src/webhooks/endpoint-health.js';
import { createDeliveryQueue, type Recipient } from '../../src/webhooks/delivery-queue.js';
import {
  concurrencyMax,
  createRetryPace,
  jitterShare,
  nextConcurrency,
  retriesPerSecondMax,
  retryWaitMs,
  shareOut,
  shareOutFairly,
} from '../../src/webhooks/pacing.js';

t.test('waits are those of the schedule, a tenth more or less', (t) => {
  const waits = [5, 30, 300, 1_800];
  waits.forEach((seconds, index) => {
    t.equal(
      retryWaitMs(waits, index + 1, () => 0.5),
      seconds * 1_000,
    );
    t.equal(
      retryWaitMs(waits, index + 1, () => 0),
      Math.round(seconds * 1_000 * (1 - jitterShare)),
    );
    t.ok(retryWaitMs(waits, index + 1, () => 0.999999) <= seconds * 1_000 * (1 + jitterShare));
  });
  t.end();
});

t.test(
  'places are all given out where there is work for them, evenly, and never beyond what an endpoint can use',
  (t) => {
    const rooms = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 50 });
    fc.assert(
      fc.property(rooms, fc.integer({ min: 0, max: 500 }), (rooms, places) => {
        const shares = shareOut(rooms, places);
        const given = shares.reduce((sum, share) => sum + share, 0);
        const wanted = rooms.reduce((sum, room) => sum + room, 0);
        if (given !== Math.min(places, wanted)) return false;
        // Nobody has two more than another who could have used more.
        return shares.every((share, a) =>
          shares.every((other, b) => share <= (rooms[a] ?? 0) && (other >= (rooms[b] ?? 0) || share <= other + 1)),
        );
      }),
    );
    t.end();
  },
);

const roomy = { first: { sending: 512, holding: 1_024 }, retry: { sending: 128, holding: 256 } };

t.test(
  'organizations take turns, whatever number of endpoints they have, and one alone has half of the requests',
  (t) => {
    const queue = createDeliveryQueue<string>({ ...roomy, first: { sending: 8, holding: 1_024 } });
    for (let n = 0; n < 100; n++) queue.offer({ organizationId: 'storm', webhookId: `storm ${n}` }, 'first', 'storm');
    t.equal(queue.places('first', 'storm'), 412);
    t.same(
      Array.from({ length: 6 }, () => queue.take('first')),
      ['storm', 'storm', 'storm', 'storm', undefined, undefined],
    );
    for (let n = 0; n < 2; n++) queue.offer({ organizationId: 'quiet', webhookId: 'quiet' }, 'first', 'quiet');
    t.same([queue.take('first'), queue.take('first'), queue.take('first')], ['quiet', 'quiet', undefined]);
    t.equal(queue.active(), 6);
    queue.done({ organizationId: 'storm', webhookId: 'storm 0' }, 'first', (limit) => limit);
    t.equal(queue.take('first'), undefined, 'it holds three, and as many are free');
    t.equal(queue.drain().length, 96);
    t.equal(queue.waiting('first'), 0);
    t.end();
  },
);

t.test('due deliveries are shared among organizations first', (t) => {
  const rooms = [
    ...Array.from({ length: 9 }, () => ({ organizationId: 'storm', room: 8 })),
    { organizationId: 'quiet', room: 8 },
  ];
  t.same(
    shareOutFairly(rooms, 12, () => 100),
    [1, 1, 1, 1, 1, 1, 0, 0, 0, 6],
  );
  t.same(shareOutFairly(rooms, 12, (organizationId) => (organizationId === 'storm' ? 2 : 100)).at(-1), 8);
  t.end();
});

t.test('endpoints take turns, whatever waits for one of them, and none gets more at once than its limit', (t) => {
  const queue = createDeliveryQueue<string>(roomy);
  const [busy, quiet] = ['busy', 'quiet'].map((webhookId) => ({ organizationId: 'org', webhookId })) as [
    Recipient,
    Recipient,
  ];
  for (let n = 0; n < 100; n++) queue.offer(busy, 'first', `busy ${n}`);
  queue.offer(quiet, 'first', 'quiet 0');
  t.same([queue.take('first'), queue.take('first')], ['busy 0', 'quiet 0']);
  const rest = [1, 2, 3, 4, 5].map(() => queue.take('first'));
  t.same(rest, ['busy 1', 'busy 2', 'busy 3', undefined, undefined], 'four at once');
  queue.offer(busy, 'retry', 'again');
  t.equal(queue.take('retry'), undefined, 'repetitions share the limit');
  queue.done(busy, 'first', () => 4);
  t.equal(queue.take('retry'), 'again');
  t.equal(queue.drain().length, 96);
  t.equal(queue.waiting('first'), 0);
  t.end();
});

t.test('an endpoint that does not answer is left with one place, and gets more again by answering', (t) => {
  let limit = concurrencyMax;
  for (let n = 0; n < 3; n++) limit = nextConcurrency(limit, null, 10_000);
  t.equal(limit, 1);
  for (let n = 0; n < 100; n++) limit = nextConcurrency(limit, 200, 2_000);
  t.equal(limit, 1, 'slow answers never raise it');
  for (let n = 0; n < 100; n++) limit = nextConcurrency(limit, 200, 1_999);
  t.equal(limit, concurrencyMax);
  t.end();
});

t.test('repetitions are limited beside what is new, and only then', (t) => {
  let nowMs = 0;
  const pace = createRetryPace(() => nowMs);
  const start = (): number => {
    let started = 0;
    while (started < 1_000 && pace.mayRetry()) {
      pace.noteStart('retry');
      started++;
    }
    return started;
  };
  t.equal(start(), 1_000);
  nowMs = 5_000;
  pace.noteStart('first');
  t.equal(start(), retriesPerSecondMax);
  t.equal(start(), 0);
  nowMs = 6_500;
  t.equal(start(), 1_000, 'nothing new for a second');
  t.end();
});

t.test('an endpoint is parked when it failed often and for long, not by a short outage or a single answer', (t) => {
  let streak: Streak | null = null;
  for (let n = 0; n < 100; n++) streak = lengthen(streak, 1_000 + n);
  t.notOk(shouldPark(breakerRules, streak ?? lengthen(null, 0), 2_000), 'many failures within a second');
  t.ok(shouldPark(breakerRules, streak ?? lengthen(null, 0), 61_000));
  t.notOk(shouldPark(breakerRules, lengthen(null, 0), 3_600_000), 'one failure, an hour ago');
  t.same([null, 500, 503, 200, 404, 429].map(isOutage), [true, true, true, false, false, false]);
  t.same(
    [1, 2, 3, 10, 1_000].map((count) => parkWaitMs(breakerRules, count)),
    [15_000, 30_000, 60_000, 300_000, 300_000],
  );
  t.end();
});

import t from 'tap';
import { createAdaptiveLimit, type InFlightRequest } from '../../src/http/adaptive-limit.js';

/** A limit whose clock and timer are the test's. */
function openLimit() {
  let nowMs = 0;
  let timer: { readonly dueMs: number; readonly run: () => void } | null = null;
  const limit = createAdaptiveLimit(
    () => nowMs,
    (run, ms) => (timer = { dueMs: nowMs + ms, run }),
  );
  const fire = (): void => {
    const due = timer;
    if (due === null || due.dueMs > nowMs) return;
    timer = null;
    due.run();
  };
  return {
    limit,
    acquire: (count: number) => Array.from({ length: count }, () => limit.acquire()),
    /** One turn of the event loop that takes so long; timers fire after it. */
    turn(ms: number): number {
      nowMs += ms;
      fire();
      return nowMs;
    },
    /** Time passes within a turn: no timer fires. */
    work: (ms: number) => void (nowMs += ms),
  };
}

const accepted = (requests: readonly (InFlightRequest | null)[]) => requests.filter((request) => request !== null);

t.test('a burst is accepted whole', (t) => {
  t.notOk(openLimit().acquire(5_000).includes(null));
  t.end();
});

t.test('a late timer limits what is in flight; no more are refused once it fires in time', (t) => {
  const { limit, acquire, turn, work } = openLimit();
  const inFlight = accepted(acquire(300));
  work(200);
  t.equal(limit.acquire(), null, 'already in the turn that takes too long');
  for (let n = 0; n < 4; n += 1) turn(200);
  for (const request of inFlight.splice(0, 240)) limit.release(request);
  const others = accepted(acquire(10));
  t.equal(others.length, 4, 'never fewer than 64');
  for (const request of [...inFlight, ...others]) limit.release(request);
  for (let atMs = 0, endMs = turn(1) + 1_100; atMs < endMs;) atMs = turn(1);
  t.notOk(acquire(1_000).includes(null), 'a second without a refusal');
  t.end();
});

t.test('a late timer refuses nobody while few requests are in flight', (t) => {
  const { limit, acquire, turn, work } = openLimit();
  acquire(200);
  for (let n = 0; n < 4; n += 1) turn(200);
  work(200);
  t.not(limit.acquire(), null);
  t.end();
});

t.test('a late timer does not keep the limit once few requests are in flight', (t) => {
  const { limit, acquire, turn, work } = openLimit();
  const inFlight = accepted(acquire(300));
  work(200);
  t.equal(limit.acquire(), null);
  for (const request of inFlight) limit.release(request);
  for (let n = 0; n < 25; n += 1) turn(100);
  t.notOk(acquire(1_000).includes(null));
  t.end();
});

t.test('stores that do less than arrives: the limit keeps the wait below two seconds', (t) => {
  const { limit, acquire, turn } = openLimit();
  const inFlight: InFlightRequest[] = [];
  let most = 0;
  let released = 0;
  for (let atMs = 0; atMs < 30_000; atMs = turn(1)) {
    inFlight.push(...accepted(acquire(4)));
    const first = inFlight.shift();
    if (first === undefined) continue;
    limit.release(first);
    released += 1;
    if (atMs > 10_000) most = Math.max(most, atMs - first.sinceMs);
  }
  t.ok(most < 2_000, `${most} ms`);
  t.equal(released, 30_000, 'the stores are never idle');
  t.end();
});

t.test('stores that become faster: the limit grows until nobody is refused', (t) => {
  const { limit, turn } = openLimit();
  const inFlight: { readonly request: InFlightRequest; readonly untilMs: number }[] = [];
  let refusedMs = 0;
  for (let atMs = 0; atMs < 30_000; atMs = turn(1)) {
    const request = limit.acquire();
    if (request === null) refusedMs = atMs;
    else inFlight.push({ request, untilMs: atMs + (atMs < 6_000 ? 2_500 : 500) });
    for (let first = inFlight[0]; first !== undefined && first.untilMs <= atMs; first = inFlight[0]) {
      limit.release(first.request);
      inFlight.shift();
    }
  }
  t.ok(refusedMs > 6_000, 'it refused');
  t.ok(refusedMs < 20_000, `until ${refusedMs}`);
  t.equal(inFlight.length, 500);
  t.end();
});

t.test('an outage whose deadlines end within a second refuses nobody', (t) => {
  const { limit, turn } = openLimit();
  const inFlight: (InFlightRequest | null)[] = [];
  for (let atMs = 0; atMs < 10_000; atMs = turn(1)) {
    inFlight.push(limit.acquire());
    // Each completes at once in the first 3 s, and after 900 ms from then on.
    if (atMs > 3_000 && atMs < 3_900) continue;
    const first = inFlight.shift();
    if (first != null) limit.release(first);
  }
  t.equal(inFlight.length, 899);
  t.notOk(inFlight.includes(null));
  t.end();
});

t.test('64 requests older than a second refuse others, until one of them completes', (t) => {
  const { limit, acquire, turn } = openLimit();
  const inFlight = accepted(acquire(200));
  turn(1_000);
  t.not(limit.acquire(), null, 'a second is not too long');
  turn(1_000);
  t.equal(limit.acquire(), null);
  for (const request of inFlight.slice(0, -63)) limit.release(request);
  t.not(limit.acquire(), null, '63 of them refuse nobody');
  t.end();
});

t.test('releasing a request twice counts once', (t) => {
  const { limit, acquire, turn } = openLimit();
  const [first, ...others] = accepted(acquire(70));
  turn(1_000);
  turn(1_000);
  t.equal(limit.acquire(), null);
  for (let n = 0; n < 70; n += 1) if (first !== undefined) limit.release(first);
  t.equal(limit.acquire(), null);
  for (const request of others.slice(0, 6)) limit.release(request);
  t.not(limit.acquire(), null);
  t.end();
});

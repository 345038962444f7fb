import { getEventListeners } from 'node:events';
import t from 'tap';
import { onAbort, settle, waitFor } from '../../../sdk/widget/abort.js';
import { leftMsOf } from '../../../sdk/widget/lifetime.js';

const count = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

t.test('whatever waits for a signal stops listening when it is done, however it ended', async (t) => {
  const { signal } = new AbortController();
  await settle(Promise.resolve(1), signal);
  await t.rejects(settle(Promise.reject(new Error('of the work')), signal), { message: 'of the work' });
  await waitFor(1, signal);
  t.equal(count(signal), 0);
  const forget = onAbort(signal, () => t.fail('it was forgotten'));
  t.equal(count(signal), 1);
  forget();
  t.equal(count(signal), 0);
});

t.test('a signal that aborts ends the wait with its reason, before or on the way', async (t) => {
  const abort = new AbortController();
  const never = settle(new Promise(() => undefined), abort.signal);
  const long = waitFor(60_000, abort.signal);
  abort.abort(new Error('called off'));
  await t.rejects(never, { message: 'called off' });
  await t.rejects(long, { message: 'called off' });
  await t.rejects(settle(Promise.resolve(1), abort.signal), { message: 'called off' }, 'one that was over before');
  t.equal(count(abort.signal), 0);
});

t.test('a session’s end is told in seconds; a clock that is wrong ends nothing at once', (t) => {
  const nowMs = Date.UTC(2026, 0, 1);
  t.equal(leftMsOf({ expiresAt: nowMs / 1_000 + 1_800 }, nowMs), 1_800_000);
  t.equal(leftMsOf({ expiresAt: nowMs / 1_000 - 60 }, nowMs), 900_000);
  t.equal(leftMsOf({ expiresAt: nowMs }, nowMs), 2 ** 31 - 1, 'no longer than a timer takes');
  t.end();
});

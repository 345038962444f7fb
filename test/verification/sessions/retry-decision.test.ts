import fc from 'fast-check';
import t from 'tap';
import { decideRetry, retryFault } from '../../../src/verification/sessions/session-state.js';

const nowMs = 1_800_000_000_000;
const ended = { expiresAt: new Date(nowMs - 1), completedAt: new Date(nowMs - 10) };
const open = { expiresAt: new Date(nowMs + 1), completedAt: null, status: null };
const after = (retries: number) => ({ retries, hasPassed: false });

t.test('a failed session is tried again while the chain has budget, and the first retry is 1', (t) => {
  const failed = { ...ended, status: 'fail' as const };
  t.same(decideRetry(failed, { chain: after(0), maxRetries: 3, nowMs }), { kind: 'retry', retryCount: 1 });
  t.same(decideRetry(failed, { chain: after(2), maxRetries: 3, nowMs }), { kind: 'retry', retryCount: 3 });
  t.same(decideRetry(failed, { chain: after(3), maxRetries: 3, nowMs }), {
    kind: 'refused',
    reason: 'budget_exhausted',
  });
  t.same(decideRetry(failed, { chain: after(0), maxRetries: 0, nowMs }), {
    kind: 'refused',
    reason: 'budget_exhausted',
  });
  t.end();
});

t.test('a session that is open, expired or did not fail is not tried again', (t) => {
  const budget = { chain: after(0), maxRetries: 3, nowMs };
  t.same(decideRetry(open, budget), { kind: 'refused', reason: 'not_completed' });
  t.same(decideRetry({ ...open, expiresAt: new Date(nowMs - 1) }, budget), {
    kind: 'refused',
    reason: 'not_completed',
  });
  for (const status of ['pass', 'review'] as const)
    t.same(decideRetry({ ...ended, status }, budget), { kind: 'refused', reason: 'not_failed' });
  t.end();
});

t.test('a chain that has passed is over, whatever is left of its budget', (t) => {
  const chain = { retries: 1, hasPassed: true };
  const decision = decideRetry({ ...ended, status: 'fail' }, { chain, maxRetries: 3, nowMs });
  t.same(decision, { kind: 'refused', reason: 'chain_passed' });
  t.end();
});

t.test('however retries come, a chain never has more than its budget', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 30 }), (maxRetries, asked) => {
      let retries = 0;
      for (let n = 0; n < asked; n += 1) {
        const decision = decideRetry({ ...ended, status: 'fail' }, { chain: after(retries), maxRetries, nowMs });
        if (decision.kind === 'retry') retries = decision.retryCount;
      }
      return retries === Math.min(maxRetries, asked);
    }),
  );
  t.end();
});

t.test('a page learns of a spent budget by a code of its own, a backend by NOT_RETRYABLE', (t) => {
  const spent = { kind: 'refused', reason: 'budget_exhausted' } as const;
  t.equal(retryFault(spent, 'page').code, 'RETRY_BUDGET_EXHAUSTED');
  t.equal(retryFault(spent, 'backend').code, 'NOT_RETRYABLE');
  t.equal(retryFault({ kind: 'refused', reason: 'not_failed' }, 'page').code, 'NOT_RETRYABLE');
  t.end();
});

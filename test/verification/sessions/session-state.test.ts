import t from 'tap';
import { requireResult, requireVerifiable, stateOf } from '../../../src/verification/sessions/session-state.js';

const nowMs = 1_800_000_000_000;
const at = (offsetMs: number): Date => new Date(nowMs + offsetMs);
const created = { expiresAt: at(1), completedAt: null };
const expired = { expiresAt: at(0), completedAt: null };
const completed = { expiresAt: at(-5_000), completedAt: at(-9_000) };

t.test('a session is created until it completes or expires, and completed for ever', (t) => {
  t.equal(stateOf(created, nowMs), 'created');
  t.equal(stateOf(expired, nowMs), 'expired');
  t.equal(stateOf(completed, nowMs), 'completed');
  t.end();
});

t.test('only a created session is verified', (t) => {
  t.doesNotThrow(() => requireVerifiable(created, nowMs));
  t.throws(() => requireVerifiable(completed, nowMs), { code: 'SESSION_COMPLETED' });
  t.throws(() => requireVerifiable(expired, nowMs), { code: 'SESSION_EXPIRED' });
  t.end();
});

t.test('a result is there from completion for as long as its token is valid', (t) => {
  t.doesNotThrow(() => requireResult(completed, 10, nowMs));
  t.throws(() => requireResult(completed, 9, nowMs), { code: 'SESSION_EXPIRED' });
  t.throws(() => requireResult(created, 10, nowMs), { code: 'CONFLICT' });
  t.throws(() => requireResult(expired, 10, nowMs), { code: 'SESSION_EXPIRED' });
  t.end();
});

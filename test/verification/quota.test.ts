/** The part of a month's quota that anonymous sessions may take, and what is left to named ones. */
import t from 'tap';
import { anonymousLimitOf, freeAgainAt } from '../../src/verification/quota.js';

const startMs = Date.UTC(2026, 3, 1);
const endMs = Date.UTC(2026, 4, 1);
const at = (share: number): number => startMs + share * (endMs - startMs);

t.test('half of the quota is kept for named sessions, less as the month goes by', (t) => {
  const cases: readonly (readonly [quota: number, share: number, limit: number])[] = [
    [100, 0, 50],
    [100, 0.5, 75],
    [100, 0.9999, 100],
    [5, 0, 3],
    [1, 0, 1],
    [100_000, 0, 50_000],
    [100_000, 0.1, 55_000],
  ];
  for (const [quota, share, limit] of cases) t.equal(anonymousLimitOf(quota, at(share)), limit, `${quota} at ${share}`);
  t.end();
});

t.test('anonymous use that is spread over the month reaches the full quota', (t) => {
  for (const quota of [1, 7, 1_000])
    for (let used = 0; used < quota; used += 1)
      if (used >= anonymousLimitOf(quota, at(used / quota))) t.fail(`number ${used + 1} of ${quota} is refused`);
  t.end();
});

t.test('a flood of anonymous passes leaves named sessions half of the quota over the month', (t) => {
  const quota = 1_000;
  let used = 0;
  for (let step = 0; step < 1_000; step += 1) {
    used = Math.max(used, anonymousLimitOf(quota, at(step / 1_000)));
    if (step % 2 === 0) used += 1;
    if (used > quota) t.fail(`the month is used up at ${step}`);
  }
  t.equal(used, quota, 'and all of it is used');
  t.end();
});

t.test('a refusal names the moment from which an anonymous session completes again', (t) => {
  for (const quota of [5, 30, 1_000])
    for (let used = anonymousLimitOf(quota, startMs); used < quota; used += 1) {
      const resetMs = freeAgainAt(quota, used, startMs);
      if (resetMs > endMs || anonymousLimitOf(quota, resetMs) <= used) t.fail(`${used} of ${quota}`);
      const earlierMs = Math.max(startMs, resetMs - 2_000);
      if (used < anonymousLimitOf(quota, earlierMs)) t.fail(`${used} of ${quota} waits too long`);
    }
  t.equal(freeAgainAt(5, 5, startMs), endMs);
  t.end();
});

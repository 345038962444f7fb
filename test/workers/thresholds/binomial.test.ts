import fc from 'fast-check';
import t from 'tap';
import { betaShare, lowerBound, trialsNeeded, upperBound } from '../../../workers/thresholds/statistics.js';

t.test('the numbers of honest sessions that a target needs are the published ones', async (t) => {
  t.same(
    [0, 1, 2].map((events) => trialsNeeded(events, 0.01, 0.95)),
    [299, 473, 628],
    '1% with 0, 1 and 2 errors',
  );
  t.same(
    [0, 1, 2].map((events) => trialsNeeded(events, 0.005, 0.95)),
    [598, 947, 1_258],
    '0.5% with 0, 1 and 2 errors',
  );
});

t.test('bounds agree with published tables of Clopper and Pearson', async (t) => {
  // Two-sided 95% for 10 of 100 and 1 of 20, which are one-sided 97.5%.
  t.ok(Math.abs(lowerBound(10, 100, 0.975) - 0.0490047) < 1e-6);
  t.ok(Math.abs(upperBound(10, 100, 0.975) - 0.1762226) < 1e-6);
  t.ok(Math.abs(lowerBound(1, 20, 0.975) - 0.0012651) < 1e-6);
  t.ok(Math.abs(upperBound(1, 20, 0.975) - 0.2487328) < 1e-6);
});

t.test('without events the upper bound is that of the closed form', async (t) => {
  for (const trials of [1, 59, 598, 100_000])
    t.ok(Math.abs(upperBound(0, trials, 0.95) - (1 - 0.05 ** (1 / trials))) < 1e-9);
});

t.test('nothing tried says nothing', async (t) => {
  t.equal(upperBound(0, 0, 0.95), 1);
  t.equal(lowerBound(0, 0, 0.95), 0);
});

t.test('a bound lies on its side of what was observed, and more events never lower it', async () => {
  fc.assert(
    fc.property(fc.nat({ max: 2_000 }), fc.integer({ min: 1, max: 2_000 }), (events, further) => {
      const trials = events + further;
      const observed = events / trials;
      const upper = upperBound(events, trials, 0.95);
      if (upper < observed || lowerBound(events, trials, 0.95) > observed) return false;
      return events + 1 > trials || upperBound(events + 1, trials, 0.95) >= upper;
    }),
  );
});

t.test('the beta distribution is a distribution', async () => {
  const parameter = fc.double({ min: 0.5, max: 5_000, noNaN: true });
  fc.assert(
    fc.property(parameter, parameter, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, x) => {
      const share = betaShare(x, a, b);
      return share >= -1e-9 && share <= 1 + 1e-9 && Math.abs(share + betaShare(1 - x, b, a) - 1) < 1e-6;
    }),
  );
});

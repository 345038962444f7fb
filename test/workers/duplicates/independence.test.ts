import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import type { Neighborhood } from '../../../src/contract/facts.js';
import { judgeIndependence } from '../../../workers/duplicates/independence.js';
import { anyFacts } from '../../helpers/any-facts.js';
import { cleanCounts, cleanFacts, humanFacts } from '../../helpers/facts.js';

/** A hundred sessions from a hundred networks. */
const scattered: Neighborhood = {
  sessions: 100,
  direct: 0,
  linked: 0,
  prefixSessions: 1,
  prefixSquares: 100,
  prefixes: 100,
};
const judge = (over: Partial<Neighborhood>, network: 'residential' | 'mobile' = 'residential') =>
  judgeIndependence({
    measured: true,
    counts: cleanCounts({ neighborhood: { ...scattered, ...over } }),
    address: { ...cleanFacts().address, network },
  });

t.test('scattered sessions are independent, and so is a household', (t) => {
  t.same(judge({}), { score: 100, band: 'independent', measured: true, grade: null, factors: [] });
  t.match(judge({ direct: 2 }), { band: 'independent' });
  t.end();
});

t.test('a cluster is concentrated, direct where this session holds an edge and linked otherwise', (t) => {
  t.match(judge({ direct: 12 }), { band: 'concentrated', grade: 'direct' });
  t.match(judge({ direct: 0, linked: 20 }), { band: 'concentrated', grade: 'linked' });
  t.match(judge({ direct: 4, linked: 2 }), { band: 'shared', grade: null });
  t.ok(judge({ direct: 12 }).factors.length > 0);
  t.end();
});

t.test('a network that sends most of the sample concentrates it, unless strangers share it', (t) => {
  const half = { prefixSessions: 60, prefixSquares: 60 * 60 + 40, prefixes: 41 };
  t.match(judge(half), { band: 'concentrated', grade: 'linked' });
  t.ok(judge(half, 'mobile').score > judge(half).score);
  t.end();
});

t.test('under ten sessions nothing is flagged, and the factors say what is missing', (t) => {
  t.match(judge({ sessions: 9, direct: 8, prefixSessions: 9, prefixSquares: 81, prefixes: 1 }), {
    score: 100,
    band: 'independent',
    measured: false,
    grade: null,
    factors: [/^Too few sessions: 9 .* 10 are needed/],
  });
  t.match(judgeIndependence(cleanFacts({ counts: null })), {
    score: 100,
    band: 'independent',
    measured: false,
    factors: [/^Not measured/],
  });
  t.end();
});

t.test(
  'a sample of ten is graded with wide limits: a farm is concentrated, a campus and what chance brings are not',
  (t) => {
    const ten = (own: number, network: 'residential' | 'education' | 'mobile' = 'residential') => {
      const over = { sessions: 10, prefixSessions: own, prefixSquares: own ** 2 + 10 - own, prefixes: 11 - own };
      return judgeIndependence({
        measured: true,
        counts: cleanCounts({ neighborhood: { ...scattered, ...over } }),
        address: { ...cleanFacts().address, network },
      });
    };
    t.match(ten(10), { band: 'concentrated', grade: 'linked', factors: [/10 of the last 10/, /one network/, /wide/] });
    t.match(ten(5), { band: 'shared' });
    const half = judge({ sessions: 500, prefixSessions: 250, prefixSquares: 250 ** 2 + 250, prefixes: 251 });
    t.ok(half.score < ten(5).score, 'half of ten prove less than half of five hundred');
    t.match(ten(2), { band: 'independent' });
    t.match(ten(10, 'education'), { score: 100, band: 'independent', factors: [] });
    t.match(ten(10, 'mobile'), { score: 100, band: 'independent' });
    t.end();
  },
);

t.test('any surroundings give a score from 0 to 100, and more ties never raise it', (t) => {
  fc.assert(
    fc.property(anyFacts, fc.nat({ max: 50 }), (facts, more) => {
      const before = judgeIndependence(facts);
      assert.ok(before.score >= 0 && before.score <= 100 && Number.isInteger(before.score));
      assert.equal(before.grade === null, before.band !== 'concentrated');
      if (facts.counts === null) return;
      const neighborhood = { ...facts.counts.neighborhood, direct: facts.counts.neighborhood.direct + more };
      assert.ok(judgeIndependence({ ...facts, counts: { ...facts.counts, neighborhood } }).score <= before.score);
    }),
  );
  t.end();
});

t.test('one session is singular in every factor', (t) => {
  const input = humanFacts({ counts: cleanCounts({ neighborhood: { ...scattered, sessions: 1 } }) }).probe;
  const repeated = (repeats: number) =>
    judgeIndependence({
      ...cleanFacts({ counts: cleanCounts({ neighborhood: { ...scattered, sessions: 1 } }) }),
      probe: input && { ...input, transport: { ...input.transport, repeats } },
    });
  t.match(repeated(1), { measured: true, factors: [/^1 other session had/, /^Only 1 session:/] });
  t.match(repeated(2), { factors: [/^2 other sessions had/] });
  t.match(judge({ direct: 1, linked: 9 }).factors, [/^1 of the last 100 sessions shares a device/, /^9 further/]);
  t.match(judge({ direct: 9, linked: 1 }).factors, [
    /^9 of the last 100 sessions share a device/,
    /^1 further session is/,
  ]);
  t.end();
});

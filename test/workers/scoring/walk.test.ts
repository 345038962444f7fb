/**
 * Which findings moved the score: taken strongest first, each of `against` raises the whole-number score and each of `for` lowers it.
 */
import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { anyFacts } from '../../helpers/any-facts.js';
import { cleanCounts, cleanFacts, humanFacts } from '../../helpers/facts.js';

const codes = (list: readonly { readonly code: string }[]) => list.map(({ code }) => code);

t.test('a finding that contributed nothing to the applied score is never placed in against', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { score, evidence } = scoreFacts(facts).reply;
      if (score === 0) assert.deepEqual(evidence.against, []);
      else assert.ok(evidence.against.length > 0);
      assert.ok(evidence.against.length <= score, 'each raises the score by one at least');
    }),
    { numRuns: 600 },
  );
  t.end();
});

t.test('under a ceiling only what led up to it stands in against', (t) => {
  const { reply } = scoreFacts(
    humanFacts(
      {},
      { auto: { webdriver: true, globals: ['cdc_x'] }, lies: ['proxy.a', 'proxy.b', 'worker.gpu', 'own.x'] },
    ),
  );
  const many = codes(reply.evidence.against);
  t.ok(many.includes('webdriver'));
  const { reply: small } = scoreFacts(
    humanFacts(
      { calibration: { ...cleanFacts().calibration, reviewLow: 10, blockThreshold: 20 } },
      { auto: { webdriver: true, globals: ['cdc_x'] }, lies: ['proxy.a', 'own.x'] },
    ),
  );
  t.equal(small.score, 19);
  t.same(codes(small.evidence.against), ['webdriver']);
  t.same(codes(small.evidence.notes.filter(({ class: kind }) => kind === 'correlate')).sort(), [
    'automation_globals',
    'lies_own',
    'lies_proxy',
  ]);
  t.ok(small.evidence.notes.every(({ strength }) => strength === 'none'));
  t.end();
});

t.test('of two findings that saturate the score one stands, not none', (t) => {
  const facts: ScoreFacts = cleanFacts({
    counts: cleanCounts({ deviceRespondentsDay: 9 }),
    history: { respondent: { n: 3, fraud: 3, confirmedClawbacks: 1 }, source: null, subSource: null },
    calibration: {
      ...cleanFacts().calibration,
      dispositiveSignals: ['device_farm', 'confirmed_clawback'],
      blockThreshold: 100,
    },
  });
  const { score, evidence } = scoreFacts(facts).reply;
  t.equal(score, 100);
  t.ok(evidence.against.length >= 1);
  t.end();
});

t.test('what speaks in favour stands in for only where it lowered the score', (t) => {
  const { evidence } = scoreFacts(humanFacts()).reply;
  t.same(evidence.for, []);
  t.ok(codes(evidence.notes).includes('pointer_humanlike'));
  const helped = scoreFacts(humanFacts({ address: { ...cleanFacts().address, network: 'hosting' } })).reply;
  t.ok(helped.evidence.for.length > 0 || helped.score === 0);
  t.end();
});

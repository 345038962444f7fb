/** The words of a verdict say what its numbers say: over the reference sessions, and over any facts. */
import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import { unmeasuredAxes } from '../../../src/contract/axes.js';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { rankOf } from '../../../workers/scoring/risk.js';
import { rules } from '../../../workers/scoring/rule-set.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { englishSummary } from '../../../workers/evidence/texts/en.js';
import { anyFacts } from '../../helpers/any-facts.js';
import { readReferenceSessions } from '../../helpers/reference-sessions.js';

const sessions = readReferenceSessions();

/** Holds for each reference session and for 600 others. */
function holds(claim: (outcome: ReturnType<typeof scoreFacts>, facts: ScoreFacts) => void): void {
  for (const { recorded, facts } of sessions) {
    try {
      claim(scoreFacts(facts), facts);
    } catch (error) {
      throw new Error(`${recorded.session}: ${scoreFacts(facts).reply.evidence.summary}`, { cause: error });
    }
  }
  fc.assert(
    fc.property(anyFacts, (facts) => claim(scoreFacts(facts), facts)),
    { numRuns: 600 },
  );
}

const { openings, ceilings, parts } = englishSummary;

t.test('the summary names the score, the foremost finding against, how many follow, and the foremost in favor', (t) => {
  holds(({ reply: { score, evidence } }) => {
    const { summary, against, for: favor } = evidence;
    assert.ok(summary.startsWith(`Risk ${score} of 100. `));
    assert.equal(summary.includes('Main finding: '), against.length > 0);
    if (against[0] !== undefined) assert.ok(summary.includes(`Main finding: ${against[0].detail}`));
    assert.equal(summary.includes('One further finding'), against.length === 2);
    const further = against.length > 2 ? `${against.length - 1} further findings are` : null;
    assert.equal(/\d+ further findings are/.exec(summary)?.[0] ?? null, further);
    assert.equal(summary.includes('In its favor: '), favor.length > 0);
    if (favor[0] !== undefined) assert.ok(summary.includes(`In its favor: ${favor[0].detail}`));
  });
  t.end();
});

t.test('notes hold nothing that moved the score, the other lists nothing that did not, the foremost first', (t) => {
  holds(({ reply: { evidence }, contributions }) => {
    const codesOf = (list: 'against' | 'for' | 'notes') => evidence[list].map(({ code }) => code).sort();
    const moved = contributions.filter((one) => one.moved);
    const codes = (some: typeof contributions) => some.map(({ code }) => code).sort();
    assert.deepEqual(codesOf('against'), codes(moved.filter(({ applied }) => applied > 0)));
    assert.deepEqual(codesOf('for'), codes(moved.filter(({ applied }) => applied < 0)));
    assert.deepEqual(codesOf('notes'), codes(contributions.filter((one) => !one.moved)));
    for (const { strength } of evidence.notes) assert.equal(strength, 'none');
    for (const list of ['against', 'for'] as const) {
      for (const { strength } of evidence[list]) assert.notEqual(strength, 'none');
      const ranks = evidence[list].map(({ code }) => {
        const { weight, applied } = contributions.find((one) => one.code === code) ?? { weight: 0, applied: 0 };
        const rule = rules[code];
        assert.ok(rule);
        return rankOf({ signal: { code, rule, weight, value: null }, applied, discounted: 0, moved: true });
      });
      assert.deepEqual(
        ranks,
        ranks.toSorted((a, b) => b - a),
      );
    }
  });
  t.end();
});

t.test('no opening contradicts the recommendation, the score or the findings', (t) => {
  holds(({ reply }, { calibration: { reviewLow, blockThreshold } }) => {
    const { score, recommendation, verdictClass, evidence } = reply;
    const said = Object.entries(openings).filter(([, opening]) => evidence.summary.includes(` ${opening}`));
    const [name] = said[0] ?? [];
    assert.equal(said.length, 1);
    if (verdictClass === 'verified_agent') return assert.match(name ?? '', /^agent/);
    const isStrong = evidence.against.some(({ strength }) => strength === 'strong');
    if (name === 'allow' || name === 'nothingMeasured') {
      assert.equal(recommendation, 'allow');
      assert.ok(!isStrong && (score === 0 || score < reviewLow / 2), 'little is little');
    }
    if (name === 'below' || name === 'automatedAllow') assert.ok(recommendation === 'allow' && score < reviewLow);
    if (name === 'review') assert.ok(recommendation === 'review' && score >= reviewLow && score > 0);
    if (name === 'review') assert.ok(evidence.against.some((finding) => finding.class !== 'diagnostic'));
    if (name === 'policy') assert.ok(reply.ceilings.includes('policy') && recommendation === 'review');
    if (name === 'failedStepUp') assert.ok(evidence.summary.includes('failed') && recommendation === 'review');
    if (name === 'block') assert.ok(recommendation === 'block' && score >= blockThreshold && score > 0);
    assert.equal(name === 'step_up', recommendation === 'step_up');
  });
  t.end();
});

t.test('an axis that was not measured is said to be unmeasured, and none else', (t) => {
  holds(({ reply }) => {
    const { evidence, duplicate, verdictClass, degradedSignals, categories } = reply;
    const [, list = ''] = /Not measured: ([^.]*)\.$/.exec(evidence.summary) ?? [];
    const named = list === '' ? [] : list.split(', ');
    const unmeasured = unmeasuredAxes(reply);
    for (const axis of unmeasured) assert.ok(named.includes(parts[axis]), axis);
    assert.equal(named.includes(parts.duplicate), !duplicate.measured);
    assert.equal(new Set(named).size, named.length);
    for (const axis of ['network', 'velocity', 'behavior', 'history'] as const)
      assert.equal(named.includes(parts[axis]), unmeasured.includes(axis));
    const lacksProbe = degradedSignals.some((code) => /probe_(missing|unusable|unreadable)/.test(code));
    if (verdictClass === 'human') assert.ok(!named.includes(parts.device));
    else if (named.includes(parts.device) && categories.device > 0) assert.ok(lacksProbe || !degradedSignals.length);
    if (unmeasured.length > 0) assert.ok(!evidence.summary.includes(openings.allow) || reply.score > 0);
  });
  t.end();
});

t.test('a ceiling that is explained fits the findings', (t) => {
  holds(({ reply, caps }) => {
    for (const [name, sentence] of Object.entries(ceilings))
      assert.equal(
        reply.evidence.summary.includes(sentence),
        reply.ceilings.some((ceiling) => ceiling === name),
      );
    if (reply.ceilings.includes('policy')) assert.ok(caps.some((cap) => cap.startsWith('policy:')));
    assert.doesNotMatch(reply.evidence.summary, /Only one kind/, 'weak ones of other kinds may be listed as well');
  });
  t.end();
});

import t from 'tap';
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describeSignal } from '../../../workers/scoring/model.js';
import { modelVersion, rules } from '../../../workers/scoring/rule-set.js';
import { scoreFacts } from '../../../workers/scoring/score.js';
import { degradedSignals } from '../../../src/contract/score.js';
import { cleanFacts } from '../../helpers/facts.js';
import { anyFacts } from '../../helpers/any-facts.js';

t.test('the rule set has one name, and every outcome carries it', (t) => {
  t.match(modelVersion, /^[0-9a-f]{16}$/);
  t.equal(scoreFacts(cleanFacts()).modelVersion, modelVersion);
  t.end();
});

const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

t.test('docs/reference/findings.md documents every finding as the tables have it, and no other', (t) => {
  const rows = rowsOf(readFileSync('docs/reference/findings.md', 'utf8'));
  t.same(rows.map(([code]) => code?.replaceAll('`', '')).sort(), Object.keys(rules).sort());
  for (const [code = '', kind, severity, meaning] of rows) {
    const rule = rules[code.replaceAll('`', '')];
    t.same([kind, severity], [rule?.class, rule?.severity], code);
    t.equal(meaning, rule && describeSignal({ code, rule, weight: 0, value: '…' }), code);
  }
  t.end();
});

t.test('docs/reference/score.md explains every degraded signal', (t) => {
  const [, section = ''] = readFileSync('docs/reference/score.md', 'utf8').split('## Degraded signals');
  t.same(
    rowsOf(section)
      .map(([code]) => code?.replaceAll('`', '') ?? '')
      .sort(),
    [...degradedSignals].sort(),
  );
  t.end();
});

t.test('the sign of a weight follows from the class of its rule', (t) => {
  for (const [code, rule] of Object.entries(rules)) {
    if (rule.class === 'exculpatory') t.ok(rule.weight < 0, code);
    else t.ok(rule.weight >= 0, code);
    if (rule.axis === 'duplicate') t.equal(rule.weight, 0, code);
    t.match(rule.detail, /[.}]$/, code);
  }
  t.end();
});

t.test('every finding of a reply comes from the tables', (t) => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { evidence } = scoreFacts(facts).reply;
      for (const finding of [...evidence.against, ...evidence.for, ...evidence.notes]) {
        const rule = rules[finding.code];
        assert.ok(
          rule?.class === finding.class && rule.axis === finding.axis && rule.severity === finding.severity,
          finding.code,
        );
        assert.doesNotMatch(finding.detail, /\{value\}|undefined|null|NaN/);
      }
    }),
    { numRuns: 400 },
  );
  t.end();
});

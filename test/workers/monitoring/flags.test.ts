import fc from 'fast-check';
import t from 'tap';
import type { Observation } from '../../../src/contract/monitoring.js';
import type { QuestionSnapshot } from '../../../src/contract/probe.js';
import type { Monitoring } from '../../../src/contract/project-parts.js';
import { findFlags } from '../../../workers/monitoring/flags.js';

const question: QuestionSnapshot = {
  questionId: 'q1',
  timeOnQuestionMs: 5_000,
  mouseMoveCount: 10,
  keyCount: 20,
  pasteCount: 1,
  focusEntries: 2,
  focusExits: 1,
};
const observe = (over: Partial<Observation>): Observation => ({
  behavior: undefined,
  questions: [],
  pageAgent: null,
  transport: { userAgent: null, acceptLanguage: null, hintPlatform: null, hintMobile: null },
  ...over,
});
const scripted = { moves: 0, clicks: 4, keys: 0, untrusted: 40 } as const;

t.test('without thresholds nothing is flagged, whatever was observed', (t) => {
  const bad = observe({ behavior: scripted, questions: [{ ...question, ended: true, pasteCount: 500 }] });
  for (const monitoring of [{}, { question: {} }]) t.same(findFlags(bad, monitoring), []);
  t.end();
});

t.test(
  'an anomaly is flagged above the threshold, not at it, with a sentence and without the project’s other numbers',
  (t) => {
    const [flag, ...others] = findFlags(observe({ behavior: scripted }), { anomalyThreshold: 0.9 });
    t.match(flag, {
      kind: 'anomaly',
      type: 'input_untrusted',
      score: 0.96,
      threshold: 0.9,
      detail: /Scripts produced.*40/,
    });
    t.same(others, []);
    t.same(findFlags(observe({ behavior: scripted }), { anomalyThreshold: 0.96 }), [], 'at the threshold');
    t.same(
      findFlags(observe({ behavior: { moves: 30, clicks: 2, keys: 10 } }), { anomalyThreshold: 0 }),
      [],
      'an ordinary hand',
    );
    t.end();
  },
);

t.test('each limit of a question is held on its own side, and least values to ended questions only', (t) => {
  const cases: readonly [NonNullable<Monitoring['question']>, Partial<QuestionSnapshot>, number | null][] = [
    [{ minTimeMs: 1_000 }, { timeOnQuestionMs: 999, ended: true }, 999],
    [{ minTimeMs: 1_000 }, { timeOnQuestionMs: 1_000, ended: true }, null],
    [{ minTimeMs: 1_000 }, { timeOnQuestionMs: 10 }, null],
    [{ maxTimeMs: 1_000 }, { timeOnQuestionMs: 1_001 }, 1_001],
    [{ maxTimeMs: 1_000 }, { timeOnQuestionMs: 1_000 }, null],
    [{ maxPastes: 0 }, { pasteCount: 1 }, 1],
    [{ maxPastes: 1 }, { pasteCount: 1 }, null],
    [{ maxFocusExits: 2 }, { focusExits: 3 }, 3],
    [{ minMouseMoves: 1 }, { mouseMoveCount: 0, ended: true }, 0],
    [{ minMouseMoves: 1 }, { mouseMoveCount: 0, ended: false }, null],
    [{ minKeys: 5 }, { keyCount: 4, ended: true }, 4],
  ];
  for (const [limits, over, value] of cases) {
    const [[metric, threshold] = []] = Object.entries(limits);
    t.same(
      findFlags(observe({ questions: [{ ...question, ...over }] }), { question: limits }),
      value === null ? [] : [{ kind: 'question', questionId: 'q1', metric, value, threshold }],
      JSON.stringify([limits, over]),
    );
  }
  t.end();
});

t.test('scores stay between 0 and 1 and above their threshold, whatever a page claims', (t) => {
  const count = fc.option(fc.nat(1_000_000_000));
  const behavior = fc.record({
    moves: count,
    clicks: count,
    keys: count,
    untrusted: count,
    clickBare: count,
    pressureZero: count,
    pasteChars: count,
  });
  fc.assert(
    fc.property(behavior, fc.double({ min: 0, max: 1, noNaN: true }), (claimed, anomalyThreshold) =>
      findFlags(observe({ behavior: claimed }), { anomalyThreshold }).every(
        (flag) => flag.kind === 'anomaly' && flag.score <= 1 && flag.score > flag.threshold,
      ),
    ),
  );
  t.end();
});

/** The score as a dial, the recommendation, and the six axes. */
import { bar, h, s } from './dom.js';
import { axes, recommendations, riskAxes, verdictClasses, verdictMeanings } from './words.js';

export function verdictCard({ score, recommendation, verdictClass, evidence }) {
  const { label, tone, advice } = recommendations[recommendation] ?? {
    label: recommendation,
    tone: 'plain',
    advice: '',
  };
  return h(
    'div',
    { class: `card verdict tone-${tone}`, id: 'verdict' },
    dial(score),
    h(
      'div',
      { class: 'verdict-line' },
      h('span', { class: 'recommendation', id: 'recommendation', text: label }),
      h('span', { class: 'verdict-class', text: verdictClasses[verdictClass] ?? verdictClass }),
    ),
    h(
      'div',
      { class: 'verdict-words' },
      h('p', { class: 'summary', id: 'summary', text: evidence.summary }),
      h(
        'p',
        { class: 'muted' },
        advice,
        h('span', { class: 'verdict-meaning', text: ` ${verdictMeanings[verdictClass] ?? ''}` }),
      ),
    ),
  );
}

function dial(score) {
  const ring = { cx: 60, cy: 60, r: 54 };
  return h(
    'div',
    { class: 'dial', role: 'img', 'aria-label': `Risk score ${score} of 100; higher is riskier` },
    s(
      'svg',
      { viewBox: '0 0 120 120', 'aria-hidden': 'true' },
      s('circle', ring),
      score === 0
        ? null
        : s('circle', { ...ring, class: 'value', pathLength: 100, 'stroke-dasharray': `${score} 100` }),
    ),
    h(
      'div',
      { class: 'dial-text', 'aria-hidden': 'true' },
      h('span', { class: 'dial-number', id: 'score', text: score }),
      h('span', { class: 'dial-caption', text: 'risk of 100' }),
    ),
  );
}

/** `note` explains an axis that was not measured; null without one. */
export function axesCard({ categories, duplicate }, unmeasured, note) {
  return h(
    'section',
    { class: 'card stack', 'aria-labelledby': 'axes-title' },
    h('h2', { id: 'axes-title', text: 'Six axes' }),
    h(
      'div',
      { class: 'axes' },
      riskAxes.map((axis) =>
        axisRow(axis, unmeasured.includes(axis) ? null : categories[axis], toneOf(categories[axis])),
      ),
    ),
    h(
      'div',
      { class: 'axes axis-apart' },
      axisRow('duplicate', duplicate.measured ? categories.duplicate : null, 'info'),
      h('p', {
        class: 'small muted',
        text: 'Repeats are reported separately and never change the score.',
      }),
    ),
    note,
  );
}

/** null: not measured. */
function axisRow(axis, value, tone) {
  const [label, meaning] = axes[axis];
  return h(
    'div',
    { class: 'axis', 'data-axis': axis },
    h(
      'div',
      { class: 'axis-top' },
      h('span', {}, h('b', { text: label }), h('span', { class: 'small muted', text: ` ${meaning}` })),
      h('span', { class: 'axis-value', text: value ?? 'not measured' }),
    ),
    value === null ? h('div', { class: 'bar unmeasured', 'aria-hidden': 'true' }) : bar(value, tone),
  );
}

/** Only a colour; what to do is the recommendation’s to say. */
function toneOf(value) {
  if (value >= 75) return 'bad';
  return value >= 40 ? 'warn' : 'good';
}

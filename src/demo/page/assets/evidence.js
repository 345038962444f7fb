/** The evidence in words: what spoke against, what for, what was only noted, and what could not be measured. */
import { h } from './dom.js';
import { degradedSignals, findingClasses, severities } from './words.js';

export function evidenceCards({ evidence }) {
  return [
    findingsCard('against', 'Against', 'bad', evidence.against, 'Nothing spoke against this respondent.'),
    findingsCard('for', 'In favor', 'good', evidence.for, 'No particular evidence in this respondent’s favor.'),
    findingsCard('notes', 'Noted, moved nothing', 'plain', evidence.notes, 'Nothing else was noted.'),
  ];
}

function findingsCard(name, title, tone, findings, nothing) {
  return h(
    'section',
    {
      class: `card stack tone-${findings.length > 0 ? tone : 'plain'}`,
      'aria-labelledby': `${name}-title`,
      id: `evidence-${name}`,
    },
    h(
      'div',
      { class: 'section-title' },
      h('h2', { id: `${name}-title`, text: title }),
      h('span', { class: 'count', text: findings.length }),
    ),
    findings.length === 0
      ? h('p', { class: 'muted', text: nothing })
      : h('ul', { class: 'findings' }, findings.map(findingItem)),
  );
}

function findingItem({ code, class: kind, axis, severity, strength, detail }) {
  const [label, tone] = severities[severity] ?? [severity, 'plain'];
  return h(
    'li',
    { class: 'finding' },
    h('p', { text: detail }),
    h(
      'div',
      { class: 'finding-meta' },
      kind === 'exculpatory' ? null : h('span', { class: `chip tone-${tone}`, text: label }),
      strength === 'none' ? null : h('span', { class: 'chip tone-plain', text: `${strength} evidence` }),
      h('span', { class: 'small muted', text: `${findingClasses[kind] ?? kind} · ${axis}` }),
      h('code', { text: code }),
    ),
  );
}

/** Nothing where everything was measured. */
export function degradedCard({ degradedSignals: signals }) {
  if (signals.length === 0) return null;
  return h(
    'section',
    { class: 'card stack tone-warn', 'aria-labelledby': 'degraded-title', id: 'degraded' },
    h(
      'div',
      { class: 'section-title' },
      h('h2', { id: 'degraded-title', text: 'Not measured' }),
      h('span', { class: 'count', text: signals.length }),
    ),
    h('p', {
      class: 'muted',
      text: 'Missing is not held against a respondent unless a project says so. It is named, so that nobody takes it for a clean result.',
    }),
    h(
      'ul',
      { class: 'degraded' },
      signals.map((code) => h('li', {}, h('span', { text: degradedSignals[code] ?? code }), h('code', { text: code }))),
    ),
  );
}

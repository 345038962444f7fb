/** The evidence in words: what spoke against, what for, what was only noted, and what could not be measured. */
import { h } from './dom.js';
import { degradedSignals, findingClasses, severities } from './words.js';

/** Findings of a list that stand open. */
const shownMax = 3;

export const againstCard = ({ evidence }) =>
  findingsCard('against', 'Against', 'bad', evidence.against, 'No evidence against this respondent.');

export const forCard = ({ evidence }) =>
  findingsCard('for', 'In favor', 'good', evidence.for, 'No particular evidence in this respondent’s favor.');

/** Findings that the score did not need, because they weigh nothing or could not be measured. */
export function notesCard({ evidence, degradedSignals: signals }) {
  // A measurement that is missing stands in its own list.
  const notes = evidence.notes.filter(({ code }) => !signals.includes(code));
  const seen =
    notes.length === 0
      ? h('p', { class: 'muted', text: 'Nothing else noted.' })
      : h('ul', { class: 'findings' }, notes.map(findingItem));
  return h(
    'section',
    { class: 'card stack tone-plain', 'aria-labelledby': 'notes-title', id: 'evidence-notes' },
    titleOf('notes', 'Noted, not scored', notes.length + signals.length),
    h('div', { class: signals.length === 0 ? 'stack' : 'grid two' }, part('Noted', seen), unmeasured(signals)),
  );
}

function findingsCard(name, title, tone, findings, nothing) {
  return h(
    'section',
    {
      class: `card stack tone-${findings.length > 0 ? tone : 'plain'} ${findings.length > 0 ? '' : 'is-empty'}`,
      'aria-labelledby': `${name}-title`,
      id: `evidence-${name}`,
    },
    titleOf(name, title, findings.length),
    findings.length === 0 ? h('p', { class: 'muted', text: nothing }) : findingLists(findings),
  );
}

/** The foremost ones, and the rest behind a fold. */
function findingLists(findings) {
  const listOf = (some) => h('ul', { class: 'findings' }, some.map(findingItem));
  const rest = findings.slice(shownMax);
  if (rest.length === 0) return listOf(findings);
  return [
    listOf(findings.slice(0, shownMax)),
    h('details', {}, h('summary', { text: `${rest.length} more` }), listOf(rest)),
  ];
}

function titleOf(name, title, count) {
  return h(
    'div',
    { class: 'section-title' },
    h('h2', { id: `${name}-title`, text: title }),
    h('span', { class: 'count', text: count }),
  );
}

const part = (title, ...children) => h('div', { class: 'stack part' }, h('h3', { text: title }), children);

/** One chip: how severe, or for what speaks in favor how strong. */
function findingItem({ code, class: kind, axis, severity, strength, detail }) {
  const [label, tone] = kind === 'exculpatory' ? [strength, 'good'] : (severities[severity] ?? [severity, 'plain']);
  const chip = strength === 'none' ? ['Noted', 'plain'] : [label, tone];
  return h(
    'li',
    { class: 'finding' },
    h('p', { text: detail }),
    h(
      'div',
      { class: 'finding-meta' },
      h('span', { class: `chip tone-${chip[1]}`, text: chip[0] }),
      h('span', { class: 'small muted', text: `${findingClasses[kind] ?? kind} · ${axis}` }),
      h('code', { text: code }),
    ),
  );
}

/** Nothing where everything was measured. */
function unmeasured(signals) {
  if (signals.length === 0) return null;
  return part(
    'Not measured',
    h('p', {
      class: 'small muted',
      text: 'Missing data does not raise risk unless the project says so. It is listed so that it is not mistaken for a clean result.',
    }),
    h(
      'ul',
      { class: 'degraded', id: 'degraded' },
      signals.map((code) => h('li', {}, h('span', { text: degradedSignals[code] ?? code }), h('code', { text: code }))),
    ),
  );
}

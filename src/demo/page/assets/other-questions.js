/** Two questions apart from risk: does somebody take part twice, and how independent is the session of the others? */
import { facts, h } from './dom.js';
import { duplicateBands, independenceBands, independenceGrades } from './words.js';

const countLabels = {
  deviceSessionsDay: 'Sessions of this device, 24 h',
  deviceRespondentsDay: 'People on this device, 24 h',
  respondentDay: 'Sessions of this person, 24 h',
  respondentDevicesWeek: 'Devices of this person, 7 days',
};

export function duplicateCard({ duplicate }) {
  const { score, band, measured, reasons, evidence } = duplicate;
  const [label, tone] = measured ? (duplicateBands[band] ?? [band, 'plain']) : ['Not measured', 'plain'];
  return card(
    'duplicate',
    'Duplicate',
    label,
    tone,
    figure(measured ? score : '–', 'of 100; 100 is a certain repeat'),
    facts(Object.entries(countLabels).map(([name, term]) => [term, evidence[name] ?? 'not measured'])),
    list(reasons.map(({ detail }) => detail)),
  );
}

export function independenceCard({ independence }) {
  const { score, band, measured, grade, factors } = independence;
  const [label, tone] = measured ? (independenceBands[band] ?? [band, 'plain']) : ['Not judged yet', 'plain'];
  return card(
    'independence',
    'Independence',
    label,
    tone,
    figure(measured ? score : '–', 'of 100; 100 is fully independent'),
    grade === null ? null : facts([['Links to other sessions', independenceGrades[grade] ?? grade]]),
    factors.length === 0
      ? h('p', { class: 'muted small', text: 'No links to other sessions of the study.' })
      : list(factors),
  );
}

function card(name, title, label, tone, ...children) {
  return h(
    'section',
    { class: `card stack tone-${tone}`, 'aria-labelledby': `${name}-title` },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: `${name}-title`, text: title }),
      h('span', { class: 'chip', text: label }),
    ),
    children,
  );
}

function figure(value, caption) {
  return h(
    'p',
    { class: 'figure' },
    h('span', { class: 'figure-number', text: value }),
    h('span', { class: 'small muted', text: caption }),
  );
}

function list(sentences) {
  return sentences.length === 0
    ? null
    : h(
        'ul',
        { class: 'plain-list' },
        sentences.map((text) => h('li', { text })),
      );
}

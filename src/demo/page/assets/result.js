/** The result as a whole: head with actions, verdict, axes, evidence, and what went over the wire. */
import { duplicateCard, independenceCard } from './other-questions.js';
import { facts, h } from './dom.js';
import { againstCard, forCard, notesCard } from './evidence.js';
import { replyCard, requestCard } from './request.js';
import { axesCard, verdictCard } from './verdict.js';
import { assurances, intensities } from './words.js';

/** `actions`: scoreAgain, newVisit, newPerson. Returns the elements of the view and where to say what the actions did. */
export function renderResult({ siteUrl, projectId }, answer, actions) {
  const { request, reply, unmeasured } = answer;
  const message = h('div', { id: 'message', role: 'status' });
  return {
    message,
    elements: [
      head(actions),
      message,
      verdictCard(reply),
      h('div', { class: 'grid two' }, againstCard(reply), forCard(reply)),
      h(
        'details',
        // A phone shows the verdict and its reasons first.
        { id: 'details', class: 'more', open: matchMedia('(min-width: 640px)').matches },
        h('summary', { text: 'Axes, notes and the request' }),
        h(
          'div',
          { class: 'view' },
          h(
            'div',
            { class: 'grid wide' },
            axesCard(reply, unmeasured, addressNote(request.clientIp)),
            h('div', { class: 'stack' }, duplicateCard(reply), independenceCard(reply)),
          ),
          notesCard(reply),
          moreCard(request, reply, projectId),
          h('div', { class: 'grid two' }, requestCard(siteUrl, answer), replyCard(answer)),
        ),
      ),
    ],
  };
}

function head({ scoreAgain, newVisit, newPerson }) {
  return h(
    'div',
    { class: 'result-head' },
    h('h1', { id: 'result-title', tabindex: '-1', text: 'Your result' }),
    h(
      'div',
      { class: 'result-actions' },
      h('button', {
        type: 'button',
        class: 'button compact',
        id: 'score-again',
        text: 'Score again',
        onclick: scoreAgain,
      }),
      h('button', {
        type: 'button',
        class: 'button quiet compact',
        id: 'new-visit',
        text: 'New visit',
        onclick: newVisit,
      }),
      h('button', {
        type: 'button',
        class: 'button quiet compact',
        id: 'new-person',
        text: 'New visitor',
        onclick: newPerson,
      }),
    ),
  );
}

function kindOfAddress(address) {
  if (/^(127\.|::1$)/.test(address)) return 'this machine itself';
  const isPrivate = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|f[cd]|fe[89ab])/i.test(address);
  return isPrivate ? 'a private network' : null;
}

/** A local try is normal, and its address is no evidence. */
function addressNote(address) {
  const kind = kindOfAddress(address);
  if (kind === null) return null;
  return h(
    'p',
    { class: 'callout', id: 'address-note' },
    'You are at ',
    h('code', { text: address }),
    `, an address of ${kind}. It has no network or country, so the network axis is not measured.`,
  );
}

function countryMatchText(match, declaredCountry) {
  if (match !== null) return match ? 'Agrees with the address' : 'Differs from the address';
  if (declaredCountry === undefined) return 'No country was declared';
  return 'Not measured: the address has no known country';
}

function moreCard({ declaredCountry }, reply, projectId) {
  const { declaredCountryMatch, stepUpIntensity, assuranceAvailable, sessionId, receiptId } = reply;
  return h(
    'section',
    { class: 'card stack', 'aria-labelledby': 'more-title' },
    h('h2', { id: 'more-title', text: 'Also in the reply' }),
    facts(
      [
        ['Declared country', countryMatchText(declaredCountryMatch, declaredCountry)],
        [
          'Step-up',
          `${intensities[stepUpIntensity] ?? stepUpIntensity}. ${assurances[assuranceAvailable] ?? assuranceAvailable}.`,
        ],
        ['Session', h('code', { text: sessionId })],
        [
          'Console',
          h('a', {
            id: 'console-link',
            href: `/console/${projectId}/sessions/${encodeURIComponent(sessionId)}`,
            text: 'Open this session in the console',
          }),
        ],
        ['Receipt', h('code', { id: 'receipt', text: receiptId })],
      ],
      'long',
    ),
  );
}

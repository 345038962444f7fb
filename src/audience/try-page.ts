/**
 * The page where a supplier tries an entry link: a form, and what came of the last try. It is English like the rest of the integration, has
 * no script, and sends its form as the query of its own address.
 */
import { renderFrame } from '../administration/pages/frame.js';
import { triedRidPrefix, type ExitStatus } from '../contract/supplier.js';
import { escapeHtml } from '../kernel/escape-html.js';
import { finished } from './link-problems.js';
import type { LinkTrial, ProvenLink, TriedExit } from './link-trial.js';

/** The values of a link that the form has fields for, in their order. */
export const triedFields = [
  ...(['study', 'src', 'rid', 'exp', 'sig', 'country', 'age', 'gender', 'profession'] as const),
] as const;
export type TriedQuery = { readonly [Name in 'link' | (typeof triedFields)[number]]?: string | undefined };

const title = 'Try an entry link';
const exitNames: Readonly<Record<ExitStatus, string>> = {
  complete: 'Complete',
  full: 'Quota full',
  screened_out: 'Screened out',
  quality: 'Quality',
  duplicate: 'Duplicate',
  finished: 'Finished before',
};

/** `trial`: null before the first try. */
export function renderTryPage(audienceUrl: string, query: TriedQuery, trial: LinkTrial | null): string {
  return renderFrame(
    {
      ...{ language: 'en', branding: null, brandSheet: `${audienceUrl}/pages/try.css` },
      sheet: `${audienceUrl}/pages/page.css`,
    },
    title,
    `<main id="page"><h1>${title}</h1>
<p>Check a signed link. No respondent enters the study, and no place is used.</p>
${trial === null ? '' : `<section class="result" role="status">${resultOf(trial)}</section>`}
${formOf(query)}</main>`,
    '',
  );
}

function formOf(query: TriedQuery): string {
  const isTyped = triedFields.some((name) => (query[name] ?? '') !== '');
  return `<form>${fieldOf('link', 'Entry link', query)}
<details${isTyped ? ' open' : ''}><summary>Type its values instead</summary>${triedFields.map((name) => fieldOf(name, name, query)).join('')}</details>
<div class="acts"><button>Try</button></div></form>
<p class="study">Start <code>rid</code> with <code>${triedRidPrefix}</code> to see the redirects in full. Give no respondent such an id.</p>`;
}

const fieldOf = (name: keyof TriedQuery, label: string, query: TriedQuery): string =>
  `<label>${label}<input name="${name}" value="${escapeHtml(query[name] ?? '')}" autocomplete="off" spellcheck="false"></label>`;

function resultOf(trial: LinkTrial): string {
  switch (trial.kind) {
    case 'malformed':
      return `<h2>The link is not well formed</h2><ul>${trial.problems.map(({ message }) => `<li>${escapeHtml(message)}</li>`).join('')}</ul>`;
    case 'unproven':
      return `<h2>The signature does not fit</h2><p>The link is well formed. Check study, src, secret and the signed lines.</p>`;
    case 'excluded':
      return `<h2>The study does not take your respondents</h2><p>The signature fits. Ask the buyer to add the supplier “${escapeHtml(trial.link.src)}” to the study.</p>`;
    case 'proven':
      return provenOf(trial);
  }
}

function provenOf(link: ProvenLink): string {
  const obstacles = obstaclesOf(link);
  const heading = obstacles.length === 0 ? 'The link opens the study' : 'The link does not open the study now';
  const notes = [...obstacles, ...link.ignored.map(({ message }) => message)];
  return `<h2>${heading}</h2>${notes.length === 0 ? '' : `<ul>${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join('')}</ul>`}
${listOf(factsOf(link))}
<h2>Redirects</h2>${listOf(link.exits.map((exit) => [exitNames[exit.status], redirectText(exit)]))}`;
}

/** Everything that keeps a respondent with the link from the gate, or from where they were. */
function obstaclesOf({ isExpired, isFielding, isCountryTaken, hasRoom, reached }: ProvenLink): readonly string[] {
  if (reached === 'held') return [];
  if (reached === 'ended') return [finished.message];
  return [
    ...(isExpired ? ['The link has expired. Sign it with a later exp.'] : []),
    ...(isFielding ? [] : ['The study takes no respondents now.']),
    ...(isCountryTaken ? [] : ['The study does not run in this country.']),
    ...(hasRoom ? [] : ['No place is left for this respondent.']),
  ];
}

const placesTexts = {
  held: 'Held by this respondent',
  ended: 'Used by this respondent',
  left: 'Left for this respondent',
  none: 'None left for this respondent',
} as const;
const placesOf = ({ reached, hasRoom }: ProvenLink): keyof typeof placesTexts => {
  if (reached !== 'new') return reached;
  return hasRoom ? 'left' : 'none';
};

const factsOf = (proven: ProvenLink): Facts => {
  const { link, studyName, signedWith, expiresAt, isFielding, traits } = proven;
  const given = Object.entries(traits).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  return [
    ['Form', 'Well formed'],
    ['Signature', signedWith === 'current' ? 'Fits' : 'Fits the replaced secret. Sign with the new one.'],
    ['Expires', expiresAt.toISOString()],
    ['Study', `${studyName} (${link.studyId})`],
    ['Supplier', link.src],
    ['rid', link.rid],
    ['Traits', given.length === 0 ? 'None' : given.join(', ')],
    ['Status', isFielding ? 'Takes respondents' : 'Takes no respondents'],
    ['Places', placesTexts[placesOf(proven)]],
  ];
};

const redirectText = ({ address }: TriedExit): string => {
  if (address === null) return 'A page of the service';
  return address.isWhole ? address.text : `An address at ${address.text}`;
};

type Facts = readonly (readonly [name: string, value: string])[];

const listOf = (facts: Facts): string =>
  `<dl>${facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>`;

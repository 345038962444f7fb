/**
 * Pages for respondents: in the frame of all pages, in the language of the study, else of the browser. All but `checking` run no script;
 * that one runs the probe, goes on by itself, and without script says what it needs.
 */
import { renderFrame, type PageParts } from '../administration/pages/frame.js';
import { escapeHtml } from '../kernel/escape-html.js';
import { pageTexts, type PageName } from './page-texts.js';

export interface StudyPageParts extends PageParts {
  /** `{audience_url}`. */
  readonly audienceUrl: string;
  /** null: the link names no study. */
  readonly studyName: string | null;
  /** Only on the page `checking`; null on all others. */
  readonly check: { readonly sessionId: string; readonly probeKey: string; readonly next: string } | null;
}

/** The HTTP status of a page: what a person did right is no error. */
export const pageStatus: Readonly<Record<PageName, number>> = {
  ...{ checking: 200, unchecked: 200, full: 200, closed: 200, declined: 200, elsewhere: 200 },
  ...{ reopen: 200, done: 200, thanks: 200 },
  ...{ expired: 400, erased: 410, broken: 400, later: 503 },
};

export function renderPage(page: PageName, parts: StudyPageParts): string {
  const { language, audienceUrl, studyName, check } = parts;
  const [title, text] = pageTexts[language][page];
  const study = studyName === null ? '' : `<p class="study">${escapeHtml(studyName)}</p>`;
  const data = Object.entries({ next: check?.next }).map(([name, value]) => attribute(name, value));
  const needs = check === null ? '' : `<noscript>${sectionOf(...pageTexts[language].unchecked)}</noscript>`;
  return renderFrame(
    { ...parts, sheet: `${audienceUrl}/pages/page.css` },
    title,
    `<main id="page"${data.join('')}>${study}${sectionOf(title, text, check === null ? '' : ' class="working" role="status" hidden')}${needs}</main>`,
    check === null ? '' : scriptsOf(audienceUrl, check),
  );
}

const sectionOf = (title: string, text: string, attributes = ''): string =>
  `<section${attributes}><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></section>`;

const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` data-${name}="${escapeHtml(value)}"`;

/** The page’s own script first, so that it hears what came of the probe. */
function scriptsOf(audienceUrl: string, { sessionId, probeKey }: NonNullable<StudyPageParts['check']>): string {
  const probe = {
    'project-key': probeKey,
    'session-id': sessionId,
    endpoint: `${audienceUrl}/enter/probe`,
  };
  const data = Object.entries(probe).map(([name, value]) => attribute(name, value));
  return `<script src="${escapeHtml(audienceUrl)}/pages/entry.js" defer></script>
<script src="${escapeHtml(audienceUrl)}/sdk/lite/v1/vh-lite.iife.js" defer${data.join('')}></script>`;
}

/** `logo`: the address of the project’s, or null. `hasForm`: the page has a form that is sent to the service. */
export function headersOf(
  logo: string | null,
  hasScripts: boolean,
  { hasForm = false }: { readonly hasForm?: boolean } = {},
): Readonly<Record<string, string>> {
  const images = logo === null ? '' : ` ${new URL(logo).origin}`;
  const scripts = hasScripts ? "; script-src 'self'; connect-src 'self'; worker-src 'self' blob:" : '';
  return {
    'content-security-policy': `default-src 'none'; style-src 'self'; img-src data:${images}${scripts}; base-uri 'none'; form-action ${hasForm ? "'self'" : "'none'"}; frame-ancestors 'none'`,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    vary: 'Accept-Language',
  };
}

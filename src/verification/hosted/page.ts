/**
 * The hosted page as text: the page of a link that is alive, and the page of one that is not. Everything that is put in is escaped; scripts
 * and styles are files, so that the policy allows nothing inline. Both say what they have to say without a script.
 */
import type { LinkState } from '../../contract/hosted-link.js';
import type { Branding } from '../../contract/project-parts.js';
import { renderFrame, type PageParts } from '../../administration/pages/frame.js';
import { escapeHtml } from '../../kernel/escape-html.js';
import { texts, type Texts } from './texts.js';

export interface CheckParts extends PageParts {
  readonly linkId: string;
  readonly siteKey: string;
  /** The API root. */
  readonly apiEndpoint: string;
  readonly bundle: string;
  /** Whether the link leads back somewhere. */
  readonly hasReturn: boolean;
}

const sheet = '/v/assets/page.css';

/** The page that verifies. */
export function renderCheckPage(parts: CheckParts): string {
  const say = texts[parts.language];
  const leave = parts.hasReturn
    ? `<a class="quiet" href="/v/${escapeHtml(parts.linkId)}/leave">${escapeHtml(say.leave)}</a>`
    : '';
  const retry = `<button type="button" data-act="retry">${escapeHtml(say.retry)}</button>`;
  const data = { link: parts.linkId, 'site-key': parts.siteKey, api: parts.apiEndpoint };
  const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${escapeHtml(value)}"`);
  return renderFrame(
    { ...parts, sheet },
    say.title,
    `<main id="page" ${attributes.join(' ')}>
  <section id="check"><h1>${escapeHtml(say.title)}</h1><p>${escapeHtml(say.intro)}</p><div id="widget"></div>
    <noscript><p class="notice">${escapeHtml(say.needsScript)}</p></noscript></section>
  ${panel('trouble', say.troubleTitle, say.trouble, retry + leave)}
  ${panel('refused', say.troubleTitle, say.refused, retry + leave)}
  ${panel('canceled', say.canceledTitle, say.canceled, retry + leave)}
  ${panel('camera', say.cameraTitle, say.camera, retry + leave)}
  ${panel('done', say.doneTitle, say.done, '')}
  ${panel('unconfirmed', say.doneTitle, say.unconfirmed, '')}
</main>`,
    `<script src="${escapeHtml(parts.bundle)}" defer></script><script src="/v/assets/hosted.js" defer></script>`,
  );
}

const panel = (id: string, title: string, text: string, acts: string): string =>
  `<section id="${id}" role="status" tabindex="-1" hidden><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p><div class="acts">${acts}</div></section>`;

export interface EndedParts extends PageParts {
  readonly state: Exclude<LinkState, 'alive'>;
  /** The respondent may leave to this address; null: nowhere. */
  readonly leave: string | null;
}

/** The page of a link that has ended or never existed: the two look alike. */
export function renderEndedPage(parts: EndedParts): string {
  const say = texts[parts.language];
  const title = say[titles[parts.state]];
  const back = parts.leave === null ? '' : `<a href="${escapeHtml(parts.leave)}">${escapeHtml(say.back)}</a>`;
  return renderFrame(
    { ...parts, sheet },
    title,
    `<main id="page"><section id="ended"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(say.askAgain)}</p><div class="acts">${back}</div></section></main>`,
    '',
  );
}

const titles = { expired: 'expired', used_up: 'usedUp', deleted: 'gone' } as const satisfies Record<
  EndedParts['state'],
  keyof Texts
>;

/** The policy of the page: what the widget needs, what the branding shows, and nothing else. */
export function pagePolicy(branding: Branding | null, urls: { readonly own: string; readonly models: string }): string {
  const models = new URL(urls.models).origin;
  const elsewhere = models === new URL(urls.own).origin ? '' : ` ${models}`;
  const logo = branding?.logoUrl === undefined ? '' : ` ${new URL(branding.logoUrl).origin}`;
  return [
    "default-src 'none'",
    `connect-src 'self'${elsewhere}`,
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self' blob:",
    `img-src 'self' data: blob:${logo}`,
    "media-src 'self' blob:",
    "style-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

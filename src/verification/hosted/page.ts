/**
 * The hosted page as text: the page of a link that is alive, and the page of one that is not. Everything that is put in is escaped; scripts
 * and styles are files, so that the policy allows nothing inline. Both say what they have to say without a script.
 */
import type { LinkState } from '../../contract/hosted-link.js';
import type { Branding } from '../../contract/project-parts.js';
import { escapeHtml } from '../../kernel/escape-html.js';
import { directionOf, texts, type Language, type Texts } from './texts.js';

export interface PageParts {
  readonly language: Language;
  /** What the project may show of its own; null for none. */
  readonly branding: Branding | null;
  /** The address of the style sheet of the branding; null where there is nothing of it to style. */
  readonly brandSheet: string | null;
}

export interface CheckParts extends PageParts {
  readonly linkId: string;
  readonly siteKey: string;
  /** The API root. */
  readonly apiEndpoint: string;
  readonly bundle: string;
  /** Whether the link leads back somewhere. */
  readonly hasReturn: boolean;
}

/** The page that verifies. */
export function renderCheckPage(parts: CheckParts): string {
  const say = texts[parts.language];
  const leave = parts.hasReturn
    ? `<a class="quiet" href="/v/${escapeHtml(parts.linkId)}/leave">${escapeHtml(say.leave)}</a>`
    : '';
  const retry = `<button type="button" data-act="retry">${escapeHtml(say.retry)}</button>`;
  const data = { link: parts.linkId, 'site-key': parts.siteKey, api: parts.apiEndpoint };
  const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${escapeHtml(value)}"`);
  return frame(
    parts,
    say.title,
    `<main id="page" ${attributes.join(' ')}>
  <section id="check"><h1>${escapeHtml(say.title)}</h1><p>${escapeHtml(say.intro)}</p><div id="widget"></div>
    <noscript><p class="notice">${escapeHtml(say.needsScript)}</p></noscript></section>
  ${panel('trouble', say.troubleTitle, say.trouble, retry + leave)}
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
  /** Where the respondent may go back to; null for nowhere. */
  readonly leave: string | null;
}

/** The page of a link that has ended or never existed: the two look alike. */
export function renderEndedPage(parts: EndedParts): string {
  const say = texts[parts.language];
  const title = say[titles[parts.state]];
  const back = parts.leave === null ? '' : `<a href="${escapeHtml(parts.leave)}">${escapeHtml(say.back)}</a>`;
  return frame(
    parts,
    title,
    `<main id="page"><section id="ended"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(say.askAgain)}</p><div class="acts">${back}</div></section></main>`,
    '',
  );
}

const titles = { expired: 'expired', used_up: 'usedUp', deleted: 'gone' } as const satisfies Record<
  EndedParts['state'],
  keyof Texts
>;

function frame({ language, branding, brandSheet }: PageParts, title: string, main: string, scripts: string): string {
  const sheets = ['/v/assets/hosted.css', ...(brandSheet === null ? [] : [brandSheet])];
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
${sheets.map((sheet) => `<link rel="stylesheet" href="${escapeHtml(sheet)}">`).join('\n')}
${scripts}
</head>
<body>
<header>${header(branding)}</header>
${main}
<footer>${footer(branding, texts[language])}</footer>
</body>
</html>
`;
}

/** The name accompanies a logo for those who cannot see it. */
function header(branding: Branding | null): string {
  const name = branding?.companyName ?? 'VerifyHuman';
  return branding?.logoUrl === undefined
    ? `<span class="name">${escapeHtml(name)}</span>`
    : `<img class="logo" src="${escapeHtml(branding.logoUrl)}" alt="${escapeHtml(name)}">`;
}

function footer(branding: Branding | null, say: Texts): string {
  const away = 'target="_blank" rel="noopener noreferrer"';
  const { privacyUrl, supportEmail, hidePoweredBy = false } = branding ?? {};
  return [
    privacyUrl === undefined ? '' : `<a href="${escapeHtml(privacyUrl)}" ${away}>${escapeHtml(say.privacy)}</a>`,
    supportEmail === undefined ? '' : `<a href="mailto:${escapeHtml(supportEmail)}">${escapeHtml(say.contact)}</a>`,
    hidePoweredBy ? '' : `<span>${escapeHtml(say.service)}</span>`,
  ].join('');
}

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

/** The branding as custom properties; null where it sets none. Colours and font family have the form that the contract checks. */
export function brandSheetOf(branding: Branding | null): string | null {
  const { primaryColor, backgroundColor, fontFamily } = branding ?? {};
  const properties = [
    ...(primaryColor === undefined ? [] : [`--accent: ${primaryColor}`, `--on-accent: ${readableOn(primaryColor)}`]),
    ...(backgroundColor === undefined
      ? []
      : [
          `--back: ${backgroundColor}`,
          `--text: ${readableOn(backgroundColor)}`,
          `--soft: ${readableOn(backgroundColor)}`,
        ]),
    ...(fontFamily === undefined ? [] : [`--font: ${fontFamily}`]),
  ];
  return properties.length === 0 ? null : `:root { ${properties.join('; ')} }\n`;
}

/** Black or white, whichever has the higher contrast on a colour (WCAG 2.2, relative luminance). */
function readableOn(color: string): '#000000' | '#ffffff' {
  const digits = color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit).join('') : color.slice(1);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? '#000000' : '#ffffff';
}

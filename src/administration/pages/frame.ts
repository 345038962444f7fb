/**
 * The frame of every page that respondents see: logo or name, what the page says, and its foot, in one design with a project’s branding.
 * Everything that is put in is escaped, but for `main` and `scripts`, which are markup. Scripts and styles are files: nothing is inline.
 */
import type { Branding } from '../../contract/project-parts.js';
import { escapeHtml } from '../../kernel/escape-html.js';
import { directionOf, footTexts, type FootTexts, type Language } from './languages.js';

export interface PageParts {
  readonly language: Language;
  /** The project’s own branding; null without one. */
  readonly branding: Branding | null;
  /** The address of the style sheet of the branding; null where there is nothing of it to style. */
  readonly brandSheet: string | null;
}

export interface FrameParts extends PageParts {
  /** The address of `assets/page.css`. */
  readonly sheet: string;
}

/** A whole document; `main` and `scripts` are markup. */
export function renderFrame(
  { language, branding, brandSheet, sheet }: FrameParts,
  title: string,
  main: string,
  scripts: string,
): string {
  const sheets = [sheet, ...(brandSheet === null ? [] : [brandSheet])];
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
<footer>${footer(branding, footTexts[language])}</footer>
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

function footer(branding: Branding | null, say: FootTexts): string {
  const away = 'target="_blank" rel="noopener noreferrer"';
  const { privacyUrl, supportEmail, hidePoweredBy = false } = branding ?? {};
  return [
    privacyUrl === undefined ? '' : `<a href="${escapeHtml(privacyUrl)}" ${away}>${escapeHtml(say.privacy)}</a>`,
    supportEmail === undefined ? '' : `<a href="mailto:${escapeHtml(supportEmail)}">${escapeHtml(say.contact)}</a>`,
    hidePoweredBy ? '' : `<span>${escapeHtml(say.service)}</span>`,
  ].join('');
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

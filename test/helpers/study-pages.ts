/** Every page of a study on a server of its own, and sheets that show all of them. */
import { languages } from '../../src/administration/pages/languages.js';
import { pageNames } from '../../src/audience/page-texts.js';
import { renderPage } from '../../src/audience/pages.js';
import { readRepositoryFile } from './repository.js';
import { startStaticSite } from './static-site.js';

export const studyPagePaths = (language: string): readonly string[] => pageNames.map((page) => `/${language}/${page}`);

/** `/{language}/{page}` and `/sheet/{language}`; the page that checks stays as it is. */
export async function serveStudyPages(size: { readonly width: number; readonly height: number }) {
  const files: Record<string, string> = {};
  const check = { sessionId: 'plc_1', probeKey: 'pk_1', next: '?' };
  for (const language of languages) {
    for (const page of pageNames)
      files[`/${language}/${page}`] = renderPage(page, {
        ...{ language, brandSheet: null, audienceUrl: '', studyName: 'Coffee at home' },
        branding: { companyName: 'Nordlicht Research', privacyUrl: 'https://a.test', supportEmail: 'help@a.test' },
        check: page === 'checking' ? check : null,
      });
    const cells = studyPagePaths(language)
      .map((path) => `<iframe src="${path}" width="${size.width}" height="${size.height}"></iframe>`)
      .join('');
    files[`/sheet/${language}`] =
      `<!doctype html><style>body{margin:8px;display:flex;flex-wrap:wrap;gap:8px;background:#888}iframe{border:0}</style>${cells}`;
  }
  files['/pages/page.css'] = readRepositoryFile('src/administration/pages/assets/page.css');
  files['/pages/entry.js'] = "document.querySelector('section').hidden = false;";
  files['/sdk/lite/v1/vh-lite.iife.js'] = '';
  return startStaticSite({
    files,
    headers: ({ pathname }) => (pathname.endsWith('.css') ? { 'content-type': 'text/css' } : {}),
  });
}

// The documentation as a site: the pages of docs/, by role as docs/README.md lists them, and the HTTP reference made of the OpenAPI documents.
// `npm run build:docs` builds it into dist/docs; the service serves it at /docs.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { tagsOf } from './operations.mjs';

const tags = tagsOf();

/** Read by those who change the service, so not served. */
const internal = ['internals/'];
const isServed = (path) => !path.startsWith('..') && !internal.some((name) => path.startsWith(name));

/** Sections and pages of docs/README.md, the one list of all pages. */
function readSidebar() {
  const [, ...sections] = readFileSync(new URL('../README.md', import.meta.url), 'utf8').split(/^## /m);
  return sections.flatMap((section) => {
    const [text, ...lines] = section.split('\n');
    const items = lines
      .filter((line) => line.startsWith('| '))
      .flatMap((line) => [...line.split('|')[1].matchAll(/\[([^\]]+)\]\(([^)]+)\.md\)/g)])
      .map(([, name, link]) => ({ text: name[0].toUpperCase() + name.slice(1), link: `/${link}` }));
    return items.length === 0 ? [] : [{ text, items }];
  });
}

/** Links to what is not served become text; so do those to other folders of the repository. */
function dropOutsideLinks(md) {
  md.core.ruler.push('outside_links', ({ tokens, env }) => {
    const folder = posix.dirname(env.relativePath === 'index.md' ? 'README.md' : env.relativePath);
    for (const { children } of tokens) {
      let isOutside = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const [path] = token.attrGet('href').split('#');
          isOutside = path !== '' && !/^(?:https?:|\/)/.test(path) && !isServed(posix.join(folder, path));
        }
        if (isOutside && /^link_(?:open|close)$/.test(token.type)) Object.assign(token, { type: 'text', content: '' });
      }
    }
  });
}

/** A fence of the language `try` holds an operation, which the reader can call with a key of theirs. */
function renderTries(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) =>
    tokens[index].info === 'try'
      ? `<TryIt :operation="${md.utils.escapeHtml(tokens[index].content)}" />`
      : fence(tokens, index, ...rest);
}

/** Blocks without a language scroll by keyboard, as the others do. */
function focusPlainBlocks(md) {
  md.renderer.rules.code_block = (tokens, index) =>
    `<pre v-pre tabindex="0"><code>${md.utils.escapeHtml(tokens[index].content)}</code></pre>\n`;
}

export default defineConfig({
  title: 'VerifyHuman',
  description: 'Is this respondent a real, unique human, and how risky is the session?',
  lang: 'en',
  base: '/docs/',
  outDir: '../dist/docs',
  cacheDir: '../node_modules/.cache/vitepress',
  srcExclude: internal.map((path) => `${path}**`),
  rewrites: { 'README.md': 'index.md' },
  metaChunk: true,
  head: [['link', { rel: 'icon', href: '/docs/mark.svg', type: 'image/svg+xml' }]],
  markdown: {
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      dropOutsideLinks(md);
      renderTries(md);
      focusPlainBlocks(md);
    },
  },
  themeConfig: {
    logo: '/mark.svg',
    search: { provider: 'local' },
    outline: { level: 2 },
    nav: [
      { text: 'Start', link: '/tutorials/first-score' },
      { text: 'HTTP API', link: `/api/${tags[0].slug}` },
    ],
    sidebar: [
      ...readSidebar(),
      { text: 'HTTP API', items: tags.map(({ name, slug }) => ({ text: name, link: `/api/${slug}` })) },
    ],
  },
});

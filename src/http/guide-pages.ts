/** Serves the guides and the pages they link to under the API root, rendered when first asked for. Links that lead elsewhere in the repository become text. */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Marked } from 'marked';
import { notFound } from '../kernel/faults.js';
import { packageRoot } from '../package-root.js';
import { registerOpen } from './access.js';
import { escapeHtml } from '../kernel/escape-html.js';

const docs = join(packageRoot, 'docs');
/** Below the API root. */
const folder = 'documentation';

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1f24}
pre{background:#f4f6f8;padding:.8rem;overflow-x:auto}code{font:.9em ui-monospace,monospace}td,th{border:1px solid #ccd3da;padding:.3rem .5rem;text-align:left;vertical-align:top}
table{border-collapse:collapse;display:block;overflow-x:auto}a{color:#0b57a4}`;
const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; frame-ancestors 'none'`;

/** In reading order, by their path below docs/. */
const guides = {
  'guides/integrate': 'start here: page, backend, outcomes',
  'guides/languages': 'scoring in Node.js, Python, PHP and Go',
  'guides/hashing': 'hashing identities, byte by byte',
  'guides/evaluate': 'a trial that proves something',
  'guides/calibrate': 'the two thresholds, and when to move them',
  'guides/step-up': 'from a score that asks for more to a verification, and back',
  'guides/go-live': 'before, and the first weeks',
  suppliers: 'studies: signed links, returns, and the way back to the supplier',
  'threat-model': 'what a pass proves, and what attacks on it cost',
} as const;

/** The list of guides in Markdown; `root` is that of the API, as a path. */
export const listGuides = (root: string): string =>
  Object.entries(guides)
    .map(([name, about]) => `- [${posix.basename(name)}](${root}/${folder}/${name}.md): ${about}`)
    .join('\n');

const namesIn = (directory: string): readonly string[] =>
  readdirSync(join(docs, directory)).flatMap((name) => (/\.(?:md|json)$/.test(name) ? [join(directory, name)] : []));

/** `root` is that of the API. */
export async function serveGuidePages(app: FastifyInstance, root: string): Promise<void> {
  const names = [...namesIn('.'), ...namesIn('guides')];
  const served = new Set(names);
  const pages = new Map<string, Page>();
  const pageOf = (name: string): Page | undefined => {
    const page = pages.get(name) ?? (served.has(name) ? render(name, served) : undefined);
    if (page !== undefined) pages.set(name, page);
    return page;
  };
  await registerOpen(app, async (scope) => {
    scope.get<{ Params: { '*': string } }>(
      `${root}/${folder}/*`,
      { schema: { hide: true } },
      async ({ params }, reply) => {
        const page = pageOf(params['*']);
        if (page === undefined) throw notFound('page');
        return reply.header('content-security-policy', policy).type(page.type).send(page.text);
      },
    );
  });
}

interface Page {
  readonly type: string;
  readonly text: string;
}

function render(name: string, served: ReadonlySet<string>): Page {
  const text = readFileSync(join(docs, name), 'utf8');
  if (name.endsWith('.json')) return { type: 'application/json; charset=utf-8', text };
  const body = renderMarkdown(text, (path) => served.has(posix.join(posix.dirname(name), path)));
  const title = escapeHtml(/^# (.*)$/m.exec(text)?.[1] ?? name);
  return {
    type: 'text/html; charset=utf-8',
    text: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · VerifyHuman</title><style>${style}</style></head>\n<body>${body}</body></html>\n`,
  };
}

const webForm = /^(?:https?:\/\/|#)/;
const pathForm = /^(?:\.\.\/)*\w[\w./-]*(?:#[\w-]+)?$/;

/** Renders Markdown as HTML without active content: raw HTML, images, and links to a path without a page (`hasPage`) become text. */
export function renderMarkdown(text: string, hasPage: (path: string) => boolean): string {
  const leads = (target: string): boolean =>
    webForm.test(target) || (pathForm.test(target) && hasPage(target.replace(/#.*$/, '')));
  const marked = new Marked({
    // A bare address stays text, as in http://HOST:PORT.
    tokenizer: { url: () => undefined },
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${escapeHtml(anchorOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        return leads(href) ? `<a href="${escapeHtml(href)}">${label}</a>` : label;
      },
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
    },
  });
  return marked.parse(text, { async: false });
}

/** The anchor that GitHub gives a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

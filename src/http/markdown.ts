/**
 * Renders the Markdown of this repository’s pages as HTML without active content: raw HTML and images become text, and links lead to
 * an anchor, the web or another page. Pure.
 */
import { Marked } from 'marked';
import { escapeHtml } from '../kernel/escape-html.js';

const webForm = /^(?:https?:\/\/|#)/;
const pathForm = /^(?:\.\.\/)*\w[\w./-]*(?:#[\w-]+)?$/;

/** `hasPage`: whether a relative path leads to a page. A link to anything else becomes text. */
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

/**
 * Renders the Markdown of this repository’s own pages as HTML: headings with anchors, paragraphs, lists, tables, code, links. Every text is escaped
 * before anything is made of it, so that a page cannot hold markup. Pure.
 */
import { escapeHtml } from './escape-html.js';

interface Block {
  readonly html: string;
  /** Lines that it took. */
  readonly took: number;
}
type Reader = (lines: readonly string[]) => Block | null;

export function renderMarkdown(text: string): string {
  const html: string[] = [];
  for (let left = text.split('\n'); left.length > 0;) {
    const block = readBlock(left);
    html.push(block.html);
    left = left.slice(block.took);
  }
  return html.filter((part) => part !== '').join('\n');
}

/** As GitHub makes it of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const blank: Reader = ([line = '']) => (line.trim() === '' ? { html: '', took: 1 } : null);

const heading: Reader = ([line = '']) => {
  const [, marks, words = ''] = /^(#{1,5}) (.*)$/.exec(line) ?? [];
  if (marks === undefined) return null;
  const level = marks.length;
  return { html: `<h${level} id="${escapeHtml(anchorOf(words))}">${inline(words)}</h${level}>`, took: 1 };
};

const fence: Reader = (lines) => {
  if (!/^```/.test(lines[0] ?? '')) return null;
  const end = lines.findIndex((line, index) => index > 0 && line.startsWith('```'));
  const last = end < 0 ? lines.length : end;
  return { html: codeOf(lines.slice(1, last)), took: Math.min(lines.length, last + 1) };
};

const indented: Reader = (lines) => {
  const took = countWhile(lines, (line) => /^ {4}/.test(line) || line.trim() === '');
  if (took === 0 || !/^ {4}/.test(lines[0] ?? '')) return null;
  return { html: codeOf(lines.slice(0, took).map((line) => line.slice(4))), took };
};

const table: Reader = (lines) => {
  const took = countWhile(lines, (line) => line.startsWith('|'));
  if (took < 2) return null;
  const rows = lines.slice(0, took).map((line) => line.replaceAll('\\|', '\u0000').split('|').slice(1, -1));
  const row = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell.trim().replaceAll('\u0000', '|'))}</${tag}>`).join('')}</tr>`;
  const [head = [], , ...body] = rows;
  return {
    html: `<table><thead>${row(head, 'th')}</thead><tbody>${body.map((cells) => row(cells, 'td')).join('')}</tbody></table>`,
    took,
  };
};

const marker = /^(?:[-*]|\d+\.) /;

/** An item goes on over lines that are indented, or that begin no block of their own. */
const list: Reader = (lines) => {
  if (!marker.test(lines[0] ?? '')) return null;
  const tag = /^\d/.test(lines[0] ?? '') ? 'ol' : 'ul';
  const took = countWhile(
    lines,
    (line, index) =>
      marker.test(line) ||
      /^ {2}/.test(line) ||
      (line.trim() === '' && /^(?: {2}|[-*] |\d+\. )/.test(lines[index + 1] ?? '')),
  );
  const items: string[][] = [];
  for (const line of lines.slice(0, took)) {
    if (marker.test(line)) items.push([line.replace(marker, '')]);
    else items.at(-1)?.push(line.replace(/^ {2,3}/, ''));
  }
  return {
    html: `<${tag}>${items.map((item) => `<li>${renderMarkdown(item.join('\n'))}</li>`).join('')}</${tag}>`,
    took,
  };
};

const paragraph: Reader = (lines) => {
  const took = Math.max(
    1,
    countWhile(
      lines,
      (line, index) => index === 0 || !(line.trim() === '' || /^(?:#|```|\|)/.test(line) || marker.test(line)),
    ),
  );
  return { html: `<p>${inline(lines.slice(0, took).join(' '))}</p>`, took };
};

function readBlock(lines: readonly string[]): Block {
  for (const read of [blank, heading, fence, indented, table, list, paragraph]) {
    const block = read(lines);
    if (block !== null) return block;
  }
  return { html: '', took: 1 };
}

function countWhile(lines: readonly string[], holds: (line: string, index: number) => boolean): number {
  const end = lines.findIndex((line, index) => !holds(line, index));
  return end < 0 ? lines.length : end;
}

const codeOf = (lines: readonly string[]): string =>
  `<pre><code>${escapeHtml(lines.join('\n').trimEnd())}</code></pre>`;

/** Code first, in which nothing else means anything. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 2 ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : words(part),
    )
    .join('');
}

function words(text: string): string {
  return escapeHtml(text)
    .replaceAll(/!?\[([^\]]*)\]\(([^)\s]+)\)/g, (all, label: string, target: string) =>
      isSafe(target) && !all.startsWith('!') ? `<a href="${target}">${label}</a>` : label,
    )
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

/** A page beside, an anchor, or the web: nothing that runs. */
const isSafe = (target: string): boolean => /^(?:https?:\/\/|#|(?:\.\.\/)*[\w][\w./-]*(?:#[\w-]+)?$)/.test(target);

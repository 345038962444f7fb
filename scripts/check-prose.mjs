// Checks how documentation reads: lengths and beginnings of sentences, words of pages, links and their anchors.
// Usage: node scripts/check-prose.mjs [--root DIR] [FILE.md ...]. Prints a line for each fault, and exits with 1. Without files, all pages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { slugify } from '@mdit-vue/shared';
import MarkdownIt from 'markdown-it';
import { readWordTables } from './word-tables.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: 'string', default: join(import.meta.dirname, '..') } },
});
const { root } = values;
const wordsOfASentence = 40;
const wordsOfALongSentence = 25;
const shareOfLongSentences = 0.05;
const wordsOfAPage = 1_500;
/** Beginnings of fragments: a description has a subject. */
const fragment = /^(?:Of|As|Where|What)\b(?!.*\?$)/;
/** Written out of the sources, or a list of what is decided. */
const generated = /^docs\/(?:api\/|reference\/(?:errors|settings|metrics|findings|probe-data)\.md)/;
const readTable = readWordTables(root);
const replaced = new Map([...readTable('Words to replace'), ...readTable('Words to replace in texts')]);
const types = ['tutorials', 'how-to', 'reference', 'explanation', 'internals'];

const markdown = new MarkdownIt({ html: true });
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const wordsOf = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** A run of prose as a reader hears it: code counts as one word, a link as its text. */
const textOf = ({ children }) =>
  children
    .map(({ type, content }) => {
      if (type === 'code_inline') return 'X';
      if (type === 'softbreak' || type === 'hardbreak') return ' ';
      return type === 'text' ? content : '';
    })
    .join('');

/** Paragraphs, list items and cells with their line; headings apart. */
function runsOf(tokens) {
  let line = 0;
  let kind = '';
  const runs = [];
  for (const token of tokens) {
    if (token.map !== null) line = token.map[0] + 1;
    if (/^(?:paragraph|heading|td|th)_open$/.test(token.type)) kind = token.type.replace('_open', '');
    if (token.type === 'inline') runs.push({ kind, line, text: textOf(token), token });
  }
  return runs;
}

const sentencesOf = ({ text, line }) =>
  [...segmenter.segment(text)].map(({ segment }) => ({ line, text: segment.trim() })).filter((one) => one.text !== '');

const anchorsOf = (runs) => {
  const counts = new Map();
  return new Set(
    runs
      .filter(({ kind }) => kind === 'heading')
      .map(({ token }) => {
        const slug = slugify(token.children.map(({ content }) => content).join(''));
        const count = counts.get(slug) ?? 0;
        counts.set(slug, count + 1);
        return count === 0 ? slug : `${slug}-${count}`;
      }),
  );
};

const pages = new Map();
function read(path) {
  if (!pages.has(path)) pages.set(path, runsOf(markdown.parse(readFileSync(path, 'utf8'), {})));
  return pages.get(path);
}

function* faultsOfSentences(runs) {
  const sentences = runs.filter(({ kind }) => kind === 'paragraph' || kind === 'td').flatMap(sentencesOf);
  const long = sentences.filter(({ text }) => wordsOf(text).length > wordsOfALongSentence);
  for (const { line, text } of sentences) {
    const count = wordsOf(text).length;
    if (count > wordsOfASentence) yield [line, `a sentence of ${count} words: ${text.slice(0, 60)}`];
    if ((text.match(/[;:](?=\s+\S)/g) ?? []).length > 1) yield [line, `more than one ; or : ${text.slice(0, 60)}`];
  }
  const allowed = Math.max(1, Math.floor(sentences.length * shareOfLongSentences));
  if (long.length > allowed)
    yield [
      long[0].line,
      `${long.length} of ${sentences.length} sentences have more than ${wordsOfALongSentence} words: lines ${long.map(({ line }) => line).join(' ')}`,
    ];
  for (const run of runs.filter(({ kind }) => kind !== 'heading' && kind !== 'th'))
    for (const { line, text } of sentencesOf(run))
      if (fragment.test(text)) yield [line, `begins as a fragment: ${text.slice(0, 60)}`];
}

function* faultsOfWords(runs) {
  for (const { line, text } of runs)
    for (const [word, write] of replaced)
      if (new RegExp(`\\b${word}\\b`, 'i').test(text)) yield [line, `${word}: write ${write}`];
}

function* faultsOfPage(file, runs) {
  const counted = runs.filter(({ kind }) => kind === 'paragraph' || kind === 'heading');
  const count = counted.reduce((sum, { text }) => sum + wordsOf(text).length, 0);
  if (count > wordsOfAPage) yield [1, `${count} words, more than ${wordsOfAPage}`];
  const [, folder] = file.split('/');
  if (file.startsWith('docs/') && file !== 'docs/README.md' && !types.includes(folder))
    yield [1, `lies in none of ${types.join(', ')}`];
}

function* faultsOfLinks(path, runs) {
  for (const { line, token } of runs)
    for (const child of token.children.filter(({ type }) => type === 'link_open')) {
      const [target, anchor] = child.attrGet('href').split('#');
      if (/^(?:[a-z]+:|\/)/.test(target)) continue;
      const to = target === '' ? path : resolve(dirname(path), target);
      if (!existsSync(to)) yield [line, `links to nothing: ${target}`];
      else if (anchor !== undefined && to.endsWith('.md') && !anchorsOf(read(to)).has(anchor))
        yield [line, `no heading for ${target}#${anchor}`];
    }
}

function allPages() {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  const examples = readdirSync(join(root, 'examples')).map((name) => `examples/${name}/README.md`);
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...examples, ...docs].filter(
    (name) => name.endsWith('.md') && !/^docs\/api\//.test(name),
  );
}

const given = positionals.map((name) => relative(root, resolve(name)));
let count = 0;
for (const file of given.length > 0 ? given : allPages()) {
  const path = join(root, file);
  const runs = read(path);
  const faults = [
    ...faultsOfSentences(runs),
    ...(file === 'docs/internals/words.md' ? [] : faultsOfWords(runs)),
    ...(generated.test(file) ? [] : faultsOfPage(file, runs)),
    ...faultsOfLinks(path, runs),
  ];
  for (const [line, fault] of faults) console.log(`${file}:${line}  ${fault}`);
  count += faults.length;
}
if (count > 0) process.exitCode = 1;

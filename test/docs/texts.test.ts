/**
 * Sentences that people read, from the sources: a fault says what happened and what to do, and a description starts with its subject. The words
 * that no text may hold are those of docs/internals/words.md, which lint reads.
 */
import { readFileSync, readdirSync } from 'node:fs';
import t from 'tap';
import ts from 'typescript';
import { settings } from '../../src/config/settings.js';
import { errorTable } from '../../src/errors.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { texts as hostedTexts } from '../../src/verification/hosted/texts.js';
import { pageTexts } from '../../src/audience/page-texts.js';
import { repositoryPath } from '../helpers/repository.js';

const faultWordsMax = 20;
const sentenceWordsMax = 25;
const fragment = /^(Of|As|Where|What|Who|Whom|Whose|Which)\b/;
const wordsOf = (text: string): number => text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
const sentencesOf = (text: string): string[] => text.split(/(?<=[.?!;؟。])\s+/u);
const longestOf = (text: string): number => Math.max(...sentencesOf(text).map(wordsOf));

interface Found {
  readonly at: string;
  readonly text: string;
}

/** The text of a literal, with each placeholder as one word; null for what is no literal. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('');
}

/** The literals that an expression may be. */
function literalsOf(node: ts.Node | undefined): string[] {
  if (node === undefined) return [];
  if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
  const text = textOf(node);
  return text === null ? [] : [text];
}

const faults: Found[] = [];
const issues: Found[] = [];
const descriptions: Found[] = [];

function visit(node: ts.Node, path: string): void {
  const found = (texts: readonly string[]) => texts.map((text) => ({ at: path, text }));
  if (ts.isNewExpression(node) && /^(Fault|OAuthError)$/.test(node.expression.getText()))
    faults.push(...found(literalsOf(node.arguments?.[1])));
  if (ts.isPropertyAssignment(node)) {
    const name = node.name.getText();
    if (name === 'message') issues.push(...found(literalsOf(node.initializer)));
    if (/^(description|meaning|help|summary)$/.test(name)) descriptions.push(...found(literalsOf(node.initializer)));
  }
  ts.forEachChild(node, (child) => visit(child, path));
}

for (const name of readdirSync(repositoryPath('src'), { recursive: true, encoding: 'utf8' })) {
  if (!/(?<!\.d)\.ts$/.test(name)) continue;
  const path = repositoryPath(`src/${name}`);
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true), `src/${name}`);
}

t.test('a fault has a sentence that says what happened and one that says what to do, in 20 words', async (t) => {
  t.ok(faults.length > 100, `${faults.length} faults`);
  for (const { at, text } of faults) {
    // A message that is put together from others has no words of its own.
    if (wordsOf(text.replace(/\bX\b/g, '')) === 0) continue;
    t.match(text, /[.?!]$/, `${at}: ends: ${text}`);
    t.notMatch(text, fragment, at);
    t.ok(sentencesOf(text).length >= 2, `${at}: says what to do: ${text}`);
    t.ok(wordsOf(text) <= faultWordsMax, `${at}: ${wordsOf(text)} words: ${text}`);
  }
});

t.test('the message of an issue has 20 words at most and starts as the end of a sentence about its field', async (t) => {
  t.ok(issues.length > 60, `${issues.length} issues`);
  for (const { at, text } of issues) {
    t.notMatch(text, fragment, at);
    t.ok(wordsOf(text) <= faultWordsMax, `${at}: ${wordsOf(text)} words: ${text}`);
  }
});

t.test('errors, settings and metrics are described by sentences of 25 words at most, from a capital on', async (t) => {
  const help = (await createMetrics().registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('vh_'));
  const all = [
    ...Object.entries(errorTable).map(([at, { meaning }]) => ({ at, text: meaning })),
    ...Object.entries(settings).map(([at, { meaning }]) => ({ at, text: meaning })),
    ...help.map(({ name, help: text }) => ({ at: name, text })),
  ];
  for (const { at, text } of all) {
    t.match(text, /^[A-Z0-9]/, at);
    t.match(text, /[.)]$/, `${at} ends`);
    t.notMatch(text, fragment, at);
    t.ok(longestOf(text) <= sentenceWordsMax, `${at}: ${text}`);
  }
  for (const [code, { meaning }] of Object.entries(errorTable))
    t.ok(sentencesOf(meaning).length >= 2, `${code} says what to do: ${meaning}`);
});

t.test('a description of the API starts with its subject, and its sentences have 25 words at most', async (t) => {
  t.ok(descriptions.length > 400, `${descriptions.length} descriptions`);
  for (const { at, text } of descriptions) {
    t.notMatch(text, fragment, at);
    t.ok(longestOf(text) <= sentenceWordsMax, `${at}: ${text}`);
  }
});

t.test('pages that the service serves to respondents have sentences of 25 words at most', async (t) => {
  for (const [language, texts] of [...Object.entries(hostedTexts), ...Object.entries(pageTexts)])
    for (const text of Object.values(texts as Readonly<Record<string, string | readonly string[]>>).flat()) {
      t.not(text.trim(), '', language);
      t.ok(longestOf(text) <= sentenceWordsMax, `${language}: ${text}`);
    }
});

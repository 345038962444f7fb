/** Evidence in each language is the same evidence: complete, with every placeholder filled, under the same codes. */
import assert from 'node:assert/strict';
import t from 'tap';
import fc from 'fast-check';
import type { ScoreFacts } from '../../../src/contract/facts.js';
import { languages } from '../../../src/contract/languages.js';
import { renderEvidence } from '../../../workers/evidence/explain.js';
import { translations } from '../../../workers/evidence/texts/all.js';
import { englishSummary } from '../../../workers/evidence/texts/en.js';
import { valueWords } from '../../../workers/evidence/texts/texts.js';
import { englishFactors } from '../../../workers/evidence/factors.js';
import { rules } from '../../../workers/scoring/rule-set.js';
import { anyFacts } from '../../helpers/any-facts.js';
import { readReferenceSessions } from '../../helpers/reference-sessions.js';

const translated = languages.filter((language) => language !== 'en');
const sessions = readReferenceSessions();

const placeholdersOf = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

/** Every text by its path. */
function textsOf(table: object, path = ''): [string, string][] {
  return Object.entries(table).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[`${path}${name}`, value] as [string, string]]
      : textsOf(value as object, `${path}${name}.`),
  );
}

t.test('every language has every text, with the placeholders of the English one', (t) => {
  const english = {
    summary: englishSummary,
    factors: englishFactors,
    words: Object.fromEntries(valueWords.map((word) => [word, word])),
    details: Object.fromEntries(Object.entries(rules).map(([code, { detail }]) => [code, detail])),
  };
  const expected = textsOf(english);
  for (const language of translated) {
    const texts = new Map(textsOf(translations[language]));
    t.same([...texts.keys()].sort(), expected.map(([path]) => path).sort(), language);
    for (const [path, original] of expected) {
      const text = texts.get(path) ?? '';
      assert.deepEqual(placeholdersOf(text), placeholdersOf(original), `${language} ${path}`);
      const plain = text.replaceAll(/\{\w+\}|\{[^{}|]+\|[^{}|]+\}/g, '');
      assert.doesNotMatch(plain, /[{}|]/, `${language} ${path}`);
      if (path === 'summary.space' || path === 'summary.separator') continue;
      assert.ok(text.trim() === text && text !== '', `${language} ${path}`);
      if (path.startsWith('details.')) assert.match(text, /[.。}]$/, `${language} ${path}`);
      if (/^(details|factors|summary\.openings)\./.test(path)) assert.notEqual(text, original, `${language} ${path}`);
    }
  }
  t.end();
});

/** Values that are words for people; others name functions, fields, programs and places, or quote what was stored. */
const wordCodes = Object.keys(rules).filter((code) =>
  /^(repeat_|same_|similar_|step_up_(passed|failed)|times_impossible|respondent_stats_unused|address_not_public)/.test(
    code,
  ),
);

function checkLanguages(facts: ScoreFacts): void {
  const english = renderEvidence(facts, 'en');
  for (const language of translated) {
    const rendered = renderEvidence(facts, language);
    assert.deepEqual(rendered.classification, english.classification);
    const { summary, ...lists } = rendered.evidence;
    const unworded = ({ detail: _, ...finding }: { readonly detail: string }) => finding;
    for (const list of ['against', 'for', 'notes'] as const) {
      assert.deepEqual(lists[list].map(unworded), english.evidence[list].map(unworded));
      for (const { code, detail } of lists[list])
        assert.doesNotMatch(detail, /\{|\}|undefined|NaN/, `${language} ${code}`);
      if (list !== 'notes' && lists[list][0] !== undefined) assert.ok(summary.includes(lists[list][0].detail));
    }
    assert.match(summary, new RegExp(String(rendered.verdict.score)));
    assert.doesNotMatch(summary, /\{|\}|undefined|Risk |finding|measured/);
    const numbersOf = ({
      duplicate: _,
      independence: { factors, ...independence },
      ...verdict
    }: typeof rendered.verdict) => ({
      ...verdict,
      independence,
      factors: factors.length,
    });
    assert.deepEqual(numbersOf(rendered.verdict), numbersOf(english.verdict));
    for (const factor of rendered.verdict.independence.factors)
      assert.doesNotMatch(factor, /\{|\}|undefined|session[s ]? came/);
  }
  for (const { code, detail } of [...english.evidence.notes, ...english.evidence.against, ...english.evidence.for]) {
    if (!wordCodes.includes(code) || rules[code]?.detail.includes('{value}') !== true) continue;
    const [before = '', after = ''] = rules[code].detail.split('{value}');
    const value = detail.slice(before.length, detail.length - after.length);
    const known: readonly string[] = valueWords;
    for (const part of value.split(', '))
      assert.ok(
        known.includes(part) || known.includes(value) || /^\d+ times$/.test(part),
        `${code}: add "${value}" to the words`,
      );
  }
}

t.test('findings, lists, strengths and the verdict are those of English, and no word of it is left over', (t) => {
  for (const { facts } of sessions) checkLanguages(facts);
  fc.assert(fc.property(anyFacts, checkLanguages), { numRuns: 150 });
  t.end();
});

t.test('a sentence reads as people write it', (t) => {
  const factsOf = (name: string) => sessions.find(({ recorded }) => recorded.session === name)?.facts as ScoreFacts;
  const summaryOf = (name: string, language: 'de' | 'ja') => renderEvidence(factsOf(name), language).evidence.summary;
  t.equal(
    summaryOf('organization key', 'de'),
    'Risiko 0 von 100. Von dem, was gemessen wurde, spricht nichts gegen diese Sitzung. Nicht gemessen: Gerät, Häufigkeit, Verhalten, Vorgeschichte, Wiederholung.',
  );
  t.equal(
    summaryOf('webdriver', 'ja'),
    'リスクは100のうち74です。このセッションには、確認が必要な程度に不利な根拠があります。主な所見：ブラウザーは、自動化ツールに操作されていると報告しています。十分な重みがある根拠は多くても1種類で、1種類だけでブロックされることはありません。',
  );
  const [again] = renderEvidence(factsOf('again, same respondent'), 'fr').verdict.duplicate.reasons;
  t.equal(again?.detail, 'Le même répondant a déjà participé ici (une fois).');
  t.end();
});

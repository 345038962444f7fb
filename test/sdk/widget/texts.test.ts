import fc from 'fast-check';
import t from 'tap';
import { english, fill, languageTags, loadLanguage, offlineLanguage } from '../../../sdk/widget/ui/locale.js';
import { loadTexts } from '../../../sdk/widget/ui/packaged-texts.js';
import { contrast, makePalette, readHex } from '../../../sdk/widget/ui/palette.js';
import { readBrand } from '../../../sdk/widget/ui/brand.js';

const valuesOf = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

t.test('every text of every language holds the same values as the English one, and none is empty', async (t) => {
  const known = Object.entries(english.texts);
  for (const tag of languageTags) {
    const texts = (await loadLanguage(tag, loadTexts))?.texts as Readonly<Record<string, string | readonly string[]>>;
    t.strictSame(Object.keys(texts).sort(), known.map(([key]) => key).sort(), tag);
    for (const [key, value] of known) {
      const parts = [texts[key] ?? ''].flat();
      t.ok(
        parts.every((part) => part.trim() !== ''),
        `${tag}.${key}`,
      );
      t.strictSame(valuesOf(parts.join(' ')), valuesOf([value].flat().join(' ')), `${tag}.${key}`);
      if (tag !== 'en') t.not(parts.join(), [value].flat().join(), `${tag}.${key} is translated`);
    }
  }
});

t.test(
  'no sentence of a screen has more than 25 words, and the terms of English screens are those of the glossary',
  async (t) => {
    const wordsMax = 25;
    const sentencesOf = (text: string): string[] => text.split(/(?<=[.?!؟。])\s*/u);
    // Japanese writes no spaces: a sentence of 60 characters reads like one of 25 words.
    const lengthOf = (tag: string, text: string): number =>
      tag === 'ja' ? (text.length / 60) * wordsMax : text.split(/\s+/u).filter((word) => /\p{L}/u.test(word)).length;
    for (const tag of languageTags) {
      const texts = (await loadLanguage(tag, loadTexts))?.texts as Readonly<Record<string, string | readonly string[]>>;
      for (const [key, value] of Object.entries(texts))
        for (const sentence of [value].flat().flatMap(sentencesOf))
          t.ok(lengthOf(tag, sentence) <= wordsMax, `${tag}.${key}: ${sentence}`);
    }
    const replaced = /\b(tell|program|programs|whoever|somebody|nobody|light your skin|in the picture|hold you up)\b/i;
    for (const [key, value] of Object.entries(english.texts)) t.notMatch([value].flat().join(' '), replaced, key);
  },
);

t.test('a language is chosen by its primary tag, and English otherwise', async (t) => {
  t.equal((await loadLanguage('pt-BR', loadTexts))?.tag, 'pt');
  t.equal((await loadLanguage('AR_eg', loadTexts))?.direction, 'rtl');
  for (const locale of ['', 'xx', 'constructor', '__proto__'])
    t.equal(await loadLanguage(locale, () => Promise.reject(new Error('asked for'))), english);
  t.equal(fill('{n} of {total} {other}', { n: 1, total: 2 }), '1 of 2 {other}');
  t.equal(fill('{company}', { company: '{n}' }), '\u2068{n}\u2069', 'a value is not filled again');
});

t.test('texts that do not come in time hold nothing up, and what failed can be said in every language', async (t) => {
  t.equal(await loadLanguage('de', () => Promise.reject(new Error('offline'))), null);
  t.equal(await loadLanguage('de', () => new Promise(() => undefined), 5), null);
  for (const tag of languageTags) {
    const { texts, direction } = offlineLanguage(tag);
    t.equal(texts.network[0] === english.texts.network[0], tag === 'en', tag);
    t.equal(direction, tag === 'ar' ? 'rtl' : 'ltr');
  }
});

t.test('under any two colours of a brand, every text and mark can be read', (t) => {
  const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(
      hex,
      hex,
      fc.constantFrom('light' as const, 'dark' as const),
      (primaryColor, backgroundColor, theme) => {
        const palette = makePalette(theme, { primaryColor, backgroundColor });
        const ratio = (one: string, other: string) =>
          contrast(readHex(palette[one]) ?? [0, 0, 0], readHex(palette[other]) ?? [0, 0, 0]);
        const grounds = ['surface', 'soft'];
        return (
          ratio('on', 'button') >= 4.5 &&
          ratio('on', 'hover') >= 4.5 &&
          grounds.every((ground) =>
            ['text', 'muted', 'accent', 'good', 'warn'].every((one) => ratio(one, ground) >= 4.5),
          ) &&
          grounds.every((ground) => ratio('mark', ground) >= 3)
        );
      },
    ),
    { numRuns: 2_000, examples: [['#497d00', '#a7bf5c', 'light']] },
  );
  t.pass();
  t.end();
});

t.test('of branding only what is well formed is taken', (t) => {
  const none = readBrand(null, null);
  t.strictSame(readBrand({ enabled: false, companyName: 'A', hidePoweredBy: true }, null), none);
  for (const privacyUrl of [
    'javascript:alert(1)',
    ' JaVaScRiPt:x',
    'data:text/html,x',
    '/relative',
    'blob:https://a.test/x',
  ])
    t.equal(readBrand({ privacyUrl }, null).privacyUrl, null, privacyUrl);
  t.equal(readBrand({ privacyUrl: 'https://a.test/privacy' }, null).privacyUrl, 'https://a.test/privacy');
  for (const fontFamily of ['a;b', 'url(x)', 'a}b', 'a\nb', ''])
    t.equal(readBrand({ fontFamily }, null).fontFamily, null);
  t.equal(readBrand({ fontFamily: "'Noto Sans', Arial" }, null).fontFamily, "'Noto Sans', Arial");
  t.equal(
    readBrand({ privacyUrl: 'https://a.test/' }, { privacyUrl: 'https://b.test/' }).privacyUrl,
    'https://b.test/',
  );
  t.equal(readBrand({ supportEmail: 'a@b.test?bcc=x' }, null).supportEmail, null);
  t.end();
});

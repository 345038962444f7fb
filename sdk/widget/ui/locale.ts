/** Chooses the language of the interface and fills values into its texts. English is in the bundle; others load while the project is read. */
import { en, type LoadedTexts, type Texts } from './texts/en.js';
import { offline } from './texts/offline.js';

/** Languages that the interface speaks, as BCP 47 primary tags. */
export const languageTags = ['en', 'de', 'fr', 'es', 'pt', 'ar', 'ja'] as const;
export type LoadedTag = keyof typeof offline;

/** Rejects if the texts cannot be had. */
export type LoadTexts = (tag: LoadedTag) => Promise<LoadedTexts>;

export interface Language {
  /** Primary tag, as in `lang`. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
}

export const english: Language = { tag: 'en', direction: 'ltr', texts: en };

/** The language of a BCP 47 tag by its primary part, for example `pt-BR`; null for English, and where there is none. */
function tagOf(locale: string): LoadedTag | null {
  const wanted = locale.toLowerCase().split(/[-_]/)[0] ?? '';
  return Object.hasOwn(offline, wanted) ? (wanted as LoadedTag) : null;
}

const languageOf = (tag: LoadedTag, texts: LoadedTexts): Language => ({
  tag,
  direction: tag === 'ar' ? 'rtl' : 'ltr',
  texts: { ...texts, ...offline[tag] },
});

/** The whole language; null if its texts cannot be had in time. */
export async function loadLanguage(locale: string, load: LoadTexts, waitMs = 5_000): Promise<Language | null> {
  const tag = tagOf(locale);
  if (tag === null) return english;
  const late = new Promise<null>((resolve) => setTimeout(resolve, waitMs, null));
  const texts = await Promise.race([load(tag).catch(() => null), late]);
  return texts === null ? null : languageOf(tag, texts);
}

/** The language of texts that need no loading; the rest is English. */
export function offlineLanguage(locale: string): Language {
  const tag = tagOf(locale);
  return tag === null ? english : languageOf(tag, en);
}

/** Puts values in place of `{name}`, each isolated so that a name in another script does not turn the sentence around. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? String(value) : `\u2068${value}\u2069`;
  });

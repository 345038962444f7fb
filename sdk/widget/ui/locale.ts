/** Chooses the language of the interface and fills values into its texts. */
import { ar } from './texts/ar.js';
import { de } from './texts/de.js';
import { en, type Texts } from './texts/en.js';
import { es } from './texts/es.js';
import { fr } from './texts/fr.js';
import { ja } from './texts/ja.js';
import { pt } from './texts/pt.js';

const languages: Readonly<Record<string, Texts>> = { en, de, fr, es, pt, ar, ja };

/** Languages that the interface speaks, as BCP 47 primary tags. */
export const languageTags: readonly string[] = Object.keys(languages);

export interface Language {
  /** Primary tag, as in `lang`. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
}

/** The language of a BCP 47 tag by its primary part, for example `pt-BR`; English where there is none. */
export function chooseLanguage(locale: string): Language {
  const wanted = locale.toLowerCase().split(/[-_]/)[0] ?? '';
  const tag = languageTags.includes(wanted) ? wanted : 'en';
  return { tag, direction: tag === 'ar' ? 'rtl' : 'ltr', texts: languages[tag] ?? en };
}

/** Puts values in place of `{name}`, each isolated so that a name in another script does not turn the sentence around. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? String(value) : `\u2068${value}\u2069`;
  });

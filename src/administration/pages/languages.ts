/**
 * The languages of the pages that respondents see, which are those of the widget, and what every page says at its foot. A page is written in
 * one language: the one asked for, else the best of the browser’s Accept-Language, else English.
 */
import { languages, type Language } from '../../contract/languages.js';

export { languages, type Language };

export interface FootTexts {
  readonly privacy: string;
  readonly contact: string;
  readonly service: string;
}

export const footTexts: Readonly<Record<Language, FootTexts>> = {
  en: { privacy: 'Privacy', contact: 'Contact', service: 'Verified by VerifyHuman' },
  de: { privacy: 'Datenschutz', contact: 'Kontakt', service: 'Geprüft mit VerifyHuman' },
  fr: { privacy: 'Confidentialité', contact: 'Contact', service: 'Vérifié avec VerifyHuman' },
  es: { privacy: 'Privacidad', contact: 'Contacto', service: 'Comprobado con VerifyHuman' },
  pt: { privacy: 'Privacidade', contact: 'Contato', service: 'Verificado com VerifyHuman' },
  ar: { privacy: 'الخصوصية', contact: 'اتصل بنا', service: 'تم التحقق عبر VerifyHuman' },
  ja: { privacy: 'プライバシー', contact: 'お問い合わせ', service: 'VerifyHumanによる確認' },
};

const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text);
const languageOf = (tag: string): string => tag.trim().toLowerCase().split('-', 1)[0] ?? '';

/** The language of a page: the one asked for, else the best of Accept-Language. */
export function chooseLanguage(asked: string | undefined, acceptLanguage: string | undefined): Language {
  const wanted = languageOf(asked ?? '');
  if (isLanguage(wanted)) return wanted;
  const accepted = (acceptLanguage ?? '')
    .slice(0, 512)
    .split(',')
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';');
      const quality = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((text) => text !== undefined);
      return { language: languageOf(tag), quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return accepted.map(({ language }) => language).find(isLanguage) ?? 'en';
}

/** The value of `dir` for the html element. */
export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

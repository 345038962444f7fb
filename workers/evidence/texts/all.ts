/** Every language but English, whose sentences stand with the rules. */
import type { Language } from '../../../src/contract/languages.js';
import { arabic } from './ar.js';
import { german } from './de.js';
import { spanish } from './es.js';
import { french } from './fr.js';
import { japanese } from './ja.js';
import { portuguese } from './pt.js';
import type { EvidenceTexts } from './texts.js';

export const translations: Readonly<Record<Exclude<Language, 'en'>, EvidenceTexts>> = {
  de: german,
  fr: french,
  es: spanish,
  pt: portuguese,
  ar: arabic,
  ja: japanese,
};

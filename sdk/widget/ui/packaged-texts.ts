/** Texts as parts of a package: bundlers split them off. */
import type { LoadTexts } from './locale.js';

const texts = {
  de: () => import('./texts/de.js'),
  fr: () => import('./texts/fr.js'),
  es: () => import('./texts/es.js'),
  pt: () => import('./texts/pt.js'),
  ar: () => import('./texts/ar.js'),
  ja: () => import('./texts/ja.js'),
};

export const loadTexts: LoadTexts = async (tag) => (await texts[tag]()).texts;

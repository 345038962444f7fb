/** Time zone and languages. */
import type { Reader } from '../types.js';

export const readLocale: Reader<'loc'> = () => ({
  zone: new Intl.DateTimeFormat().resolvedOptions().timeZone ?? null,
  offset: new Date().getTimezoneOffset(),
  language: navigator.language ?? null,
  languages: navigator.languages?.slice(0, 16) ?? null,
});

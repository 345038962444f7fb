/** What automation tools leave lying about: the webdriver flag and globals with telling names. */
import type { Reader } from '../types.js';

const telling =
  /^[$_]*(cdc_|wdc_|\$?chrome_asyncScript|(play|pw_|pwInit|playwright|puppeteer|pptr)|(fx)?(web)?driver|selenium|_?phantom|callPhantom|nightmare|domAutomation|stagehand|browser_?use|skyvern|awesomium|geb$)|selenium|webdriver|playwright/i;

/** Reads the automation group. Only names that match are reported, never a value. */
export const readAutomation: Reader<'auto'> = () => ({
  webdriver: navigator.webdriver ?? null,
  globals: [
    ...Object.getOwnPropertyNames(window),
    ...Object.getOwnPropertyNames(document),
    ...document.documentElement.getAttributeNames(),
  ]
    .filter((name) => telling.test(name))
    .slice(0, 16)
    .map((name) => name.slice(0, 64)),
});

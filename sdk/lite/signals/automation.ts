/** Detects traces of automation tools: the webdriver flag and globals with typical names. */
import type { Reader } from '../types.js';

/** Prefixes are whole enough to spare players, product tours and wallets (`phantom` is one). */
const revealing =
  /^(\$?cdc_|\$chrome_async|__pw|__pptr|_phantom|callPhantom|__nightmare|domAutomation|__(fx)?driver_)|selenium|webdriver|playwright|puppeteer|stagehand|browser_?use(?!r)|skyvern/i;

/** Reads the automation group. Only names that match are reported, never a value. */
export const readAutomation: Reader<'auto'> = () => ({
  webdriver: navigator.webdriver ?? null,
  globals: [...[window, document].flatMap(Object.getOwnPropertyNames), ...document.documentElement.getAttributeNames()]
    .filter((name) => revealing.test(name))
    .slice(0, 16)
    .map((name) => name.slice(0, 64)),
});

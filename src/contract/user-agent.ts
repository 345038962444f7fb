/**
 * Reads what scoring needs from a user agent, for the core and the counters. Written by hand: a general parser costs three times as much as
 * all other scoring. Unknown parts are null. Only the first `userAgentLengthMax` characters are looked at, so that all copies are compared
 * at one length.
 */
import { userAgentLengthMax } from '../limits.js';

export type OsFamily = 'windows' | 'macos' | 'ios' | 'android' | 'chromeos' | 'linux';

export interface UserAgent {
  readonly text: string;
  readonly os: OsFamily | null;
  readonly browser: string | null;
  readonly major: number | null;
  readonly mobile: boolean;
}

/** Order matters: most browsers also name those they descend from. */
const browserMarks: readonly (readonly [mark: string, browser: string])[] = [
  ['Edg/', 'edge'],
  ['EdgA/', 'edge'],
  ['EdgiOS/', 'edge'],
  ['OPR/', 'opera'],
  ['SamsungBrowser/', 'samsung'],
  ['YaBrowser/', 'yandex'],
  ['Vivaldi/', 'vivaldi'],
  ['FxiOS/', 'firefox'],
  ['Firefox/', 'firefox'],
  ['HeadlessChrome/', 'chrome'],
  ['CriOS/', 'chrome'],
  ['Chrome/', 'chrome'],
];

const keptMax = 2_000;

/** `read`, with the results of texts that recur kept. */
export function keepResults<T>(read: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const result = read(text);
    if (kept.size >= keptMax) kept.clear();
    kept.set(text, result);
    return result;
  };
}

/** null for an absent or empty user agent. */
export const readUserAgent = (whole: string | null | undefined): UserAgent | null =>
  whole == null || whole === '' ? null : readText(whole.slice(0, userAgentLengthMax));

const readText = keepResults((text: string): UserAgent => {
  const os = readOs(text);
  const mobile = os === 'android' || os === 'ios' || text.includes('Mobile');
  for (const [mark, browser] of browserMarks) {
    const at = text.indexOf(mark);
    if (at >= 0) return { text, os, browser, major: readMajor(text, at + mark.length), mobile };
  }
  const version = text.includes('Safari/') ? text.indexOf('Version/') : -1;
  if (version >= 0) return { text, os, browser: 'safari', major: readMajor(text, version + 8), mobile };
  return { text, os, browser: null, major: null, mobile };
});

/** Whether the user agent calls itself a browser without a window. */
export function isHeadless(text: string): boolean {
  return text.includes('Headless') || text.includes('PhantomJS');
}

function readOs(text: string): OsFamily | null {
  if (text.includes('Android')) return 'android';
  if (text.includes('iPhone') || text.includes('iPad') || text.includes('iPod')) return 'ios';
  if (text.includes('Windows')) return 'windows';
  if (text.includes('Mac OS X') || text.includes('Macintosh')) return 'macos';
  if (text.includes('CrOS')) return 'chromeos';
  return text.includes('Linux') || text.includes('X11') ? 'linux' : null;
}

function readMajor(text: string, from: number): number | null {
  let value = 0;
  let at = from;
  for (; at < text.length && at < from + 6; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return at === from ? null : value;
}

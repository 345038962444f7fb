/** Browsers by system, their user agents and client hints. Most update within two versions; some never (StatCounter; intoli’s sample). */
import { mix, type Random, type Weights } from './random.js';

export type System = 'windows' | 'mac' | 'linux' | 'chromeos' | 'ios' | 'android' | 'ipad';
export type Browser = 'chrome' | 'edge' | 'firefox' | 'safari' | 'samsung' | 'opera' | 'brave' | 'webview';
export type Engine = 'blink' | 'gecko' | 'webkit';

export const chromeNow = 152;

const shares: Readonly<Record<System, Weights<Browser>>> = {
  windows: mix('chrome 66, edge 19, firefox 7, opera 4, brave 3'),
  mac: mix('safari 42, chrome 48, firefox 6, brave 3'),
  linux: mix('chrome 58, firefox 40'),
  chromeos: mix('chrome 1'),
  ios: mix('safari 78, chrome 14, webview 8'),
  ipad: mix('safari 90, chrome 10'),
  android: mix('chrome 76, samsung 9, webview 8, firefox 2, opera 3, brave 2'),
};
export const drawBrowser = (random: Random, system: System): Browser => random.weighted(shares[system]);

/** Versions behind the current one. */
export const drawAge = (random: Random): number =>
  random.weighted([
    [0, 52],
    [1, 26],
    [2, 7],
    [3, 4],
    [random.int(4, 12), 7],
    [random.int(13, 60), 4],
  ]);

export const isPhone = (system: System): boolean => system === 'ios' || system === 'android';
export const isTouch = (system: System): boolean => isPhone(system) || system === 'ipad';

export function engineOf(system: System, browser: Browser): Engine {
  if (system === 'ios' || system === 'ipad' || browser === 'safari') return 'webkit';
  return browser === 'firefox' ? 'gecko' : 'blink';
}

export const hintPlatforms: Readonly<Record<System, string>> = {
  windows: 'Windows',
  mac: 'macOS',
  linux: 'Linux',
  chromeos: 'Chrome OS',
  android: 'Android',
  ios: '',
  ipad: '',
};
export const navigatorPlatforms: Readonly<Record<System, string>> = {
  windows: 'Win32',
  mac: 'MacIntel',
  linux: 'Linux x86_64',
  chromeos: 'Linux x86_64',
  ios: 'iPhone',
  ipad: 'MacIntel',
  android: 'Linux armv81',
};
export const platformVersions: Readonly<Record<System, readonly string[]>> = {
  windows: ['10.0.0', '15.0.0', '19.0.0', '19.0.0'],
  mac: ['14.7.1', '15.6.0', '26.0.1'],
  linux: ['6.8.0'],
  chromeos: ['16093.0.0'],
  android: ['11.0.0', '13.0.0', '14.0.0', '15.0.0', '16.0.0'],
  ios: [''],
  ipad: [''],
};

const names: Readonly<Record<Browser, string>> = {
  chrome: 'Google Chrome',
  edge: 'Microsoft Edge',
  samsung: 'Samsung Internet',
  opera: 'Opera',
  brave: 'Brave',
  webview: 'Android WebView',
  firefox: '',
  safari: '',
};
/** Versions of browsers that do not count as Chrome does. */
const ownVersions: Readonly<Partial<Record<Browser, (version: number) => number>>> = {
  samsung: () => 29,
  opera: (version) => version - 16,
};
export const brandsOf = (browser: Browser, version: number): string[] => [
  'Not)A;Brand;8',
  `Chromium;${version}`,
  `${names[browser]};${ownVersions[browser]?.(version) ?? version}`,
];

/** Browsers freeze what they say of the system. */
const systems: Readonly<Record<System, string>> = {
  windows: 'Windows NT 10.0; Win64; x64',
  mac: 'Macintosh; Intel Mac OS X 10_15_7',
  linux: 'X11; Linux x86_64',
  chromeos: 'X11; CrOS x86_64 14541.0.0',
  android: 'Linux; Android 10; K',
  ios: '',
  ipad: 'Macintosh; Intel Mac OS X 10_15_7',
};
const geckoSystems: Readonly<Partial<Record<System, string>>> = {
  mac: 'Macintosh; Intel Mac OS X 10.15',
  android: 'Android 14; Mobile',
};
const appsOnApple = ['[FBAN/FBIOS;FBAV/530.0.0]', 'Instagram 402.0.0', 'GSA/390.0'];
const appsOnAndroid = ['[FB_IAB/FB4A;FBAV/530.0.0]', 'Instagram 402.0.0 Android', 'PanelApp/4.2'];

export function agentOf(system: System, browser: Browser, version: number, luck: Random): string {
  const engine = engineOf(system, browser);
  if (engine === 'webkit') return appleAgent(system, browser, version, luck);
  if (engine === 'gecko')
    return `Mozilla/5.0 (${geckoSystems[system] ?? systems[system]}; rv:${version - 2}.0) Gecko/20100101 Firefox/${version - 2}.0`;
  const app = browser === 'webview';
  const where = app ? 'Linux; Android 13; SM-A156B Build/TP1A.220624.014; wv' : systems[system];
  const before = { webview: ' Version/4.0', samsung: ' SamsungBrowser/29.0' }[browser as string] ?? '';
  const endings: Readonly<Partial<Record<Browser, string>>> = {
    edge: ` Edg/${version}.0.0.0`,
    opera: ` OPR/${version - 16}.0.0.0`,
    webview: ` ${luck.pick(appsOnAndroid)}`,
  };
  const after = endings[browser] ?? '';
  return `Mozilla/5.0 (${where}) AppleWebKit/537.36 (KHTML, like Gecko)${before} Chrome/${version}.0.0.0${system === 'android' ? ' Mobile' : ''} Safari/537.36${after}`;
}

function appleAgent(system: System, browser: Browser, version: number, luck: Random): string {
  const safari = Math.max(14, 26 - Math.floor((chromeNow - version) / 4));
  const device =
    system === 'ios' ? `iPhone; CPU iPhone OS ${safari >= 26 ? '18_7' : `${safari}_6`} like Mac OS X` : systems.mac;
  const base = `Mozilla/5.0 (${device}) AppleWebKit/605.1.15 (KHTML, like Gecko)`;
  if (browser === 'chrome') return `${base} CriOS/${version}.0.7444.46 Mobile/15E148 Safari/604.1`;
  if (browser === 'webview') return `${base} Mobile/15E148 ${luck.pick(appsOnApple)}`;
  const [mobile, build] = system === 'ios' ? ['Mobile/15E148 ', '604.1'] : ['', '605.1.15'];
  return `${base} Version/${safari}.${luck.pick([0, 1, 3, 5, 6])} ${mobile}Safari/${build}`;
}

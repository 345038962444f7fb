/**
 * Devices of simulated respondents as the probe measures them. Few models are most devices, and a long tail is the rest: of 10,000 about 66% of
 * computers and 40% of phones are unique by what the probe carries (arXiv 2311.08769, over ads; iPhones hardly ever, Android phones mostly).
 */
import type { ProbeBody, ProbeTransport } from '../../src/contract/probe.js';
import type { Draw } from './draw.js';

export interface Device {
  readonly phone: boolean;
  readonly model: string;
  readonly userAgent: string;
  readonly body: Pick<ProbeBody, 'ua' | 'hw' | 'scr' | 'gfx' | 'env'>;
  readonly hintPlatform: string | null;
  readonly browser: Browser;
  /** null for phones. */
  readonly desktop: Desktop | null;
  /** The input of a customer’s own fingerprint of the device: devices of a model share it. */
  readonly fingerprint: string;
}

export interface Desktop {
  readonly os: 'windows' | 'macos' | 'linux';
  readonly gpu: string;
  readonly cores: number;
  readonly memory: number;
  readonly screen: readonly [number, number];
}

export type Browser = 'chrome' | 'edge' | 'firefox' | 'safari' | 'samsung';

export const hashOf = (text: string): string => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
};

/** The n-th of `count`, the first the most frequent. */
export const zipf = (draw: Draw, count: number, exponent: number): number =>
  draw.weighted(Array.from({ length: count }, (_, n) => [n, 1 / (n + 1) ** exponent] as const));

export const majorOf = (draw: Draw): number =>
  draw.weighted([
    [147, 0.06],
    [148, 0.2],
    [149, 0.66],
    [150, 0.08],
  ] as const);

const iphones = Array.from({ length: 14 }, (_, n) => ({
  w: [390, 393, 375, 402, 430, 414][n % 6] ?? 390,
  h: [844, 852, 812, 874, 932, 896][n % 6] ?? 844,
}));
/** The first are sold everywhere. */
const androidModels = 600;
const androids = Array.from({ length: androidModels }, (_, n) => ({
  model: `SM-${['S', 'A', 'M', 'G'][n % 4]}${100 + n * 7}B`,
  gpu: ['Adreno (TM) 740', 'Mali-G78', 'Adreno (TM) 619', 'Mali-G57 MC2', 'PowerVR GE8320'][n % 5] ?? 'Mali-G57',
  w: [360, 384, 393, 412][n % 4] ?? 360,
  h: [800, 832, 873, 915][n % 4] ?? 800,
  memory: [8, 4, 4, 2][n % 4] ?? 4,
}));

export function drawPhone(draw: Draw, popular = false): Device {
  return draw.chance(0.45)
    ? drawIphone(draw, popular)
    : drawAndroid(draw, popular ? 0 : zipf(draw, androids.length, 0.75));
}

function drawIphone(draw: Draw, popular: boolean): Device {
  const n = popular ? 0 : zipf(draw, iphones.length, 0.8);
  const { w, h } = iphones[n] ?? { w: 390, h: 844 };
  const version = draw.weighted([
    ['18_5', 0.55],
    ['18_4', 0.2],
    ['17_7', 0.15],
    ['26_0', 0.1],
  ] as const);
  const userAgent = `Mozilla/5.0 (iPhone; CPU iPhone OS ${version} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version.replace('_', '.')} Mobile/15E148 Safari/604.1`;
  return {
    phone: true,
    desktop: null,
    model: `iphone-${n}`,
    userAgent,
    browser: 'safari',
    hintPlatform: null,
    fingerprint: hashOf(`iphone ${n} ${version}`),
    body: {
      ua: { ua: userAgent, brands: null, mobile: null, platform: null },
      hw: { cores: 6, memory: null, touch: 5, platform: 'iPhone' },
      scr: { w, h, availW: w, availH: h, outerW: w, outerH: h, innerW: w, innerH: h - 150, dpr: 3, depth: 24 },
      gfx: {
        vendor: 'Apple Inc.',
        renderer: 'Apple GPU',
        canvas: hashOf(`ic${n} ${version}`),
        stable: true,
        audio: 124.08,
      },
      env: { fonts: 'a9a9a9a9', plugins: 0, pdf: true, cookies: true, storage: true },
    },
  };
}

export function drawAndroid(draw: Draw, n: number): Device {
  const { model, gpu, w, h, memory } = androids[n % androids.length] ?? androids[0]!;
  const major = majorOf(draw);
  const system = draw.weighted([
    ['15.0.0', 0.4],
    ['14.0.0', 0.35],
    ['13.0.0', 0.25],
  ] as const);
  const samsung = draw.chance(0.2);
  // How large its owner has everything drawn.
  const zoom = draw.weighted([
    [1, 0.68],
    [0.9, 0.14],
    [1.12, 0.12],
    [1.3, 0.06],
  ] as const);
  const [width, height] = [Math.round(w * zoom), Math.round(h * zoom)];
  const userAgent = `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) ${samsung ? 'SamsungBrowser/28.0 ' : ''}Chrome/${major}.0.0.0 Mobile Safari/537.36`;
  return {
    phone: true,
    desktop: null,
    model,
    userAgent,
    browser: samsung ? 'samsung' : 'chrome',
    hintPlatform: '"Android"',
    fingerprint: hashOf(`${model} ${system} ${major} ${samsung}`),
    body: {
      ua: {
        ua: userAgent,
        brands: [`Chromium;${major}`],
        mobile: true,
        platform: 'Android',
        platformVersion: system,
        model,
        arch: '',
      },
      hw: { cores: 8, memory, touch: 5, platform: 'Linux armv81' },
      scr: {
        w: width,
        h: height,
        availW: width,
        availH: height,
        outerW: width,
        outerH: height,
        innerW: width,
        innerH: height - 120,
        dpr: Math.round(2625 / zoom) / 1000,
        depth: 24,
      },
      gfx: {
        vendor: 'Qualcomm',
        renderer: `ANGLE (${gpu}, OpenGL ES 3.2)`,
        canvas: hashOf(`ac${model}${system}${draw.whole(0, 5)}`),
        stable: true,
        audio: 124.04,
      },
      env: { fonts: hashOf(`af${model}`), plugins: 0, pdf: false, cookies: true, storage: true },
    },
  };
}

/** The transport of this browser's requests. */
export const transportOf = (device: Device, language: string): ProbeTransport => ({
  userAgent: device.userAgent,
  acceptLanguage: `${language},${language.slice(0, 2)};q=0.9`,
  hintPlatform: device.hintPlatform,
  hintMobile: device.hintPlatform === null ? null : `?${Number(device.phone)}`,
});

/** Computers of simulated respondents, by system, graphics and browser; and rented ones, drawn without a graphics card. */
import { hashOf, majorOf, zipf, type Browser, type Desktop, type Device } from './devices.js';
import type { Draw } from './draw.js';

const screens = [
  [1920, 1080],
  [1536, 864],
  [1366, 768],
  [2560, 1440],
  [1440, 900],
  [1728, 1117],
  [1280, 720],
  [3840, 2160],
] as const;

/** Hardware of a person’s computer. The most frequent models are office machines that thousands have. */
function drawDesktop(draw: Draw): Desktop {
  const os = draw.weighted([
    ['windows', 0.74],
    ['macos', 0.22],
    ['linux', 0.04],
  ] as const);
  const n = zipf(draw, 60, 1.05);
  const macs = ['Apple M1', 'Apple M2', 'Apple M3', 'Intel Iris Plus'];
  return {
    os,
    gpu:
      os === 'macos'
        ? (macs[n % 4] ?? 'Apple M1')
        : `${['Intel(R) UHD Graphics', 'NVIDIA GeForce RTX', 'AMD Radeon'][n % 3]} ${600 + n}`,
    cores: os === 'macos' ? 8 : ([4, 8, 12, 16][n % 4] ?? 8),
    memory: 8,
    screen: screens[zipf(draw, screens.length, 0.8)] ?? [1920, 1080],
  };
}

const agents = {
  windows: ['Windows NT 10.0; Win64; x64', 'Win32', 'Windows'],
  macos: ['Macintosh; Intel Mac OS X 10_15_7', 'MacIntel', 'macOS'],
  linux: ['X11; Linux x86_64', 'Linux x86_64', 'Linux'],
} as const;

function agentOf(system: string, browser: Browser, major: number, headless: boolean): string {
  if (browser === 'firefox') return `Mozilla/5.0 (${system}; rv:${major}.0) Gecko/20100101 Firefox/${major}.0`;
  if (browser === 'safari')
    return `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`;
  const start = `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${headless ? 'Headless' : ''}Chrome/${major}.0.0.0 Safari/537.36`;
  return browser === 'edge' ? `${start} Edg/${major}.0.0.0` : start;
}

function drawScreen(draw: Draw, { screen: [w, h] }: Desktop): NonNullable<Device['body']['scr']> {
  const dpr = draw.weighted([
    [1, 0.62],
    [1.25, 0.2],
    [2, 0.18],
  ] as const);
  const bar = draw.pick([32, 40, 48, 72]);
  const window = { outerW: w, outerH: h - bar, innerW: w - 16, innerH: h - bar - draw.whole(80, 140) };
  return { w, h, availW: w, availH: h - bar, ...window, dpr, depth: 24 };
}

export interface ComputerTraits {
  readonly browser?: Browser;
  readonly headless?: boolean;
  /** Drawn without a graphics card, as in most virtual machines. */
  readonly software?: boolean;
  readonly desktop?: Desktop;
}

export function drawComputer(draw: Draw, traits: ComputerTraits = {}): Device {
  const desktop = traits.desktop ?? drawDesktop(draw);
  const { os, cores, memory } = desktop;
  const browser =
    traits.browser ??
    draw.weighted<Browser>([
      ['chrome', 0.64],
      ['edge', os === 'windows' ? 0.16 : 0.03],
      ['firefox', 0.09],
      ['safari', os === 'macos' ? 0.5 : 0],
    ]);
  const [system, platform, hint] = agents[os];
  const major = majorOf(draw);
  const userAgent = agentOf(system, browser, major, traits.headless === true);
  const hinted = browser === 'chrome' || browser === 'edge';
  const gpu = traits.software === true ? 'Vulkan 1.3.0 (SwiftShader Device (Subzero))' : desktop.gpu;
  const driver = zipf(draw, 6, 1);
  const fonts = draw.chance(0.8) ? 'common' : String(draw.whole(0, 150));
  return {
    phone: false,
    desktop,
    model: `${os} ${gpu} ${desktop.screen.join('x')}`,
    userAgent,
    browser,
    hintPlatform: hinted ? `"${hint}"` : null,
    fingerprint: hashOf(`${os} ${gpu} ${desktop.screen.join('x')} ${cores} ${fonts} ${browser} ${major}`),
    body: {
      ua: hinted
        ? {
            ua: userAgent,
            brands: [`Chromium;${major}`],
            mobile: false,
            platform: hint,
            platformVersion: draw.pick(['15.0.0', '10.0.0', '19.0.0']),
            model: '',
            arch: os === 'macos' ? 'arm' : 'x86',
          }
        : { ua: userAgent, brands: null, mobile: null, platform: null },
      hw: { cores, memory: hinted ? memory : null, touch: draw.chance(0.08) ? 10 : 0, platform },
      scr: drawScreen(draw, desktop),
      gfx: {
        vendor: 'Google Inc.',
        renderer: browser === 'firefox' ? gpu : `ANGLE (${gpu} Direct3D11)`,
        canvas: hashOf(`c${gpu}${browser}${driver}`),
        stable: true,
        audio: 124.04 + (browser === 'firefox' ? 1 : 0) + (os === 'macos' ? 0.03 : 0),
      },
      env: {
        fonts: hashOf(fonts + os),
        plugins: browser === 'firefox' || hinted ? 5 : 0,
        pdf: true,
        cookies: true,
        storage: true,
      },
    },
  };
}

/** The same computer with another browser: what the hardware says stays. */
export function withBrowser(device: Device, draw: Draw): Device {
  if (device.desktop === null) return device;
  const browser = draw.pick((['chrome', 'edge', 'firefox'] as const).filter((name) => name !== device.browser));
  const other = drawComputer(draw, { browser, desktop: device.desktop });
  return {
    ...other,
    body: {
      ...other.body,
      scr: { ...device.body.scr },
      env: { ...other.body.env, fonts: device.body.env?.fonts ?? null },
    },
  };
}

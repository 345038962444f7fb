/**
 * Screens, cores, memory and graphics. Shares by system are those of recent samples of real browsers (Apify’s fingerprint network 2.1,
 * intoli’s user-agents 2.1); 4 to 5% of Windows browsers there draw without a graphics card.
 */
import { mix, weightsIn, type Random, type Weights } from './random.js';
import type { Browser, System } from './agents.js';

export interface Hardware {
  readonly model: string;
  readonly screen: readonly [width: number, height: number, ratio: number];
  readonly renderer: string | null;
  readonly cores: number;
  readonly memory: number;
}

const readPhone = ([model = '', w, h, ratio, renderer = '', cores, memory]: string[]): Hardware => ({
  model,
  screen: [Number(w), Number(h), Number(ratio)],
  renderer,
  cores: Number(cores),
  memory: Number(memory),
});

/** Share | model | width | height | ratio | renderer | cores | memory. */
const androids = weightsIn(
  `
    7 | SM-S928B | 384 | 832 | 2.8125 | Adreno (TM) 750 | 8 | 8
    8 | SM-S938U | 384 | 832 | 2.8125 | Adreno (TM) 830 | 8 | 8
    9 | SM-A156B | 360 | 780 | 3 | Mali-G57 MC2 | 8 | 4
    8 | SM-A546B | 412 | 915 | 2.625 | Mali-G68 | 8 | 8
    6 | SM-A037F | 360 | 800 | 2 | PowerVR Rogue GE8320 | 8 | 4
    6 | Pixel 8 | 412 | 915 | 2.625 | Mali-G715 | 9 | 8
    4 | Pixel 6a | 412 | 892 | 2.625 | Mali-G78 | 8 | 8
    5 | moto g power 5G | 432 | 960 | 2.5 | PowerVR B-Series BXM-8-256 | 8 | 4
    9 | Redmi Note 12 | 393 | 873 | 2.75 | Adreno (TM) 619 | 8 | 4
    6 | 2201117TY | 393 | 873 | 2.75 | Mali-G57 MC2 | 8 | 4
    7 | CPH2387 | 360 | 800 | 2 | Mali-G52 MC2 | 8 | 4
    6 | V2206 | 360 | 804 | 2 | Mali-G52 MC2 | 8 | 4
    5 | RMX3710 | 360 | 806 | 2 | Mali-G57 | 8 | 4
    2 | SM-J701F | 360 | 640 | 2 | Mali-T830 | 8 | 2
    3 | itel A665L | 360 | 800 | 2 | PowerVR Rogue GE8322 | 8 | 2
    4 | TECNO KI5k | 360 | 800 | 2 | Mali-G52 MC2 | 8 | 4`,
  readPhone,
);
/** iPhones name no model, and their renderer and cores are all alike. */
const appleScreens = (text: string): Weights<Hardware> =>
  mix(text).map(([screen, share]) => [readPhone(['', ...screen.split('x'), 'Apple GPU', '4', '0']), share]);
const iphones = appleScreens(
  '393x852x3 25, 402x874x3 18, 390x844x3 20, 440x956x3 11, 430x932x3 11, 428x926x3 4, 375x812x3 5, 414x896x2 4, 375x667x2 2',
);
const ipads = appleScreens('820x1180x2 40, 810x1080x2 35, 1024x1366x2 25');
const pcScreens =
  '1920x1080x1 27, 1536x864x1.25 24, 1366x768x1 10, 1280x720x1.5 8, 2560x1440x1 5, 1680x1050x1.25 3, 1536x960x1.25 2, 1280x800x1.5 2, 1600x900x1 2, 1440x900x1 2, 3440x1440x1 1, 1707x1067x1.5 1, 1920x1200x1 1, 1745x982x1.1 1, 1024x768x1 0.6, 2048x1152x1.25 1';
const macScreens =
  '1440x900x2 16, 1470x956x2 16, 1512x982x2 13, 1920x1080x1 9, 1728x1117x2 7, 1680x1050x2 6, 2560x1440x2 5, 2560x1440x1 5, 1710x1107x2 4, 1280x800x2 2, 1440x900x1 2';
const cards = weightsIn(`
  9 | Intel, Intel(R) Iris(R) Xe Graphics (0x00009A49)
  6 | Intel, Intel(R) UHD Graphics 620 (0x00005917)
  5 | Intel, Intel(R) UHD Graphics (0x00009B41)
  5 | Intel, Intel(R) Iris(R) Xe Graphics (0x000046A6)
  6 | AMD, AMD Radeon(TM) Graphics (0x00001638)
  4 | Intel, Intel(R) HD Graphics 620 (0x00005916)
  5 | Intel, Intel(R) UHD Graphics 630 (0x00003E92)
  4 | Intel, Intel(R) UHD Graphics (0x0000A7A8)
  3 | Intel, Intel(R) HD Graphics 520 (0x00001916)
  4 | AMD, AMD Radeon(TM) Graphics (0x0000164C)
  5 | NVIDIA, NVIDIA GeForce RTX 3060 (0x00002504)
  4 | NVIDIA, NVIDIA GeForce RTX 4060 Laptop GPU (0x000028E0)
  4 | NVIDIA, NVIDIA GeForce GTX 1650 (0x00001F82)
  3 | NVIDIA, NVIDIA GeForce GTX 1660 SUPER (0x000021C4)
  3 | AMD, AMD Radeon RX 6600 (0x000073FF)
  3 | Intel, Intel(R) HD Graphics 4600 (0x00000412)
  4 | Intel, Intel(R) Graphics (0x00007D45)
  2 | AMD, Radeon RX 580 Series (0x000067DF)
  3 | Intel, Intel(R) UHD Graphics 600 (0x00003185)
  3 | NVIDIA, NVIDIA GeForce RTX 4070 (0x00002786)`);
const chips = weightsIn(`
  24 | Apple M1
  18 | Apple M2
  14 | Apple M4
  12 | Apple M3
  8 | Apple M1 Pro
  6 | Apple M3 Pro
  5 | Apple M4 Pro
  5 | Intel(R) UHD Graphics 630
  4 | Intel(R) Iris(TM) Plus Graphics 655`);
const mesa = [
  'Intel(R) UHD Graphics (CML GT2)',
  'Intel(R) UHD Graphics 620 (KBL GT2)',
  'Intel(R) Iris(R) Xe Graphics (TGL GT2)',
];

export const swiftShader =
  'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)';
const d3d = 'Direct3D11 vs_5_0 ps_5_0';
const basicRender = `ANGLE (Microsoft, Microsoft Basic Render Driver (0x0000008C) ${d3d}, D3D11)`;
const vmware = 'ANGLE (VMware, SVGA3D; build: RELEASE;  LLVM;, OpenGL 4.1)';

/** The hardware of a device; `virtual` ones have no graphics card. Some machines draw nothing in WebGL. */
export function drawHardware(random: Random, system: System, browser: Browser, virtual: boolean): Hardware {
  if (system === 'ios') return random.weighted(iphones);
  if (system === 'ipad') return random.weighted(ipads);
  if (system === 'android') return random.weighted(androids);
  const screen = random.weighted(mix(system === 'mac' ? macScreens : pcScreens));
  const [w = 0, h = 0, ratio = 1] = screen.split('x').map(Number);
  const real = system === 'mac' ? '8 55, 10 22, 12 10, 14 6, 4 7' : '8 32, 12 22, 4 19, 16 14, 6 4, 20 4, 2 3, 24 2';
  const cores = virtual ? '2 4, 4 4, 8 2' : real;
  return {
    model: '',
    // Zoomed pages change the ratio of pixels.
    screen: [w, h, random.chance(0.09) ? Math.round(ratio * random.pick([0.9, 1.1, 1.25, 0.8]) * 100) / 100 : ratio],
    renderer: random.chance(0.006) ? null : rendererOf(random, system, browser, virtual),
    cores: system === 'mac' && browser === 'safari' ? 8 : Number(random.weighted(mix(cores))),
    memory: Number(random.weighted(mix(virtual ? '4 6, 8 4' : '8 44, 16 34, 32 13, 4 9'))),
  };
}

function rendererOf(random: Random, system: System, browser: Browser, virtual: boolean): string {
  if (virtual) return system === 'windows' ? basicRender : random.pick([swiftShader, vmware]);
  if (system === 'mac') {
    const chip = random.weighted(chips);
    if (browser === 'safari') return 'Apple GPU';
    if (browser === 'firefox') return 'Apple M1, or similar';
    return `ANGLE (${chip.split(/[ (]/)[0]}, ANGLE Metal Renderer: ${chip}, Unspecified Version)`;
  }
  if (system !== 'windows') return `ANGLE (Intel, Mesa ${random.pick(mesa)}, OpenGL ES 3.2)`;
  const card = random.weighted(cards);
  if (browser !== 'firefox') return `ANGLE (${card} ${d3d}, D3D11)`;
  return card.startsWith('NVIDIA')
    ? `ANGLE (NVIDIA, NVIDIA GeForce GTX 980 ${d3d}), or similar`
    : `ANGLE (Intel, Intel(R) HD Graphics ${d3d}), or similar`;
}

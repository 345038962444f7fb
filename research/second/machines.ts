/** A browser on a device: what its messages show, and how it changes over the weeks. */
import type { ProbeBody } from '../../src/contract/probe.js';
import * as agents from './agents.js';
import { drawHardware, type Hardware } from './hardware.js';
import { digest, mix, type Random } from './random.js';

const { chromeNow, engineOf, isTouch } = agents;

export interface Machine {
  readonly id: string;
  readonly system: agents.System;
  readonly browser: agents.Browser;
  readonly version: number;
  readonly agent: string;
  /** Headers that browsers of one engine send. */
  readonly hints: { readonly platform: string; readonly mobile: string } | null;
  readonly hardware: string;
  readonly body: Required<Pick<ProbeBody, 'ua' | 'hw' | 'scr' | 'gfx' | 'env'>>;
  token: string;
  usedMs: number | null;
  readonly refreshHz: number;
  readonly clockMs: number;
  readonly fractional: number;
}

export interface MachineOptions {
  readonly system: agents.System;
  readonly browser?: agents.Browser;
  /** Without a graphics card: virtual machines and remote desktops. */
  readonly virtual?: boolean;
  readonly behind?: number;
  readonly hardware?: Hardware;
}

const audio: Readonly<Record<agents.Engine, number>> = { blink: 124.043475, gecko: 35.749972, webkit: 124.041219 };

export function buildMachine(random: Random, id: string, options: MachineOptions): Machine {
  const { system, virtual = false } = options;
  const touch = isTouch(system);
  const browser = options.browser ?? agents.drawBrowser(random, system);
  const version = chromeNow - (options.behind ?? agents.drawAge(random));
  const found = options.hardware ?? drawHardware(random, system, browser, virtual);
  const { model, renderer, cores, memory } = found;
  const engine = engineOf(system, browser);
  const agent = agents.agentOf(system, browser, version, random);
  const hinted = engine === 'blink' && browser !== 'webview';
  const mobile = system === 'android';
  const platform = agents.hintPlatforms[system];
  const scr = drawWindow(random, found, options);
  const touchScreen = system === 'windows' && random.chance(0.13) ? 10 : 0;
  const build = touch ? '' : random.int(1, 4);
  const office = touch
    ? ''
    : random.weighted([
        ['0', 60],
        ['1', 25],
        [String(random.int(2, 9)), 15],
      ]);
  return {
    id,
    system,
    browser,
    version,
    agent,
    hints: hinted ? { platform: `"${platform}"`, mobile: mobile ? '?1' : '?0' } : null,
    hardware: digest(`${system} ${scr.w}x${scr.h} ${renderer} ${cores} ${model}`, 10),
    token: random.hex(32),
    usedMs: null,
    refreshHz: touch ? random.pick([60, 90, 120]) : Number(random.weighted(mix('60 70, 75 5, 120 9, 144 14, 240 2'))),
    clockMs: clockOf(random, engine, system),
    fractional: fractionOf(random, system, engine, scr.dpr ?? 1),
    body: {
      ua: {
        ua: agent,
        brands: hinted ? agents.brandsOf(browser, version) : null,
        mobile: hinted ? mobile : null,
        platform: hinted ? platform : null,
        platformVersion: hinted ? random.pick(agents.platformVersions[system]) : null,
        model: hinted ? model : null,
        arch: hinted ? archOf(touch, renderer) : null,
      },
      hw: {
        cores,
        memory: engine === 'blink' ? memory : null,
        touch: touch ? 5 : touchScreen,
        platform: agents.navigatorPlatforms[system],
      },
      scr,
      gfx: {
        vendor: vendorOf(engine, renderer),
        renderer,
        canvas: digest(`canvas ${engine} ${system} ${renderer} ${build} ${version >> 2}`),
        stable: true,
        audio: audio[engine] + (mobile ? 0.037253 : 0),
      },
      env: {
        fonts: digest(`fonts ${system} ${office}`),
        plugins: mobile ? 0 : 5,
        pdf: !mobile,
        cookies: true,
        storage: true,
      },
    },
  };
}

function drawWindow(
  random: Random,
  { screen: [w, h, dpr] }: Hardware,
  { system, virtual = false }: MachineOptions,
): Machine['body']['scr'] {
  if (isTouch(system)) {
    const bars = random.int(80, 180);
    return {
      w,
      h,
      availW: w,
      availH: h,
      outerW: w,
      outerH: h,
      innerW: w,
      innerH: h - bars,
      dpr,
      depth: system === 'android' ? 24 : 32,
    };
  }
  const bar = system === 'windows' ? 48 : random.pick([25, 32, 38, 90]);
  const full = random.chance(0.72);
  const outerW = full ? w : random.int(Math.round(w * 0.55), w - 20);
  const outerH = full ? h - bar : random.int(Math.round(h * 0.6), h - 60);
  const innerH = Math.max(200, outerH - random.pick([85, 93, 125, 132, 143]));
  const coarse = virtual && random.chance(0.3) ? 16 : 24;
  const depth = system === 'mac' ? random.pick([24, 30]) : coarse;
  return {
    w,
    h,
    availW: w,
    availH: h - bar,
    outerW,
    outerH,
    innerW: outerW - random.pick([0, 0, 15]),
    innerH,
    dpr,
    depth,
  };
}

function archOf(touch: boolean, renderer: string | null): string {
  if (touch) return '';
  return renderer?.includes('Apple') === true ? 'arm' : 'x86';
}

/** Event clocks: whole milliseconds in Firefox, Safari, X11 and mostly on Windows; a tenth elsewhere. */
function clockOf(random: Random, engine: agents.Engine, system: agents.System): number {
  if (engine !== 'blink' || system === 'linux') return 1;
  return system === 'windows' ? random.pick([1, 1, 0.1]) : 0.1;
}

function fractionOf(random: Random, system: agents.System, engine: agents.Engine, dpr: number): number {
  if (isTouch(system)) return random.between(0.7, 1);
  if (engine === 'blink' && !Number.isInteger(dpr)) return random.between(0.5, 0.85);
  return system === 'mac' && dpr === 2 ? random.between(0.3, 0.7) : 0;
}

function vendorOf(engine: agents.Engine, renderer: string | null): string | null {
  if (renderer === null) return null;
  if (engine === 'webkit') return 'Apple Inc.';
  if (renderer.startsWith('ANGLE')) return `Google Inc. (${/\((\w+)/.exec(renderer)?.[1] ?? 'Intel'})`;
  return renderer.startsWith('Adreno') ? 'Qualcomm' : 'ARM';
}

/** The machine at a time: browsers that update have the next version every four weeks; windows are resized, laptops docked. */
export function bodyAt(random: Random, machine: Machine, weeks: number): Pick<Machine, 'body' | 'agent'> {
  const { body, version, browser } = machine;
  const now = version >= chromeNow - 2 && browser !== 'safari' ? version + Math.floor(weeks / 4) : version;
  const renew = (text: string): string =>
    text
      .replaceAll(`${version}.0`, `${now}.0`)
      .replaceAll(`;${version}`, `;${now}`)
      .replaceAll(`${version - 2}.0`, `${now - 2}.0`);
  const agent = renew(machine.agent);
  const touch = body.hw.touch === 5;
  const docked = !touch && random.chance(0.05) ? { w: 2560, h: 1440, availW: 2560, availH: 1400, dpr: 1 } : {};
  const innerH = Math.max(200, (body.scr.innerH ?? 700) - (touch ? 0 : random.pick([0, 0, 0, 33, 120])));
  // Safari 26 gives each visit another noise.
  const noise =
    body.gfx.vendor === 'Apple Inc.' && /Version\/2[6-9]/.test(agent)
      ? { canvas: random.hex(8), audio: (body.gfx.audio ?? 0) + random.between(-0.001, 0.001) }
      : {};
  return {
    agent,
    body: {
      ...body,
      scr: { ...body.scr, ...docked, innerH },
      gfx: { ...body.gfx, ...noise },
      ua: { ...body.ua, ua: agent, brands: body.ua.brands?.map(renew) ?? null },
    },
  };
}

/** Fraud by machines: scripts, driven browsers, injected touches, agents. */
import { accessLine, carrierLine, rentedHome } from './connections.js';
import { agentOf, chromeNow } from './agents.js';
import { clean, tracesOf } from './drivers.js';
import { untouched } from './hands.js';
import { swiftShader, type Hardware } from './hardware.js';
import type { Machine } from './machines.js';
import * as operators from './operators.js';
import { placeOf } from './places.js';
import { createRandom } from './random.js';

const { byDriver, byHand, choice, foreign, here, machineOf, made, ownCarrier, ownHome, rented, show, utc } = operators;
type Play = operators.Play;

const withGraphics = (machine: Machine, renderer: string, canvas: string): Machine => ({
  ...machine,
  body: { ...machine.body, gfx: { ...machine.body.gfx, renderer, vendor: 'Google Inc. (Google)', canvas } },
});
const luck = createRandom('agents');

/** Requests without a browser; most copy a user agent from somewhere. */
export const bareHttp: Play = (turn) => {
  const { operator, random, study } = turn;
  const seconds = study.atEntry ? 3 : study.questions * random.between(1, 6);
  const libraries = ['python-requests/2.32.3', 'okhttp/4.12.0', 'axios/1.7.9'];
  return show(turn, {
    machine: machineOf(turn, 'script', { system: 'windows', behind: operator.own.stream('copied').int(0, 30) }, true),
    connection: rented(turn, 0.7),
    behavior: untouched(seconds * 1_000),
    probe: 'none',
    device: 'script',
    ...(made(turn, 'library', 0.12) ? { headerAgent: choice(turn, 'name', libraries) } : {}),
  });
};

/** Stock drivers, on servers or at home, headless or with a window. */
export const drivenBrowser: Play = (turn) => {
  const { operator, random } = turn;
  const home = made(turn, 'at home', 0.2);
  const behind = operator.own.stream('behind').int(0, 4);
  const machine = machineOf(
    turn,
    'server',
    { system: home ? 'windows' : 'linux', browser: 'chrome', virtual: !home, behind },
    true,
  );
  const headless = made(turn, 'headless', 0.5 - operator.skill / 2);
  const claimed = made(turn, 'claims', 0.5) ? agentOf('windows', 'chrome', chromeNow - 3, luck) : machine.agent;
  const agent = headless
    ? agentOf('linux', 'chrome', machine.version, luck).replace('Chrome/', 'HeadlessChrome/')
    : claimed;
  const small = {
    w: 1280,
    h: 720,
    availW: 1280,
    availH: 720,
    outerW: 1280,
    outerH: 720,
    innerW: 1280,
    innerH: 720,
    dpr: 1,
  };
  const scr = home ? machine.body.scr : { ...machine.body.scr, ...small };
  return show(turn, {
    machine: { ...machine, agent, body: { ...machine.body, scr, ua: { ...machine.body.ua, ua: agent } } },
    connection: home ? ownHome(turn) : rented(turn, 0.8),
    locale: made(turn, 'zone', 0.4) ? here(operator) : utc,
    traces: tracesOf(random, made(turn, 'flag', 0.45) ? 'stock' : 'hidden', operator.skill),
    behavior: byDriver(
      turn,
      choice(turn, 'driver', ['playwright', 'puppeteer', 'selenium', 'selenium']),
      operator.skill * 0.7,
      random.between(2, 6),
    ),
    device: 'server',
  });
};

/** Patched drivers with pretended graphics, computed curves and rented homes. */
export const patchedBrowser: Play = (turn) => {
  const { operator, random, n } = turn;
  const behind = operator.own.stream('behind').int(0, 5);
  const machine = machineOf(
    turn,
    `profile ${n % 6}`,
    { system: choice(turn, 'system', ['windows', 'windows', 'mac']), browser: 'chrome', behind },
    true,
  );
  const { renderer, canvas } = machine.body.gfx;
  const soft = made(turn, 'soft', 0.4 - operator.skill / 3) || renderer === null || renderer === undefined;
  // If the graphics are pretended, every profile still draws alike.
  const drawn = made(turn, 'alike', 0.6) ? operator.own.stream('drawn').hex(8) : (canvas ?? '');
  return show(turn, {
    machine: withGraphics(machine, soft ? swiftShader : renderer, drawn),
    connection: rented(turn, 0.25),
    locale: made(turn, 'zone', 0.7 + operator.skill * 0.3) ? here(operator) : foreign(turn),
    traces: tracesOf(random, 'patched', operator.skill),
    behavior: byDriver(
      turn,
      choice(turn, 'driver', ['curves', 'curves', 'playwright', 'desktop']),
      operator.skill,
      random.between(4, 11),
    ),
    device: 'server',
  });
};

const cheap: readonly Hardware[] = [
  { model: 'SM-A037F', screen: [360, 800, 2], renderer: 'PowerVR Rogue GE8320', cores: 8, memory: 4 },
  { model: 'CPH2387', screen: [360, 800, 2], renderer: 'Mali-G52 MC2', cores: 8, memory: 4 },
  { model: 'SM-J701F', screen: [360, 640, 2], renderer: 'Mali-T830', cores: 8, memory: 2 },
  { model: 'Redmi Note 12', screen: [393, 873, 2.75], renderer: 'Adreno (TM) 619', cores: 8, memory: 4 },
];

/** Cheap phones in a stand, of one or two models, with SIM cards, one Wi-Fi or rented homes; half are touched by injected input. */
export const phoneRack: Play = (turn) => {
  const { operator, random, n } = turn;
  const { country, id, own, people } = operator;
  const slot = n % (4 + people * 2);
  const hardware = choice(turn, `model ${slot % 2}`, cheap);
  const machine = machineOf(
    turn,
    `phone ${slot}`,
    { system: 'android', browser: 'chrome', hardware, behind: 1 },
    random.chance(0.45),
  );
  const way = own.stream('way').weighted([
    ['sim', 50],
    ['wifi', 25],
    ['rented', 25],
  ] as const);
  const lines = {
    sim: () => carrierLine(random, country, ownCarrier(turn)),
    wifi: () => accessLine(random, own.stream('isp').weighted(placeOf(country).fixed), country, id, 0),
    rented: () => rentedHome(random, country),
  };
  return show(turn, {
    machine,
    connection: lines[way](),
    behavior: made(turn, 'injected', 0.5)
      ? byDriver(turn, 'injected_touch', operator.skill, random.between(3, 7))
      : byHand(turn, machine, { means: 'touch', pace: 0.6, person: `${slot % people}`, still: true }),
    device: `phone ${slot}`,
  });
};

const emulated = [
  'Android Emulator OpenGL ES Translator (NVIDIA GeForce GTX 1650/PCIe/SSE2)',
  'Adreno (TM) 640',
  'Adreno (TM) 640',
  'ANGLE (Intel, Intel(R) UHD Graphics 630 Direct3D11 vs_5_0 ps_5_0, D3D11)',
  'Google SwiftShader',
];

export const emulators: Play = (turn) => {
  const { operator, random, n } = turn;
  const slot = n % 5;
  const hardware: Hardware = {
    model: choice(turn, `model ${slot}`, ['SM-G973N', 'SM-S908E', 'ASUS_AI2401_A', 'OnePlus 9']),
    screen: choice(turn, 'screen', [
      [450, 800, 2],
      [540, 960, 1],
      [360, 640, 3],
    ] as const),
    renderer: choice(turn, 'renderer', emulated),
    cores: 4,
    memory: 4,
  };
  const behind = operator.own.stream('image').int(4, 45);
  const machine = machineOf(turn, `instance ${slot}`, { system: 'android', browser: 'chrome', hardware, behind }, true);
  const behavior = made(turn, 'driven', 0.6)
    ? byDriver(turn, 'injected_touch', operator.skill, random.between(3, 8))
    : { ...byHand(turn, machine, { means: 'touch', pace: 0.65, person: `${slot}` }), touchRadius: null };
  return show(turn, {
    machine,
    connection: rented(turn, 0.3),
    locale: made(turn, 'zone', 0.75) ? here(operator) : foreign(turn),
    // Without sensors.
    behavior: { ...behavior, motion: null },
    device: `instance ${slot}`,
  });
};

/** Agents that browse by themselves: in a person’s own browser, or in one that a cloud rents out. */
export const browsingAgent: Play = (turn) => {
  const { operator, random } = turn;
  const cloud = made(turn, 'cloud', 0.4);
  const system = cloud ? 'linux' : choice(turn, 'system', ['mac', 'windows'] as const);
  return show(turn, {
    machine: machineOf(turn, 'agent', { system, browser: 'chrome', virtual: cloud, behind: 0 }, cloud),
    connection: cloud ? rented(turn, 0.6) : ownHome(turn),
    locale: cloud && made(turn, 'utc', 0.4) ? utc : here(operator),
    traces: tracesOf(random, 'agent', operator.skill),
    behavior: byDriver(
      turn,
      choice(turn, 'driver', ['agent_insert', 'agent_keys', 'curves']),
      operator.skill,
      random.between(5, 22),
    ),
    device: 'agent',
  });
};

/** Messages of the probe that a real browser sent once, with numbers shifted a little. */
export const forgedProbe: Play = (turn) => {
  const { operator, random, study, n } = turn;
  const slot = n % 4;
  const machine = machineOf(
    turn,
    `recorded ${slot}`,
    { system: choice(turn, `${slot}`, ['windows', 'ios', 'android']) },
    true,
  );
  const recording = { ...turn, random: operator.own.stream(`recording ${slot} ${study.id}`) };
  const recorded = byHand(recording, machine, {
    means: machine.body.hw.touch === 5 ? 'touch' : 'pointer',
    pace: 0.9,
    person: `${slot}`,
  });
  return show(turn, {
    machine,
    connection: rented(turn, 0.5),
    behavior: { ...recorded, ms: Math.round((recorded.ms ?? 0) * random.between(0.97, 1.03)) },
    device: 'script',
    bareTransport: made(turn, 'bare', 0.5),
    ...(made(turn, 'agent', 0.3) ? { headerAgent: agentOf('windows', 'chrome', chromeNow - 1, luck) } : {}),
  });
};

/** A person’s own browser with a script that fills in forms. */
export const formFiller: Play = (turn) => {
  const { operator, random, n } = turn;
  const browser = choice(turn, 'browser', ['chrome', 'firefox', 'edge'] as const);
  const machine = machineOf(turn, 'own', { system: 'windows', browser }, n > 0 && made(turn, 'clears', 0.4));
  const traces = browser === 'firefox' ? clean('gecko') : tracesOf(random, 'extension', operator.skill);
  return show(turn, {
    machine,
    connection: ownHome(turn),
    traces,
    behavior: byDriver(turn, 'page_script', operator.skill, random.between(0.8, 3)),
  });
};

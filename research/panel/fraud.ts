/**
 * Fraud: operators with infrastructure, who come in campaigns. Each kind is built from what its trade uses (racks of phones, rented servers,
 * proxies in homes, anti-detect browsers, drivers, agents), and each operator draws how careful it is.
 */
import type { FraudKind, PanelRates } from './base-rates.js';
import { drawComputer } from './computers.js';
import { drawFraudAddress, drawFraudLocale, drawFraudTraces, type Operator, type Plan } from './cover.js';
import { drawAndroid, drawPhone, type Device } from './devices.js';
import type { Draw } from './draw.js';
import { byAgent, byDriver, byRack, bySmoothedDriver } from './drivers.js';
import { byMouse, byTouch, type Behavior } from './hands.js';
import { machineOf } from './honest.js';
import { countries, farCountries, type Country, type FarCountry } from './networks.js';
import { dayMs, hourMs, inWakingHours, type Machine, type Study, type Visit } from './visits.js';

/** Sessions that one campaign sends to a study, low and high, and the hours that it takes. */
const campaigns: Readonly<Record<FraudKind, readonly [low: number, high: number, hours: number]>> = {
  hosting_farm: [6, 34, 9],
  phone_farm: [5, 24, 12],
  spoofed_place: [1, 6, 20],
  headless: [3, 24, 3],
  stealth: [2, 12, 14],
  llm_agent: [1, 9, 16],
  click_workers: [4, 20, 9],
  emulator_farm: [4, 18, 6],
  many_accounts: [2, 4, 5],
};

export function drawOperator(draw: Draw, kind: FraudKind, country: Country, suppliers: readonly string[]): Operator {
  return {
    id: `${kind}-${draw.hex(6)}`,
    kind,
    country,
    far: draw.pick(Object.keys(farCountries) as FarCountry[]),
    care: draw.random(),
    suppliers: [draw.pick(suppliers), draw.pick(suppliers)],
    machines: drawFleet(draw, kind).map((device) => machineOf(draw, device)),
    accounts: Array.from({ length: draw.whole(20, 90) }, () => draw.hex(20)),
    seat: draw.whole(0, 200),
  };
}

function drawFleet(draw: Draw, kind: FraudKind): Device[] {
  const many = (count: number, make: () => Device): Device[] => Array.from({ length: count }, make);
  switch (kind) {
    case 'phone_farm': {
      const models = [draw.whole(0, 39), draw.whole(0, 39)] as const;
      return many(draw.whole(8, 40), () => drawAndroid(draw, draw.chance(0.85) ? models[0] : models[1]));
    }
    case 'emulator_farm': {
      const images = many(draw.whole(1, 3), () => drawAndroid(draw, draw.whole(0, 39)));
      return many(draw.whole(6, 20), () => emulated(draw, draw.pick(images)));
    }
    case 'hosting_farm': {
      const software = draw.chance(0.55);
      const image = drawComputer(draw, { software });
      return many(draw.whole(4, 30), () =>
        image.desktop !== null && draw.chance(0.7)
          ? drawComputer(draw, { software, desktop: image.desktop, browser: 'chrome' })
          : drawComputer(draw, { software: draw.chance(0.4) }),
      );
    }
    case 'headless':
      return many(draw.whole(1, 4), () =>
        drawComputer(draw, { browser: 'chrome', headless: draw.chance(0.5), software: draw.chance(0.75) }),
      );
    case 'stealth':
    case 'llm_agent':
      return many(draw.whole(2, 10), () => drawComputer(draw, { browser: 'chrome', software: draw.chance(0.2) }));
    case 'click_workers':
    case 'spoofed_place':
      return many(draw.whole(2, 12), () => (draw.chance(0.35) ? drawPhone(draw) : drawComputer(draw)));
    case 'many_accounts':
      return [draw.chance(0.5) ? drawPhone(draw) : drawComputer(draw)];
  }
}

/** A phone by its own words on the graphics of a computer. */
function emulated(draw: Draw, phone: Device): Device {
  const renderer = draw.chance(0.5) ? 'ANGLE (NVIDIA GeForce RTX 3060 Direct3D11)' : 'Google SwiftShader';
  return {
    ...phone,
    body: {
      ...phone.body,
      hw: {
        ...phone.body.hw,
        platform: draw.chance(0.5) ? 'Linux x86_64' : 'Linux armv81',
        touch: draw.chance(0.3) ? 1 : 5,
      },
      gfx: { ...phone.body.gfx, renderer, canvas: draw.hex(8) },
    },
  };
}

/** One campaign against a study: its visits, in time. */
export function drawCampaign(draw: Draw, rates: PanelRates, operator: Operator, study: Study): Visit[] {
  const [low, high, hours] = campaigns[operator.kind];
  const span = hours * (0.4 + 1.6 * operator.care) * hourMs;
  const startMs = study.startsMs + draw.exponential(0.8 * dayMs);
  const size = Math.max(1, Math.round(draw.whole(low, high) * (1.3 - 0.7 * operator.care)));
  const gap = span / size;
  let atMs = startMs;
  // Those who sleep work like everybody else, by the clock of where they are.
  const sleeps = draw.chance(0.5);
  const own = {
    careless: operator.care < 0.4,
    evades: draw.chance(rates.botsEvading),
    homeProxy: draw.chance(0.25 + 0.6 * operator.care),
  };
  return Array.from({ length: size }, (_, n) => {
    atMs += draw.exponential(gap);
    if (sleeps) atMs = inWakingHours(draw, atMs, countries[study.country].offset);
    return drawFraudVisit(draw, rates, { operator, study, atMs, n, ...own });
  });
}

function drawFraudVisit(draw: Draw, rates: PanelRates, plan: Plan): Visit {
  const { operator, study, atMs, n } = plan;
  const { kind, machines, accounts, care } = operator;
  const racked = kind === 'phone_farm' || kind === 'many_accounts';
  const kept = machines[racked ? n % machines.length : draw.whole(0, machines.length - 1)] ?? machines[0]!;
  // Careful ones clear what the browser keeps between respondents.
  const machine = draw.chance(kind === 'many_accounts' ? 0.5 : 0.55 + 0.42 * care)
    ? { ...kept, token: draw.hex(32) }
    : kept;
  const reused = draw.chance(
    kind === 'phone_farm' || kind === 'spoofed_place' || kind === 'click_workers' ? 0.6 : 0.25,
  );
  const { locale, acceptLanguage } = drawFraudLocale(draw, plan);
  const bot = kind === 'headless' || kind === 'stealth';
  return {
    atMs,
    study,
    machine,
    locale,
    supplier: draw.chance(0.85) ? draw.pick(operator.suppliers) : draw.pick(['s0', 's1', 's2', 's3', 's4', 's5']),
    respondentId: reused ? draw.pick(accounts) : draw.hex(20),
    address: drawFraudAddress(draw, plan),
    beh: drawFraudBehavior(draw, plan, machine),
    pace: {
      seconds: draw.lognormal(rates.questionSeconds * (bot || kind === 'phone_farm' ? 0.65 : 0.85), 0.45),
      sigma: draw.chance(0.5) ? rates.questionSigma : draw.between(0.15, 0.5),
    },
    traces: drawFraudTraces(draw, plan),
    ...(acceptLanguage === null ? {} : { acceptLanguage }),
    ...(bot && draw.chance(0.1 * (1 - care))
      ? { transportAgent: machine.device.userAgent.replace(/Chrome\/\d+/, 'Chrome/120') }
      : {}),
    probed: !draw.chance(rates.probeBlocked),
    truth: { fraud: true, label: kind, person: operator.id, machine: kept.id, repeat: null, operator: operator.id },
  };
}

function drawFraudBehavior(
  draw: Draw,
  { operator: { kind, care }, evades, careless }: Plan,
  { device }: Machine,
): Behavior {
  switch (kind) {
    case 'headless':
      return byDriver(draw, draw.chance(0.2));
    case 'stealth':
      return bySmoothedDriver(draw, evades ? 0.04 : 0.2 + 0.45 * (1 - care));
    case 'llm_agent':
      return byAgent(draw);
    case 'phone_farm':
    case 'emulator_farm':
      return byRack(draw, !careless && draw.chance(0.6));
    case 'hosting_farm':
      // Workers on remote desktops, or macros.
      return draw.chance(0.65) ? byMouse(draw, draw.chance(0.85)) : bySmoothedDriver(draw, 0.3);
    default: {
      const beh = device.phone ? byTouch(draw) : byMouse(draw, true);
      return draw.chance(0.3) ? { ...beh, pastes: 2, pasteChars: draw.whole(120, 900) } : beh;
    }
  }
}

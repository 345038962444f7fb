/**
 * Circumstances of an honest person's visit: the device at hand, the line, and the odd things that browsers of people show, such as open
 * developer tools, extensions, protection against recognition, and clocks that were never set.
 */
import { engineOf, isPhone } from './agents.js';
import {
  accessLine,
  campusLine,
  carrierLine,
  officeLine,
  privacyRelay,
  vpnExit,
  type Connection,
} from './connections.js';
import { clean, type Traces } from './drivers.js';
import type { Hands } from './hands.js';
import { swiftShader } from './hardware.js';
import type { Machine } from './machines.js';
import type { HonestGroup } from './market.js';
import type { Locale, Person } from './people.js';
import { drawAbroad, placeOf } from './places.js';
import { createRandom, type Random } from './random.js';

export interface Circumstances {
  readonly label: HonestGroup;
  readonly connection: Connection;
  readonly locale: Locale;
  readonly traces: Traces;
  readonly machine: Machine;
  readonly hands: Hands;
}

/** A visit of its own: which device, from where, and what the browser shows. */
export function sitDown(random: Random, person: Person, atMs: number): Circumstances {
  const { country, group, id } = person;
  const n = random.int(0, person.machines.length - 1);
  const machine = person.machines[n]!;
  const habits = createRandom(`habits ${id}`);
  const portable = isPhone(machine.system);
  let { locale } = person;
  let label: HonestGroup = group === 'home_phone' && !portable ? 'home_computer' : group;
  const traces = clean(engineOf(machine.system, machine.browser));
  const home = (): Connection => accessLine(random, person.line, country, `home ${person.household}`, atMs);
  let connection: Connection;
  if (group === 'campus' && random.chance(0.75)) connection = campusLine(random, country, habits);
  else if (group === 'office' && random.chance(0.8)) connection = officeLine(random, country, habits);
  else if (group === 'vpn' && random.chance(0.75))
    connection = vpnExit(random, habits.chance(0.25) ? habits.pick(['NL', 'US', 'CH', 'GB']) : country, habits);
  else if (group === 'privacy_relay' && random.chance(0.85)) connection = privacyRelay(random, country);
  else if (group === 'public_computer')
    connection = accessLine(random, placeOf(country).fixed[0]![0], country, `library ${habits.int(1, 12)}`, 0);
  else if (group === 'traveller') ({ connection, locale } = away(random, person, atMs, habits));
  else if (portable && random.chance(0.36)) {
    connection = carrierLine(random, country, person.carrier);
    if (label === 'home_phone') label = 'carrier_phone';
  } else connection = home();
  if (group === 'office' && habits.chance(0.1)) locale = { ...locale, language: 'en-US', languages: ['en-US'] };
  if (group === 'virtual_desktop' && habits.chance(0.5)) connection = officeLine(random, country, habits);
  if (group === 'virtual_desktop' && habits.chance(0.25))
    locale = { ...locale, zone: random.pick(['UTC', 'Etc/UTC', 'America/New_York']) };
  return {
    label,
    connection,
    locale,
    machine: disguise(random, person, machine),
    hands: person.hands[n] ?? person.hands[0]!,
    traces: tinker(random, group, machine, habits, traces),
  };
}

/** Abroad with a device from home, or living where the device was not set up. */
function away(
  random: Random,
  person: Person,
  atMs: number,
  habits: Random,
): { connection: Connection; locale: Locale } {
  const trip = habits.weighted([
    ['expat', 50],
    ['roaming', 20],
    ['hotel', 30],
  ] as const);
  if (trip === 'expat')
    return {
      connection: accessLine(random, person.line, person.country, `home ${person.household}`, atMs),
      locale: habits.chance(0.4) ? { ...person.locale, zone: placeOf(person.country).zones[0]![0] } : person.locale,
    };
  const there = drawAbroad(habits);
  if (trip === 'roaming')
    return {
      connection: carrierLine(random, person.country, person.carrier),
      locale: { ...person.locale, zone: there.zone },
    };
  return {
    connection: accessLine(random, there.isp, there.country, `hotel ${habits.int(1, 50)}`, atMs),
    locale: habits.chance(0.7) ? { ...person.locale, zone: there.zone } : person.locale,
  };
}

/** Browsers and extensions that protect against recognition. */
function disguise(random: Random, { group, id }: Person, machine: Machine): Machine {
  if (group !== 'privacy_browser' && group !== 'tinkerer') return machine;
  const { body } = machine;
  const own = body.hw.cores ?? 4;
  const cores = machine.browser === 'brave' ? random.pick([4, 6, 8, own]) : own;
  const resist = machine.browser === 'firefox' && createRandom(`resist ${id}`).chance(0.4);
  return {
    ...machine,
    token: random.chance(0.6) ? random.hex(32) : machine.token,
    body: {
      ...body,
      gfx: {
        ...body.gfx,
        canvas: random.hex(8),
        stable: !random.chance(0.35),
        audio: (body.gfx.audio ?? 0) + random.between(-0.0005, 0.0005),
        ...(resist ? { vendor: 'Mozilla', renderer: 'Mozilla' } : {}),
      },
      hw: {
        ...body.hw,
        cores: resist ? 2 : cores,
      },
      scr: resist
        ? {
            ...body.scr,
            w: body.scr.innerW ?? null,
            h: body.scr.innerH ?? null,
            availW: body.scr.innerW ?? null,
            availH: body.scr.innerH ?? null,
            dpr: 1,
          }
        : body.scr,
    },
  };
}

function tinker(random: Random, group: HonestGroup, machine: Machine, habits: Random, traces: Traces): Traces {
  const { auto } = traces;
  const open = auto.debugStack === null ? auto : { ...auto, debugStack: true, debugGetter: true };
  const gaps = random.chance(0.1) ? [random.pick(['worker', 'audio', 'canvas'])] : [];
  if (group === 'tinkerer')
    return {
      auto: random.chance(0.45) ? open : auto,
      lies: habits.chance(0.4)
        ? habits.pick([
            ['proxy.userAgent', 'worker.userAgent'],
            ['proxy.HTMLCanvasElement.toDataURL'],
            ['own.userAgent'],
          ])
        : [],
      gaps,
    };
  if (group === 'privacy_browser')
    return {
      ...traces,
      lies: habits.chance(0.3)
        ? habits.pick([
            ['proxy.HTMLCanvasElement.toDataURL', 'proxy.CanvasRenderingContext2D.getImageData'],
            ['worker.languages'],
            ['worker.hardwareConcurrency'],
          ])
        : [],
      gaps,
    };
  // Extensions against tracking and for accessibility replace a native here and there; some leave their developer tools open.
  if (habits.chance(0.008) && machine.body.hw.touch !== 5)
    return { ...traces, lies: ['proxy.HTMLCanvasElement.toDataURL'], gaps };
  return {
    auto: random.chance(0.006) ? open : auto,
    lies: random.chance(0.004) && machine.body.gfx.renderer !== swiftShader ? ['frame.plugins'] : [],
    gaps,
  };
}

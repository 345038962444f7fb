/**
 * Honest respondents: people with homes, phones and habits, who answer several studies. Groups differ in what their surroundings look like,
 * and every group has something about it that automation or farms also have.
 */
import { honestGroups, type HonestGroup, type PanelRates } from './base-rates.js';
import { drawComputer, withBrowser } from './computers.js';
import { drawAndroid, drawPhone, type Device } from './devices.js';
import type { Draw } from './draw.js';
import { byKeyboard, byMouse, byTouch, type Behavior } from './hands.js';
import { address6At, addressAt, countries, networksOf, type Address, type Country, type Network } from './networks.js';
import { noTraces, type Locale, type Machine, type Traces } from './visits.js';

export interface Person {
  readonly id: string;
  readonly group: HonestGroup;
  readonly country: Country;
  readonly supplier: string;
  readonly locale: Locale;
  readonly machines: Machine[];
  readonly home: Network;
  readonly homeIndex: number;
  readonly ipv6: boolean;
  readonly seconds: number;
  /** How often this person answers, against others. */
  readonly activity: number;
}

const nextId = (draw: Draw): string => draw.hex(14);

export const machineOf = (draw: Draw, device: Device): Machine => ({ id: nextId(draw), device, token: draw.hex(32) });

/** People of one country; those of a household device come in twos and threes and share all but themselves, relatives share their home. */
export function drawPeople(
  draw: Draw,
  rates: PanelRates,
  country: Country,
  count: number,
  suppliers: readonly (readonly [string, number])[],
): Person[] {
  const people: Person[] = [];
  while (people.length < count) {
    const group = draw.weighted(honestGroups.map((name) => [name, rates.groups[name]] as const));
    const person = drawPerson(draw, rates, { country, group, supplier: draw.weighted(suppliers) });
    people.push(person);
    const relative = (over: Pick<Person, 'machines'>): Person => ({
      ...person,
      ...over,
      id: nextId(draw),
      seconds: draw.lognormal(rates.questionSeconds, 0.2),
      supplier: draw.chance(0.6) ? person.supplier : draw.weighted(suppliers),
    });
    const { machines } = person;
    if (group === 'household_device')
      for (let more = draw.whole(1, 2); more > 0; more -= 1) people.push(relative({ machines }));
    else if (group === 'home' && draw.chance(rates.relatives)) {
      const devices = draw.chance(rates.relativesAlike)
        ? machines.map(({ device }) => device)
        : drawMachines(draw, group);
      people.push(relative({ machines: devices.map((device) => machineOf(draw, device)) }));
    }
  }
  return people;
}

function drawPerson(
  draw: Draw,
  rates: PanelRates,
  { country, group, supplier }: Pick<Person, 'country' | 'group' | 'supplier'>,
): Person {
  const { zones, language, offset } = countries[country];
  const carrier = group === 'carrier_nat' || (group === 'same_model_phone' && draw.chance(0.5));
  // A few are travellers or migrants whose clock or language is another.
  const foreign = draw.chance(0.03) ? draw.pick(['Europe/Madrid', 'Asia/Kolkata', 'America/Mexico_City']) : null;
  return {
    id: nextId(draw),
    group,
    country,
    supplier,
    locale: {
      zone: foreign ?? draw.pick(zones),
      offset,
      language: draw.chance(0.05) ? draw.pick(['es-ES', 'tr-TR', 'pl-PL']) : language,
    },
    machines: drawMachines(draw, group).map((device) => machineOf(draw, device)),
    home: draw.pick(networksOf(carrier ? 'carrier' : 'home', country)),
    homeIndex: draw.whole(0, 60_000),
    ipv6: draw.chance(carrier ? 0.5 : 0.35),
    seconds: draw.lognormal(rates.questionSeconds, 0.25),
    activity: draw.lognormal(1, 0.8),
  };
}

function drawMachines(draw: Draw, group: HonestGroup): Device[] {
  if (group === 'carrier_nat') return [drawPhone(draw)];
  if (group === 'same_model_phone') return [draw.chance(0.6) ? drawPhone(draw, true) : drawAndroid(draw, 0)];
  if (group === 'office' || group === 'keyboard' || group === 'screen_reader')
    return [drawComputer(draw, { software: draw.chance(0.07) })];
  if (group === 'privacy_browser') return [drawComputer(draw, { browser: draw.chance(0.6) ? 'firefox' : 'chrome' })];
  const first = draw.chance(0.5) ? drawPhone(draw) : drawComputer(draw, { software: draw.chance(0.012) });
  return draw.chance(0.2) ? [first, draw.chance(0.5) ? drawPhone(draw) : drawComputer(draw)] : [first];
}

/** The person's present address. Carriers and campuses seat hundreds behind an address; people move between home, phone and work. */
export function drawAddress(draw: Draw, person: Person): Address {
  const { group, country, home, homeIndex, ipv6 } = person;
  if (group === 'vpn' && draw.chance(0.75)) return drawVpn(draw, draw.chance(0.85) ? country : 'US', homeIndex);
  if (group === 'campus' && draw.chance(0.8)) return addressAt(networksOf('campus', country)[0]!, homeIndex % 5);
  if (group === 'office' && draw.chance(0.12)) return drawVpn(draw, country, 9 * homeIndex);
  if (group === 'office' && draw.chance(0.8)) return addressAt(networksOf('office', country)[0]!, homeIndex % 3);
  const isPhone = person.machines[0]?.device.phone === true;
  const network =
    home.kind === 'home' && isPhone && draw.chance(0.25) ? draw.pick(networksOf('carrier', country)) : home;
  if (network.kind === 'carrier')
    return ipv6
      ? address6At(network, draw.whole(0, 60_000), draw)
      : addressAt(network, (homeIndex % 3) * 256 + draw.whole(0, 7));
  return ipv6
    ? address6At(network, homeIndex, draw)
    : addressAt(network, draw.chance(0.05) ? draw.whole(0, 60_000) : homeIndex);
}

/** An exit that hundreds of subscribers share; each keeps to a few. Small providers, and people with a server of their own, leave from hosting networks. */
export function drawVpn(draw: Draw, country: string, habit: number): Address {
  if (habit % 9 === 0) {
    const hosting = networksOf('hosting', country);
    return addressAt(hosting[habit % hosting.length] ?? hosting[0]!, habit % 20_000);
  }
  const exits = networksOf('vpn', country);
  return addressAt(exits[habit % exits.length] ?? exits[0]!, ((habit % 3) * 31 + draw.whole(0, 20)) % 90);
}

export function drawHonestBehavior(draw: Draw, { group }: Person, { device }: Machine): Behavior {
  if (device.phone) return byTouch(draw);
  if (group === 'keyboard' || group === 'screen_reader') return byKeyboard(draw, group === 'screen_reader');
  return byMouse(draw, device.browser === 'chrome' || device.browser === 'edge');
}

/** Evidence that honest browsers show against themselves: extensions, developer tools, hardened browsers, proxies at work. */
export function drawHonestTraces(draw: Draw, { group }: Person): Traces {
  const tools = draw.chance(group === 'office' ? 0.025 : 0.008);
  const gaps = draw.chance(0.08) ? draw.pick([['worker'], ['frames'], ['frames', 'worker'], ['audio']]) : [];
  return {
    auto: { webdriver: false, globals: [], debugStack: tools, debugGetter: tools && draw.chance(0.6) },
    lies: drawHonestLies(draw, group),
    gaps: group === 'privacy_browser' ? [...gaps, 'audio'] : gaps,
  };
}

function drawHonestLies(draw: Draw, group: HonestGroup): string[] {
  if (draw.chance(group === 'privacy_browser' ? 0.6 : 0.035)) {
    const faked = ['proxy.toDataURL', 'proxy.getImageData', 'proxy.getParameter', 'proxy.getChannelData'];
    return faked.slice(0, draw.whole(1, 4));
  }
  // Extensions that change the user agent, the language or the number of cores.
  if (draw.chance(group === 'privacy_browser' ? 0.12 : 0.012))
    return draw.pick([
      ['proxy.userAgent', 'worker.userAgent'],
      ['own.languages'],
      ['proxy.hardwareConcurrency'],
      ['frame.screen'],
    ]);
  return noTraces.lies ?? [];
}

/** The machine of a repeated visit. Browsers of phones forget what pages keep within a week. */
export const otherBrowser = (draw: Draw, machine: Machine): Machine => ({
  ...machine,
  device: withBrowser(machine.device, draw),
  token: draw.hex(32),
});
export const clearedStorage = (draw: Draw, machine: Machine): Machine => ({ ...machine, token: draw.hex(32) });

/**
 * Honest people: households with their line, devices and habits, so that what one person leaves behind agrees with itself over months and
 * with those at the same table. A third of households with two members share a device (invented).
 */
import { isTouch, type System } from './agents.js';
import { drawHands, type Hands, type Means } from './hands.js';
import { buildMachine, type Machine, type MachineOptions } from './machines.js';
import { suppliers, type HonestGroup, type Supplier } from './market.js';
import { countryShares, drawAbroad, placeOf, type Country, type Isp } from './places.js';
import { createRandom, mix, type Random, type Weights } from './random.js';

export interface Locale {
  readonly zone: string;
  readonly language: string;
  readonly languages: readonly string[];
}

export interface Person {
  readonly id: string;
  readonly household: string;
  readonly country: Country;
  readonly group: HonestGroup;
  readonly line: Isp;
  readonly carrier: Isp;
  readonly locale: Locale;
  readonly machines: Machine[];
  readonly hands: readonly Hands[];
  readonly accounts: readonly {
    readonly supplier: Supplier;
    readonly respondent: string;
    readonly subSource: string;
  }[];
  /** How often it answers. */
  readonly activity: number;
  /** Its browser lets the probe through. */
  readonly probed: number;
}

/** Shares of people; the rest answer at home or by carrier. VPN: 32% of US adults have one, fewer use it for surveys (invented: 8%). */
const groups: Weights<HonestGroup> = mix(
  'home_computer 28, home_phone 30, campus 3.5, office 6, virtual_desktop 1.5, vpn 8, privacy_relay 4, privacy_browser 2.5, assistive 1.2, keyboard_only 0.8, shared_computer 5, public_computer 1, traveller 2.2, in_app 4, old_device 3, tinkerer 1, fast_regular 5',
);

export const localeOf = (random: Random, country: Country): Locale => {
  const language = random.weighted<string>(placeOf(country).languages);
  return { zone: random.weighted<string>(placeOf(country).zones), language, languages: languagesOf(random, language) };
};
export const languagesOf = (random: Random, language: string): string[] =>
  [...new Set([language, language.split('-')[0]!, ...(language.startsWith('en') ? [] : ['en-US', 'en'])])].slice(
    0,
    random.chance(0.15) ? 1 : 4,
  );

export function drawPeople(random: Random, count: number): Person[] {
  const people: Person[] = [];
  for (let house = 0; people.length < count; house += 1) {
    const own = random.stream(house);
    const household = own.hex(8);
    const country = own.weighted(countryShares);
    const line = own.weighted<Isp>(placeOf(country).fixed);
    const size = own.weighted([
      [1, 88],
      [2, 10],
      [3, 2],
    ]);
    const shared =
      size > 1 && own.chance(0.35)
        ? buildMachine(own, `${household}-shared`, { system: own.pick(['windows', 'windows', 'ipad']) })
        : null;
    for (let n = 0; n < size; n += 1)
      people.push(drawPerson(own.stream(`person ${n}`), { id: `${household}.${n}`, household, country, line, shared }));
  }
  return people;
}

function drawPerson(
  random: Random,
  home: { id: string; household: string; country: Country; line: Isp; shared: Machine | null },
): Person {
  const { id, country, shared } = home;
  const place = placeOf(country);
  const drawn = random.weighted(groups);
  const plain = drawn === 'home_computer' || drawn === 'home_phone' || drawn === 'shared_computer';
  const usual: HonestGroup = random.chance(place.phones) ? 'home_phone' : 'home_computer';
  const alone = plain ? usual : drawn;
  const group = shared === null ? alone : 'shared_computer';
  const systems = systemsOf(random, group, place.phones, place.iphones);
  const machines =
    shared !== null ? [shared] : systems.map((options, n) => buildMachine(random, `${id}-${n}`, options));
  if (group === 'public_computer')
    machines.splice(
      0,
      9,
      buildMachine(createRandom(`library ${country} ${random.int(1, 12)}`), `library-${id}`, {
        system: 'windows',
        behind: 8,
        browser: 'edge',
      }),
    );
  const main = suppliers.map((supplier) => [supplier, supplier.share] as const);
  const first = random.weighted(main);
  const clubs = [
    ...new Set([first, ...(random.chance(group === 'fast_regular' ? 0.7 : 0.22) ? [random.weighted(main)] : [])]),
  ];
  return {
    ...home,
    group,
    machines,
    carrier: random.weighted<Isp>(place.mobile),
    locale: group === 'traveller' && random.chance(0.5) ? abroadLocale(random) : localeOf(random, country),
    hands: machines.map((machine) => handsFor(random, group, machine)),
    accounts: clubs.map((supplier) => ({
      supplier,
      respondent: random.hex(40),
      subSource: `${supplier.id}-${random.weighted([
        [1, 50],
        [2, 25],
        [3, 12],
        [4, 8],
        [5, 5],
      ])}`,
    })),
    activity: random.around(group === 'fast_regular' ? 4 : 1, 0.8),
    probed:
      group === 'privacy_browser'
        ? 0.72
        : random.weighted([
            [0.955, 95.5],
            [0.1, 4.5],
          ]),
  };
}

function abroadLocale(random: Random): Locale {
  const { zone, language } = drawAbroad(random);
  return { zone, language, languages: languagesOf(random, language) };
}

function systemsOf(random: Random, group: HonestGroup, phones: number, iphones: number): MachineOptions[] {
  const phone = (): MachineOptions => ({ system: random.chance(iphones) ? 'ios' : 'android' });
  const computer = (): MachineOptions => ({
    system: random.weighted(mix<System>('windows 70, mac 21, chromeos 3, linux 2, ipad 4')),
  });
  switch (group) {
    case 'home_phone':
      return random.chance(0.25) ? [phone(), computer()] : [phone()];
    case 'home_computer':
    case 'keyboard_only':
      return [computer()];
    case 'office':
      return [
        {
          system: random.chance(0.82) ? 'windows' : 'mac',
          behind: random.int(0, 6),
          browser: random.pick(['edge', 'chrome', 'edge']),
        },
      ];
    case 'virtual_desktop':
      return [{ system: random.chance(0.85) ? 'windows' : 'linux', virtual: true }];
    case 'privacy_relay':
      return [random.chance(0.6) ? { system: 'ios', browser: 'safari' } : { system: 'mac', browser: 'safari' }];
    case 'privacy_browser':
      return [
        { system: random.pick(['windows', 'mac', 'linux']), browser: random.pick(['firefox', 'brave', 'brave']) },
      ];
    case 'in_app':
      return [{ system: random.chance(iphones) ? 'ios' : 'android', browser: 'webview' }];
    case 'old_device':
      return [
        random.chance(0.5)
          ? { system: 'windows', behind: random.int(30, 95) }
          : { system: random.chance(0.5) ? 'android' : 'ios', behind: random.int(20, 70) },
      ];
    case 'tinkerer':
      return [{ system: random.pick(['linux', 'linux', 'windows', 'mac']) }];
    case 'campus':
      return [random.chance(0.55) ? computer() : phone()];
    default:
      return [random.chance(phones) ? phone() : computer()];
  }
}

function handsFor(random: Random, group: HonestGroup, machine: Machine): Hands {
  const touch = isTouch(machine.system);
  const special: Readonly<Partial<Record<HonestGroup, readonly Means[]>>> = {
    assistive: ['screen_reader', 'screen_reader', 'voice'],
    keyboard_only: ['keyboard'],
    virtual_desktop: ['remote', 'remote', 'pointer'],
  };
  const means = random.pick<Means>(special[group] ?? [touch ? 'touch' : 'pointer']);
  const hands = drawHands(random, means);
  return group === 'fast_regular' ? { ...hands, pace: hands.pace * 0.52 } : hands;
}

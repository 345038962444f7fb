/** Covers of operators: addresses, clocks and languages, and the evidence that their browsers still show. */
import type { FraudKind } from './base-rates.js';
import type { Draw } from './draw.js';
import { drawVpn } from './honest.js';
import {
  addressAt,
  address6At,
  countries,
  farCountries,
  networksOf,
  type Address,
  type Country,
  type FarCountry,
} from './networks.js';
import { noTraces, type Locale, type Machine, type Study, type Traces } from './visits.js';

export interface Operator {
  readonly id: string;
  readonly kind: FraudKind;
  readonly country: Country;
  readonly far: FarCountry;
  /** 0 careless to 1 careful: fakes clock and language, rents clean addresses, spreads its sessions. */
  readonly care: number;
  readonly suppliers: readonly string[];
  readonly machines: readonly Machine[];
  /** Accounts that it holds at panels; some are used again. */
  readonly accounts: readonly string[];
  /** Numbers of its addresses. */
  readonly seat: number;
}

export interface Plan {
  readonly operator: Operator;
  readonly study: Study;
  readonly atMs: number;
  readonly n: number;
  readonly careless: boolean;
  /** Its tools evade detection of automation. */
  readonly evades: boolean;
  /** Its traffic leaves through other people’s homes. */
  readonly homeProxy: boolean;
}

export function drawFraudLocale(
  draw: Draw,
  { operator: { kind, country, far, care } }: Plan,
): { locale: Locale; acceptLanguage: string | null } {
  const claimed = countries[country];
  const home: Locale = { zone: draw.pick(claimed.zones), offset: claimed.offset, language: claimed.language };
  const isFar =
    kind === 'spoofed_place' ||
    kind === 'click_workers' ||
    (kind === 'phone_farm' && care < 0.3) ||
    (kind === 'hosting_farm' && care < 0.15);
  if (isFar && !draw.chance(0.2 + 0.75 * care)) {
    const { zones, language, offset } = farCountries[far];
    const spoken = draw.chance(0.5) ? language : claimed.language;
    return {
      locale: { zone: draw.pick(zones), offset, language: spoken },
      acceptLanguage: draw.chance(0.15) ? claimed.language : null,
    };
  }
  // Servers keep UTC, and fake languages in one place only.
  if (kind === 'headless' || kind === 'hosting_farm') {
    if (draw.chance(0.35 * (1 - care)))
      return { locale: { zone: 'UTC', offset: 0, language: 'en-US' }, acceptLanguage: null };
  }
  return { locale: home, acceptLanguage: draw.chance(0.05 * (1 - care)) ? 'en-US' : null };
}

export function drawFraudAddress(draw: Draw, { operator, homeProxy, n }: Plan): Address {
  const { kind, country, seat, care } = operator;
  const homes = networksOf('home', country);
  const aHome = (): Address => {
    const network = draw.pick(homes);
    return draw.chance(0.3)
      ? address6At(network, draw.whole(0, 60_000), draw)
      : addressAt(network, draw.whole(0, 60_000));
  };
  const servers = networksOf('hosting', country);
  // Some rent from those whose addresses VPNs use as well.
  const rented = seat % 4 === 0 ? networksOf('vpn', country) : servers;
  const server = (): Address =>
    addressAt(rented[seat % rented.length]!, seat * 256 + draw.whole(0, Math.round(2 + 40 * care)));
  switch (kind) {
    case 'hosting_farm':
      return server();
    case 'headless':
      return homeProxy && draw.chance(0.6) ? aHome() : server();
    case 'stealth':
    case 'llm_agent':
    case 'emulator_farm':
      return homeProxy || draw.chance(0.35) ? aHome() : server();
    case 'phone_farm': {
      const line = draw.pick([homes[seat % homes.length]!, homes[(seat + 1) % homes.length]!]);
      // One or a few lines of its own, or its phones’ SIMs.
      return care < 0.6
        ? addressAt(line, seat * 97 + (n % (care < 0.3 ? 1 : 4)))
        : addressAt(draw.pick(networksOf('carrier', country)), (seat % 3) * 256 + draw.whole(0, 7));
    }
    case 'many_accounts':
      return addressAt(homes[seat % homes.length]!, seat * 131);
    case 'spoofed_place':
    case 'click_workers':
      return draw.chance(0.35 + 0.5 * care) ? aHome() : drawVpn(draw, country, seat + (draw.chance(0.3) ? 1 : 0));
  }
}

const patched = [
  'proxy.webdriver',
  'proxy.languages',
  'proxy.plugins',
  'proxy.hardwareConcurrency',
  'proxy.getParameter',
  'proxy.canPlayType',
  'proxy.query',
  'proxy.contentWindow',
];

export function drawFraudTraces(draw: Draw, { operator: { kind, care }, evades }: Plan): Traces {
  const auto = { webdriver: false, globals: [] as string[], debugStack: false, debugGetter: false };
  let lies: string[] = [];
  if (kind === 'headless') {
    auto.webdriver = draw.chance(0.72);
    if (draw.chance(0.25))
      auto.globals = [
        draw.pick(['__playwright__binding__', 'cdc_adoQpoasnfa76pfcZLmcfl_Array', '__selenium_unwrapped']),
      ];
    auto.debugStack = draw.chance(0.5);
    auto.debugGetter = auto.debugStack;
    if (draw.chance(0.25)) lies = ['frame.webdriver'];
  } else if (kind === 'stealth' && !evades) {
    auto.debugStack = draw.chance(0.45);
    auto.debugGetter = auto.debugStack && draw.chance(0.7);
    if (draw.chance(0.55 * (1.3 - care)))
      lies = [
        ...patched.slice(0, draw.whole(1, patched.length)),
        ...(draw.chance(0.4) ? ['worker.gpu', 'worker.platform'] : []),
      ];
    else if (draw.chance(0.3))
      lies = draw.pick([['worker.hardwareConcurrency'], ['own.webdriver'], ['frame.languages']]);
  } else if (kind === 'llm_agent') {
    auto.webdriver = draw.chance(0.12);
    auto.debugStack = draw.chance(0.42);
    auto.debugGetter = auto.debugStack && draw.chance(0.6);
  } else if (kind === 'hosting_farm' || kind === 'click_workers' || kind === 'spoofed_place') {
    // Anti-detect browsers: what they change, workers and frames may still show.
    if (draw.chance(kind === 'hosting_farm' ? 0.4 : 0.15))
      lies = draw.pick([
        ['proxy.toDataURL', 'proxy.getParameter'],
        ['worker.gpu'],
        ['worker.userAgent', 'proxy.userAgent'],
        ['own.platform'],
        ['proxy.toDataURL'],
      ]);
  }
  return { auto, lies, gaps: draw.chance(0.1) ? ['worker'] : (noTraces.gaps ?? []) };
}

/**
 * The market: studies, suppliers with their habits of integration, and the shares that everything is drawn from. Numbers without a source are
 * marked invented; docs/internals/simulated-traffic.md lists both.
 */
import { countryShares, type Country } from './places.js';
import type { Random, Weights } from './random.js';

export const dayMs = 86_400_000;
export const hourMs = 3_600_000;
/** Summer time ends within. */
export const startMs = Date.UTC(2026, 8, 7);
const days = 77;

export const honestGroups = [
  'home_computer',
  'home_phone',
  'carrier_phone',
  'campus',
  'office',
  'virtual_desktop',
  'vpn',
  'privacy_relay',
  'privacy_browser',
  'assistive',
  'keyboard_only',
  'shared_computer',
  'public_computer',
  'traveller',
  'in_app',
  'old_device',
  'tinkerer',
  'fast_regular',
] as const;
export type HonestGroup = (typeof honestGroups)[number];

export const fraudKinds = [
  'bare_http',
  'driven_browser',
  'patched_browser',
  'rented_servers',
  'profile_farm',
  'phone_rack',
  'emulators',
  'far_away',
  'link_sharers',
  'many_accounts',
  'browsing_agent',
  'taken_account',
  'forged_probe',
  'form_filler',
] as const;
export type FraudKind = (typeof fraudKinds)[number];

/**
 * 12% fraud, most of it people: full agents are under 1% of answers (Prolific 2025, twelve suppliers), rented servers and spoofed places the
 * main form on crowdsourced studies (Kennedy et al. 2020), repeat entrants 12 to 14% at the worst panels (Research Defender). The split is invented.
 */
export const fraudShare = 0.12;
export const kindShares: Weights<FraudKind> = [
  ['bare_http', 4],
  ['driven_browser', 6],
  ['patched_browser', 9],
  ['rented_servers', 9],
  ['profile_farm', 12],
  ['phone_rack', 7],
  ['emulators', 5],
  ['far_away', 14],
  ['link_sharers', 10],
  ['many_accounts', 13],
  ['browsing_agent', 5],
  ['taken_account', 2],
  ['forged_probe', 2],
  ['form_filler', 2],
];

export interface Supplier {
  readonly id: string;
  readonly share: number;
  /** Weight of fraud there. */
  readonly dirt: number;
  readonly sends: {
    readonly agent: number;
    readonly respondent: number;
    readonly country: number;
    readonly subSource: boolean;
    readonly deviceHash: boolean;
    readonly stats: boolean;
  };
}

/** Opt-in panels, a marketplace, a community of the customer and an open link: bogus answers from 1% to 27% and more (Pew 2020, Griffin 2021). Habits invented. */
export const suppliers: readonly Supplier[] = [
  {
    id: 'panel-a',
    share: 30,
    dirt: 3,
    sends: { agent: 1, respondent: 1, country: 1, subSource: false, deviceHash: true, stats: false },
  },
  {
    id: 'panel-b',
    share: 18,
    dirt: 4,
    sends: { agent: 0.97, respondent: 1, country: 0.9, subSource: true, deviceHash: false, stats: true },
  },
  {
    id: 'marketplace',
    share: 30,
    dirt: 9,
    sends: { agent: 0.9, respondent: 0.92, country: 1, subSource: true, deviceHash: false, stats: false },
  },
  {
    id: 'rewards-app',
    share: 11,
    dirt: 8,
    sends: { agent: 1, respondent: 1, country: 0.95, subSource: true, deviceHash: true, stats: false },
  },
  {
    id: 'community',
    share: 6,
    dirt: 0.5,
    sends: { agent: 1, respondent: 1, country: 1, subSource: false, deviceHash: false, stats: false },
  },
  {
    id: 'open-link',
    share: 5,
    dirt: 7,
    sends: { agent: 1, respondent: 0, country: 0.4, subSource: false, deviceHash: false, stats: false },
  },
];

export interface Study {
  readonly id: string;
  readonly country: Country;
  readonly startsMs: number;
  readonly fieldDays: number;
  readonly questions: number;
  /** Score as people enter, before they answered, or at the end. */
  readonly atEntry: boolean;
  readonly observed: boolean;
  readonly framed: boolean;
}

export function drawStudies(random: Random, count: number): Study[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `wave-${random.hex(6)}`,
    country: random.weighted(countryShares),
    startsMs: startMs + ((days - 7) * dayMs * n) / count + random.int(7, 17) * hourMs,
    fieldDays: random.between(1.5, 6),
    questions: Math.round(random.around(18, 0.45)),
    atEntry: random.chance(0.3),
    observed: random.chance(0.6),
    framed: random.chance(0.12),
  }));
}

/** When people of a time zone sit down: mornings and evenings, little at night. */
const busy = [2, 1, 1, 1, 1, 2, 4, 6, 7, 8, 9, 8, 8, 8, 7, 7, 7, 8, 9, 10, 11, 10, 7, 4];
export function wakingTime(random: Random, fromMs: number, spreadDays: number, offsetMinutes: number): number {
  for (let tries = 0; tries < 40; tries += 1) {
    const atMs = fromMs + random.wait(spreadDays * dayMs * 0.45);
    const hour = (((Math.floor(atMs / hourMs) - Math.round(offsetMinutes / 60)) % 24) + 24) % 24;
    if (random.chance((busy[hour] ?? 1) / 11)) return atMs;
  }
  return fromMs + random.wait(spreadDays * dayMs);
}

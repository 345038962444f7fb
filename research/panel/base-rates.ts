/**
 * Base rates of simulated panel traffic, each with the publication that it follows. What no publication states is marked as invented, and
 * the sensitivity of results to it is measured by `shiftRates`. No number here is taken from a rule of the service.
 */
import type { Draw } from './draw.js';

/** Kinds of fraud. Those of `leftOutKinds` never occur in what weights are fitted on. */
export const fraudKinds = [
  'hosting_farm',
  'phone_farm',
  'spoofed_place',
  'headless',
  'stealth',
  'llm_agent',
  'click_workers',
  'emulator_farm',
  'many_accounts',
] as const;
export type FraudKind = (typeof fraudKinds)[number];
export const leftOutKinds: readonly FraudKind[] = ['click_workers', 'emulator_farm', 'many_accounts'];

export const honestGroups = [
  'home',
  'carrier_nat',
  'campus',
  'vpn',
  'household_device',
  'same_model_phone',
  'keyboard',
  'screen_reader',
  'office',
  'privacy_browser',
] as const;
export type HonestGroup = (typeof honestGroups)[number];

export interface PanelRates {
  /** Share of sessions that are fraudulent: 7% crowdsourced, 5% opt-in, 1% address-recruited (Pew 2020); 29% flagged over six panels (repdata.com). */
  readonly fraud: number;
  /** Invented; farms and automation dominate (Griffin, 10.1007/s11135-021-01252-1; 16% automation in Pozzar, JMIR 2020 e23021). */
  readonly kinds: Readonly<Record<FraudKind, number>>;
  /** 32% of US adults use a VPN (Security.org, by vpnx.blog), half of those in a survey session (invented); over 90% of DSL lines are a home NAT (Maier et al.); the rest invented. */
  readonly groups: Readonly<Record<HonestGroup, number>>;
  /** People at home of whom another answers for the panel too, on a device of their own: over half of lines with several hosts (Maier et al.); the rest invented. */
  readonly relatives: number;
  /** The share of those whose devices look the same down to version and settings. Invented. */
  readonly relativesAlike: number;
  /** Respondents whose page sends the probe; content blockers and failures take the rest. Invented. */
  readonly probed: number;
  /** The share of fraud that keeps the probe from being sent on purpose. Invented. */
  readonly probeBlocked: number;
  /** Same study again, by honest people: 4-24% duplication across vendors (responsivmr.com), most of it across studies. */
  readonly repeats: number;
  readonly repeatKinds: Readonly<Record<RepeatKind, number>>;
  /** 84% of bogus respondents pass an attention check (Pew 2020): a buyer finds fewer still. Invented. */
  readonly fraudLabelled: number;
  /** Honest sessions that a buyer rejects as fraud. Invented. */
  readonly honestMislabelled: number;
  /** Days until a buyer reverses, mean; panels may reverse until the 25th of the next month (developer.cint.com). */
  readonly reversalDays: number;
  /** The share of paid bots that evade detection of automation altogether: 45-53% (arXiv 2406.07647). */
  readonly botsEvading: number;
  /** Speeders: under half the median time with a lognormal sigma of 0.45 and a mean of 10.3 s a question (turkprime 2015, mktginc). */
  readonly questionSeconds: number;
  readonly questionSigma: number;
}

export const repeatKinds = ['same_device', 'cleared', 'second_browser'] as const;
export type RepeatKind = (typeof repeatKinds)[number];

export const panelRates: PanelRates = {
  fraud: 0.12,
  kinds: {
    hosting_farm: 0.24,
    phone_farm: 0.2,
    spoofed_place: 0.16,
    headless: 0.14,
    stealth: 0.14,
    llm_agent: 0.12,
    click_workers: 0,
    emulator_farm: 0,
    many_accounts: 0,
  },
  groups: {
    home: 0.37,
    carrier_nat: 0.2,
    campus: 0.03,
    vpn: 0.16,
    household_device: 0.02,
    same_model_phone: 0.08,
    keyboard: 0.02,
    screen_reader: 0.01,
    office: 0.06,
    privacy_browser: 0.05,
  },
  relatives: 0.06,
  relativesAlike: 0.08,
  probed: 0.94,
  probeBlocked: 0.08,
  repeats: 0.05,
  repeatKinds: { same_device: 0.5, cleared: 0.3, second_browser: 0.2 },
  fraudLabelled: 0.45,
  honestMislabelled: 0.006,
  reversalDays: 12,
  botsEvading: 0.48,
  questionSeconds: 10.3,
  questionSigma: 0.45,
};

const leftOutShare = 0.08;

/** Rates of another market: every rate between half and one and a half of what it was; for tests with the kinds that fits never see. */
export function shiftRates(rates: PanelRates, draw: Draw, forFit: boolean): PanelRates {
  const scale = (): number => draw.between(0.5, 1.5);
  const shift = (rate: number): number => Math.min(rate * scale(), (1 + rate) / 2);
  const mix = <K extends string>(shares: Readonly<Record<K, number>>): Record<K, number> =>
    Object.fromEntries(Object.entries<number>(shares).map(([name, share]) => [name, share * scale()])) as Record<
      K,
      number
    >;
  const kinds = mix(rates.kinds);
  if (!forFit) for (const kind of leftOutKinds) kinds[kind] = leftOutShare;
  return {
    kinds,
    groups: mix(rates.groups),
    repeatKinds: mix(rates.repeatKinds),
    fraud: shift(rates.fraud),
    relatives: shift(rates.relatives),
    relativesAlike: shift(rates.relativesAlike),
    probed: shift(rates.probed),
    probeBlocked: shift(rates.probeBlocked),
    repeats: shift(rates.repeats),
    fraudLabelled: shift(rates.fraudLabelled),
    honestMislabelled: shift(rates.honestMislabelled),
    botsEvading: shift(rates.botsEvading),
    reversalDays: rates.reversalDays * scale(),
    questionSeconds: rates.questionSeconds * scale(),
    questionSigma: rates.questionSigma * draw.between(0.8, 1.2),
  };
}

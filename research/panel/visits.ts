/** One simulated visit: what a respondent’s page and a customer’s backend know of it, and the truth that neither is sent. */
import type { ProbeBody } from '../../src/contract/probe.js';
import type { RepeatKind } from './base-rates.js';
import type { Draw } from './draw.js';
import type { Device } from './devices.js';
import type { Behavior } from './hands.js';
import type { Address } from './networks.js';

export interface Machine {
  /** The physical device. */
  readonly id: string;
  readonly device: Device;
  /** The token that its browser keeps; another one after its storage was cleared. */
  readonly token: string;
}

export interface Locale {
  readonly zone: string;
  readonly offset: number;
  readonly language: string;
}

export interface Study {
  readonly id: string;
  readonly country: 'US' | 'GB' | 'DE';
  readonly startsMs: number;
  readonly questions: number;
}

export interface Truth {
  readonly fraud: boolean;
  readonly label: string;
  readonly person: string;
  readonly machine: string;
  /** How a person who was in this study before came again; null on a first visit. */
  readonly repeat: RepeatKind | null;
  /** The operator of the farm or the bots; null for honest people. */
  readonly operator: string | null;
}

/** Traces of drivers in the browser, and of contradictions. */
export type Traces = Pick<ProbeBody, 'auto' | 'lies' | 'gaps'>;

export interface Visit {
  readonly atMs: number;
  readonly study: Study;
  readonly supplier: string;
  readonly respondentId: string | null;
  readonly address: Address;
  readonly machine: Machine;
  readonly locale: Locale;
  readonly beh: Behavior;
  readonly pace: { readonly seconds: number; readonly sigma: number };
  readonly traces: Traces;
  /** The page’s request names another browser or language than the page, as a badly faked one does. */
  readonly transportAgent?: string;
  readonly acceptLanguage?: string;
  readonly probed: boolean;
  readonly truth: Truth;
}

export const noTraces: Traces = {
  auto: { webdriver: false, globals: [], debugStack: false, debugGetter: false },
  lies: [],
  gaps: [],
};

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The time itself in waking hours of a clock that is `offset` minutes behind UTC; else some time of the next morning, for most. */
export function inWakingHours(draw: Draw, atMs: number, offset: number): number {
  const hour = ((atMs - offset * 60_000) % dayMs) / hourMs;
  return hour < 7 && !draw.chance(0.15) ? atMs + draw.between(7 - hour, 14 - hour) * hourMs : atMs;
}

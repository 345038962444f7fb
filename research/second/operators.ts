/**
 * Fraud operators: they work for weeks, come back to later studies, and change their habits when they are found out. The properties of an
 * operator follow from its own stream, so that a choice made once stays made.
 */
import { accessLine, hostedLine, rentedHome, type Connection } from './connections.js';
import { engineOf } from './agents.js';
import { clean, useDriver, type Driver, type Traces } from './drivers.js';
import { drawHands, untouched, useHands, type Behavior, type Means } from './hands.js';
import { buildMachine, type Machine, type MachineOptions } from './machines.js';
import type { FraudKind, Study, Supplier } from './market.js';
import { languagesOf, localeOf, type Locale } from './people.js';
import { drawAbroad, placeOf, type Abroad, type Country, type Isp } from './places.js';
import type { Random } from './random.js';

export interface Operator {
  readonly id: string;
  readonly kind: FraudKind;
  readonly country: Country;
  readonly from: Abroad;
  readonly own: Random;
  readonly people: number;
  readonly machines: Map<string, Machine>;
  readonly accounts: readonly string[];
  supplier: Supplier;
  subSource: string;
  /** From 0 to 1; grows with every study. */
  skill: number;
  waves: number;
}

/** The visible part of an entry. */
export interface Entry {
  readonly machine: Machine;
  readonly connection: Connection;
  readonly locale: Locale;
  readonly traces: Traces;
  readonly behavior: Behavior;
  readonly probe: 'none' | 'load' | 'full';
  readonly person: string;
  /** The device in truth, whatever it pretends. */
  readonly device: string;
  readonly headerAgent?: string;
  readonly bareTransport?: boolean;
}

/** The n-th entry of a campaign. */
export interface Turn {
  readonly operator: Operator;
  readonly random: Random;
  readonly study: Study;
  readonly n: number;
}

export type Play = (turn: Turn) => Entry;

export function drawOperator(own: Random, id: string, kind: FraudKind, country: Country, supplier: Supplier): Operator {
  return {
    id,
    kind,
    country,
    supplier,
    own,
    from: drawAbroad(own.stream('from')),
    people: own.int(1, 4),
    machines: new Map(),
    accounts: Array.from({ length: own.int(6, 30) }, () => own.hex(40)),
    subSource: `${supplier.id}-${own.int(1, 5)}`,
    skill: own.between(0, 0.8),
    waves: 0,
  };
}

/** A detected habit is changed, and accounts move to suppliers that do not know them. */
export function learn(random: Random, operator: Operator, drawSupplier: () => Supplier): void {
  operator.waves += 1;
  operator.skill = Math.min(1, operator.skill + random.between(0, 0.15));
  if (!random.chance(0.25)) return;
  operator.supplier = drawSupplier();
  operator.subSource = `${operator.supplier.id}-${random.int(1, 5)}`;
}

type Shown = Pick<Entry, 'machine' | 'connection' | 'behavior'> & Partial<Entry>;

/** With what most entries have in common. */
export const show = ({ operator }: Turn, shown: Shown): Entry => ({
  locale: here(operator),
  traces: clean(engineOf(shown.machine.system, shown.machine.browser)),
  probe: 'full',
  person: operator.id,
  device: 'own',
  ...shown,
});

/** A choice that the operator made once. */
export const made = ({ operator }: Turn, name: string, probability: number): boolean =>
  operator.own.stream(name).chance(probability);
export const choice = <T>({ operator }: Turn, name: string, list: readonly T[]): T =>
  operator.own.stream(name).pick(list);

export function machineOf({ operator, random }: Turn, name: string, options: MachineOptions, fresh = false): Machine {
  const known =
    operator.machines.get(name) ?? buildMachine(operator.own.stream(name), `${operator.id} ${name}`, options);
  // Another profile, or storage that was cleared.
  const machine = fresh ? { ...known, token: random.hex(32), usedMs: null } : known;
  operator.machines.set(name, machine);
  return machine;
}

export const here = ({ own, country }: Operator): Locale => localeOf(own.stream('locale'), country);
export const utc: Locale = { zone: 'UTC', language: 'en-US', languages: ['en-US'] };
export const foreign = ({ operator: { from }, random }: Turn): Locale => ({
  zone: from.zone,
  language: from.language,
  languages: languagesOf(random, from.language),
});

const secondsFor = (random: Random, study: Study, pace: number): number =>
  study.atEntry ? random.between(2, 9) : study.questions * pace * random.around(1, 0.2);

interface Manner {
  readonly means: Means;
  readonly pace: number;
  readonly person?: string;
  /** In a stand, not in a hand. */
  readonly still?: boolean;
}

export function byHand(
  turn: Turn,
  machine: Machine,
  { means, pace, person = 'self', still = false }: Manner,
): Behavior {
  const { random, study, operator } = turn;
  const hands = drawHands(operator.own.stream(`hands ${person}`), means);
  return useHands(random, still ? { ...hands, motion: 0.02 } : hands, machine, {
    questions: study.atEntry ? 0 : study.questions,
    seconds: secondsFor(random, study, hands.pace * pace),
    framed: study.framed,
  });
}

export function byDriver({ random, study }: Turn, driver: Driver, skill: number, pace: number): Behavior {
  const seconds = secondsFor(random, study, pace);
  return study.atEntry ? untouched(seconds * 1_000) : useDriver(random, driver, skill, study.questions, seconds);
}

/** Lines that operators rent: servers while they are new at it, homes later on. */
export function rented({ operator, random }: Turn, hosted: number, sticky?: string): Connection {
  const { country, own, skill, waves } = operator;
  const server = own.stream(`provider ${Math.floor(waves / 2)}`).chance(hosted * (1.2 - skill));
  return server
    ? hostedLine(country, own, own.stream('servers').int(1, 3) + random.int(0, 2))
    : rentedHome(random, country, sticky);
}

export const ownCarrier = ({ operator: { own, country } }: Turn): Isp =>
  own.stream('carrier').weighted(placeOf(country).mobile);
export const ownHome = ({ operator: { own, country, id }, random, study }: Turn): Connection =>
  accessLine(random, own.stream('isp').weighted(placeOf(country).fixed), country, id, study.startsMs);

/**
 * How many set-ups findings reveal whose strengths were learnt without their family. A strength is the logarithm of how much more often other
 * families raise a finding than people do, as far as so few visits show it; a set-up is flagged whose sum is above that of every person.
 */
import type { Kind } from './set-ups.js';

export interface Findings {
  readonly kind: Kind;
  readonly family: string;
  readonly name: string;
  readonly codes: readonly string[];
}

export interface LeftOut {
  readonly family: string;
  readonly setUps: number;
  /** Names of those that were not flagged. */
  readonly missed: readonly string[];
}

/** Below this, a finding says too little: raised by a program 1.6 times as often as by a person. */
const strengthMin = 0.5;

export function leaveFamiliesOut(visits: readonly Findings[]): readonly LeftOut[] {
  const driven = visits.filter(({ kind }) => kind === 'driven');
  const people = visits.filter(({ kind }) => kind === 'person');
  return [...new Set(driven.map(({ family }) => family))].map((family) => {
    const strengthOf = learn(
      driven.filter((each) => each.family !== family),
      people,
    );
    const sumOf = ({ codes }: Findings): number => codes.reduce((sum, code) => sum + strengthOf(code), 0);
    const highestPerson = Math.max(0, ...people.map(sumOf));
    const own = driven.filter((each) => each.family === family);
    const missed = own.filter((each) => sumOf(each) <= highestPerson).map(({ name }) => name);
    return { family, setUps: own.length, missed };
  });
}

/** Shares start from half a visit of each kind, so that a finding seen once is no proof. */
function learn(programs: readonly Findings[], people: readonly Findings[]): (code: string) => number {
  const share = (visits: readonly Findings[], code: string): number =>
    (visits.filter(({ codes }) => codes.includes(code)).length + 0.5) / (visits.length + 1);
  return (code) => {
    const strength = Math.log(share(programs, code) / share(people, code));
    return strength < strengthMin ? 0 : strength;
  };
}

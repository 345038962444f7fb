/** Measures several servers under the same load in turns, so that all see the same machine. */
import type { Load } from './load.js';
import { hold, saturate, settle, type Contestant, type RateRound, type Round } from './score-rounds.js';
import type { StackEnvironment } from './stack.js';

export interface WarmUp {
  /** V8 goes on compiling what a score runs through for some ten thousand of them. */
  readonly requests: number;
  /** Ends it if they take longer. */
  readonly seconds: number;
}

export const warmUpDefault: WarmUp = { requests: 60_000, seconds: 120 };

export interface Measured {
  /** The first minute of its load, or less if the warm-up was shorter; null before. */
  first: Round | null;
  readonly rounds: Round[];
  readonly rates: RateRound[];
}

export interface Turns {
  readonly load: Load;
  readonly contestants: readonly Contestant[];
  readonly seconds: number;
  readonly rounds: number;
  readonly stack: StackEnvironment | null;
}

/** Results of each contestant, in their order. */
export type Results = ReadonlyMap<Contestant, Measured>;

const firstSeconds = 60;
/** A guess before anything was measured, for how many sessions get a probe. */
const perSecondFirst = 1_500;
const guessMargin = 1.5;

/** Loads one server before it is measured: half of the sessions with a probe, as later. Returns its first minute. */
export async function warmUp(load: Load, contestant: Contestant, { requests, seconds }: WarmUp): Promise<Round> {
  const body = await contestant.sessions.take(Math.min(requests, seconds * perSecondFirst));
  const first = await saturate(load, contestant, body, {
    seconds: Math.min(seconds, firstSeconds),
    requestsMax: requests,
    stack: null,
  });
  const left = { requests: requests - first.requests, seconds: seconds - firstSeconds };
  const rest = (n: number): string => body(first.requests + n);
  if (left.requests > 0 && left.seconds > 0)
    await load.closed({ ...contestant.target, body: rest }, left.seconds, left.requests);
  await settle([contestant.served], seconds);
  return first;
}

export async function warmUpInTurns({ load, contestants }: Turns, warm: WarmUp): Promise<Results> {
  const results = new Map<Contestant, Measured>();
  for (const contestant of contestants)
    results.set(contestant, { first: await warmUp(load, contestant, warm), rounds: [], rates: [] });
  return results;
}

/** The guess for the next round’s probes. */
export const probedIn = (seconds: number, rounds: readonly Round[]): number =>
  seconds * guessMargin * (rounds.at(-1)?.perSecond ?? perSecondFirst);

export async function saturateInTurns(turns: Turns, results: Results): Promise<void> {
  const { load, seconds, stack } = turns;
  await inTurns(turns, results, async (contestant, { rounds }) => {
    const body = await contestant.sessions.take(probedIn(seconds, rounds));
    await rest(turns);
    rounds.push(await saturate(load, contestant, body, { seconds, stack }));
  });
}

export async function holdInTurns(turns: Turns, results: Results, rate: number, withDelay = false): Promise<void> {
  const { load, seconds } = turns;
  await inTurns(turns, results, async (contestant, { rates }) => {
    const body = await contestant.sessions.take(seconds * rate);
    await rest(turns);
    rates.push(await hold(load, contestant, body, { rate, seconds, withDelay }));
  });
}

const rest = ({ contestants, seconds }: Turns): Promise<void> =>
  settle(
    contestants.map(({ served }) => served),
    seconds,
  );

/** Each contestant once in a round. Every other round goes the other way, so that none always follows the same one. */
async function inTurns(
  { rounds }: Turns,
  results: Results,
  work: (contestant: Contestant, measured: Measured) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const order = [...results];
    for (const [contestant, measured] of round % 2 === 0 ? order : order.reverse()) await work(contestant, measured);
  }
}

/** How pages were used: counts, statistics, questions, read from the probe once and pooled as if from one page. null: not measured. */
import type { ProbeBody, QuestionSnapshot } from '../../src/contract/probe.js';

const countNames = [
  'moves',
  'fineTimes',
  'subpixel',
  'clicks',
  'clickBare',
  'pressureZero',
  'keys',
  'keyNoCode',
  'keyFineTimes',
  'keyNoShift',
  'inputNoKey',
  'wheels',
  'wheelTicks',
  'wheelLies',
  'scrolls',
  'touches',
  'pasteChars',
  'untrusted',
] as const;
const sampleNames = [
  'interval',
  'turn',
  'coalesced',
  'clickDwell',
  'clickSettle',
  'clickCentre',
  'keyDwell',
  'keyFlight',
  'touchForce',
  'touchRadius',
  'motion',
] as const;

export type Input = Readonly<Record<(typeof countNames)[number], number | null>> &
  Readonly<Record<(typeof sampleNames)[number], Statistics | null>> & {
    /** Mean over strokes of the distance between their ends over their length, 0-1. */
    readonly straight: number | null;
  };

export interface Usage {
  /** null if the page reported no input. */
  readonly input: Input | null;
  readonly questions: readonly QuestionSnapshot[];
}

/** Whether what `earlier` counted since the page load is in what `later` counted: an honest page’s counts only grow. */
export function isContinued(earlier: Input | null, later: Input | null): boolean {
  return earlier === null || countNames.every((name) => (earlier[name] ?? 0) <= (later?.[name] ?? 0));
}

export function readUsage({ beh, q }: Pick<ProbeBody, 'beh' | 'q'>): Usage {
  return { questions: q ?? [], input: beh == null ? null : readInput(beh) };
}

/** Field by field: an object made of lists of names costs as much as all rules together. */
function readInput(beh: NonNullable<ProbeBody['beh']>): Input {
  return {
    moves: beh.moves ?? null,
    fineTimes: beh.fineTimes ?? null,
    subpixel: beh.subpixel ?? null,
    clicks: beh.clicks ?? null,
    clickBare: beh.clickBare ?? null,
    pressureZero: beh.pressureZero ?? null,
    keys: beh.keys ?? null,
    keyNoCode: beh.keyNoCode ?? null,
    keyFineTimes: beh.keyFineTimes ?? null,
    keyNoShift: beh.keyNoShift ?? null,
    inputNoKey: beh.inputNoKey ?? null,
    wheels: beh.wheels ?? null,
    wheelTicks: beh.wheelTicks ?? null,
    wheelLies: beh.wheelLies ?? null,
    scrolls: beh.scrolls ?? null,
    touches: beh.touches ?? null,
    pasteChars: beh.pasteChars ?? null,
    untrusted: beh.untrusted ?? null,
    interval: readStatistics(beh.interval),
    turn: readStatistics(beh.turn),
    coalesced: readStatistics(beh.coalesced),
    clickDwell: readStatistics(beh.clickDwell),
    clickSettle: readStatistics(beh.clickSettle),
    clickCentre: readStatistics(beh.clickCentre),
    keyDwell: readStatistics(beh.keyDwell),
    keyFlight: readStatistics(beh.keyFlight),
    touchForce: readStatistics(beh.touchForce),
    touchRadius: readStatistics(beh.touchRadius),
    motion: readStatistics(beh.motion),
    straight: beh.straight ?? null,
  };
}

/** Pages whose usage is one person’s, one after the other or side by side. */
export function poolUsage(pages: readonly Usage[]): Usage {
  const [only] = pages;
  if (only !== undefined && pages.length === 1) return only;
  const inputs = pages.map(({ input }) => input).filter((input) => input !== null);
  const counted = (read: (input: Input) => number | null): number | null => {
    const known = inputs.map(read).filter((count) => count !== null);
    return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
  };
  const straight = inputs.map((input) => input.straight).filter((share) => share !== null);
  return {
    questions: pages.flatMap(({ questions }) => questions),
    input:
      inputs.length === 0
        ? null
        : {
            ...mapNames(countNames, (name) => counted((input) => input[name])),
            ...mapNames(sampleNames, (name) => poolStatistics(inputs.map((input) => input[name]))),
            // One page of bends is enough to be no ruler.
            straight: straight.length === 0 ? null : Math.min(...straight),
          },
  };
}

function mapNames<const Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, Value>;
}

/** Statistics of a sample; the probe sends them as a tuple, whose order only `readStatistics` knows. */
export interface Statistics {
  readonly count: number;
  readonly mean: number;
  /** Standard deviation. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
}

type Sample = NonNullable<NonNullable<ProbeBody['beh']>['interval']>;

/** null for an absent sample and for one of nothing. */
function readStatistics(sample: Sample | null | undefined): Statistics | null {
  if (sample == null) return null;
  const [count, mean, deviation, min, max] = sample;
  return count > 0 ? { count, mean, deviation, min, max } : null;
}

/** null where none of them holds anything. */
export function poolStatistics(samples: readonly (Statistics | null)[]): Statistics | null {
  const known = samples.filter((sample) => sample !== null);
  const [first] = known;
  if (first === undefined || known.length === 1) return first ?? null;
  const count = sum(known.map((each) => each.count));
  const mean = sum(known.map((each) => each.mean * each.count)) / count;
  const squares = sum(known.map((each) => each.count * (each.deviation ** 2 + (each.mean - mean) ** 2)));
  return {
    count,
    mean,
    deviation: Math.sqrt(squares / count),
    min: Math.min(...known.map((each) => each.min)),
    max: Math.max(...known.map((each) => each.max)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

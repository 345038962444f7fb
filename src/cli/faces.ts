/**
 * `npm run faces -- measure --pairs FILE --model NAME` writes the entry of VH_FACE_MODELS for a model, from faces of your own capture: a line of JSON each,
 * `{ "person": "p-1", "values": [0.1, …] }`, at least two of some people. Every two faces are a pair.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { dot } from '../verification/uniqueness/embedding.js';
import { cutoffsFor, falseMatchShare, sigmasFor } from '../verification/uniqueness/face-models.js';

export interface MeasuredFace {
  readonly person: string;
  readonly values: readonly number[];
}

/** Without a stranger in so many pairs, a share is below one in a third of them with 95% confidence. */
const pairsPerShare = 3;
/** Faces whose mean is shorter point everywhere: there is no center to take off. */
const centerMin = 0.3;
const decimals = (value: number): number => Math.round(value * 1e5) / 1e5;

export function measureFaces(model: string, faces: readonly MeasuredFace[]) {
  const dimension = faces[0]?.values.length ?? 0;
  if (dimension === 0 || faces.some(({ values }) => values.length !== dimension || !values.every(Number.isFinite)))
    throw new Error('Every face needs the same number of finite values.');
  const units = faces.map(({ values }) => toUnit(Float32Array.from(values)));
  const average = new Float32Array(dimension).map(
    (_, at) => units.reduce((sum, unit) => sum + (unit[at] ?? 0), 0) / units.length,
  );
  const center = Math.sqrt(dot(average, average)) < centerMin ? null : toUnit(average);
  const directions =
    center === null ? units : units.map((unit) => toUnit(unit.map((value, at) => value - (center[at] ?? 0))));
  const strangers: number[] = [];
  const same: number[] = [];
  directions.forEach((one, at) => {
    for (let next = at + 1; next < directions.length; next += 1) {
      const isSame = faces[at]?.person === faces[next]?.person;
      (isSame ? same : strangers).push(dot(one, directions[next] ?? one));
    }
  });
  if (strangers.length === 0 || same.length === 0)
    throw new Error('Faces of two people at least are needed, and two of one of them.');
  const mean = strangers.reduce((sum, value) => sum + value, 0) / strangers.length;
  const deviation = Math.sqrt(strangers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / strangers.length);
  const impostor = { mean: decimals(mean), deviation: decimals(deviation) };
  const entry = { model, dimension, impostor, center: center && Array.from(center, decimals) };
  const edge = mean + deviation * sigmasFor(falseMatchShare);
  const lowest = quantile(same, 0.05);
  const reaches = (size: number): boolean => cutoffsFor({ ...entry, center: null }, size).same <= lowest;
  const sizes = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
  return {
    entry,
    strangerPairs: strangers.length,
    samePairs: same.length,
    /** The share of strangers beyond the cutoff of a normal distribution for one in a thousand. More than 0.001 is a heavier tail. */
    tail: strangers.filter((value) => value > edge).length / strangers.length,
    lowestSame: decimals(lowest),
    /** Largest gallery in which 95% of the same people are found, and the largest that the pairs vouch for. */
    galleryFound: sizes.filter(reaches).at(-1) ?? 0,
    galleryVouched: Math.floor((strangers.length * falseMatchShare) / pairsPerShare),
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * sorted.length)] ?? NaN;
}

function toUnit(values: Float32Array): Float32Array {
  const length = Math.sqrt(dot(values, values));
  return length === 0 ? values : values.map((value) => value / length);
}

function run(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { pairs: { type: 'string' }, model: { type: 'string' } },
  });
  if (positionals[0] !== 'measure' || values.pairs === undefined || values.model === undefined)
    throw new Error('Usage: npm run faces -- measure --pairs FILE --model NAME');
  const lines = readFileSync(values.pairs, 'utf8').split('\n').filter(Boolean);
  const { entry, ...measured } = measureFaces(
    values.model,
    lines.map((line) => JSON.parse(line) as MeasuredFace),
  );
  process.stderr.write(`${JSON.stringify(measured, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify([entry], null, 2)}\n`);
}

if (process.argv[1]?.endsWith('cli/faces.js') === true)
  try {
    run();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }

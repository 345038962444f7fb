/** Random numbers from a seed, in streams with names: what one part draws never shifts what another part draws. */
import { createHash } from 'node:crypto';

export type Weights<T> = readonly (readonly [value: T, weight: number])[];

export interface Random {
  unit(): number;
  chance(probability: number): boolean;
  /** Both ends included. */
  int(from: number, to: number): number;
  between(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  weighted<T>(weights: Weights<T>): T;
  normal(mean: number, deviation: number): number;
  /** Lognormal around its median. */
  around(median: number, sigma: number): number;
  wait(mean: number): number;
  hex(length: number): string;
  /** Its own stream: the same name gives the same numbers, whatever was drawn before. */
  stream(name: string | number): Random;
}

export function createRandom(seed: string): Random {
  const state = new Uint32Array(4);
  createHash('sha256')
    .update(seed)
    .digest()
    .subarray(0, 16)
    .forEach((byte, n) => (state[n >> 2]! += byte << (8 * (n & 3))));
  let [a = 0, b = 0, c = 0, d = 0] = state;
  // sfc32.
  const unit = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4_294_967_296;
  };
  const normal = (mean: number, deviation: number): number =>
    mean + deviation * Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
  const int = (from: number, to: number): number => from + Math.floor(unit() * (to - from + 1));
  return {
    unit,
    int,
    normal,
    chance: (probability) => unit() < probability,
    between: (from, to) => from + unit() * (to - from),
    pick: (list) => list[int(0, list.length - 1)]!,
    weighted: (weights) => {
      let left = unit() * weights.reduce((sum, [, weight]) => sum + weight, 0);
      return (weights.find(([, weight]) => (left -= weight) < 0) ?? weights[0]!)[0];
    },
    around: (median, sigma) => median * Math.exp(normal(0, sigma)),
    wait: (mean) => -mean * Math.log(1 - unit()),
    hex: (length) => Array.from({ length }, () => int(0, 15).toString(16)).join(''),
    stream: (name) => createRandom(`${seed}/${name}`),
  };
}

/** The probe's form of samples: [n, mean, deviation, minimum, maximum]. Long ones are drawn in part. */
export function sampleOf(n: number, draw: () => number): readonly [number, number, number, number, number] | null {
  if (n < 1) return null;
  const values = Array.from({ length: Math.min(n, 120) }, draw);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return [n, round(mean), round(spread), round(Math.min(...values)), round(Math.max(...values))];
}

export const round = (value: number): number => Math.round(value * 1_000) / 1_000;

/** Short hash, as the probe hashes drawings and fonts. */
export const digest = (text: string, length = 8): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

/** Lines of cells, as tables of the sources are copied best. */
const readTable = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));

/** `weight | value` lines. */
export const weightsIn = <T = string>(text: string, read?: (cells: string[]) => T): Weights<T> =>
  readTable(text).map(([weight, ...cells]) => [read === undefined ? (cells[0] as T) : read(cells), Number(weight)]);

/** `value weight, value weight` in a line. */
export const mix = <T extends string>(text: string): Weights<T> =>
  text.split(',').map((part) => {
    const [value = '', weight] = part.trim().split(' ');
    return [value as T, Number(weight)];
  });

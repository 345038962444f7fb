import t from 'tap';
import { recalibrationPointsMax } from '../../../src/contract/calibration.js';
import type { LabelledCell } from '../../../src/contract/reports.js';
import { findContradictions } from '../../../src/projects/projects/project-patch.js';
import { interpolate } from '../../../workers/scoring/fitted.js';
import { expectedAt } from '../../../workers/scoring/probability.js';
import { offerRecalibration } from '../../../workers/thresholds/recalibration.js';

const cell = (score: number, fraud: boolean, count: number): LabelledCell => ({
  inputs: { uncapped: score, caps: [], agentPolicy: null, stepUpThreshold: null },
  fraud,
  count,
});
/** Labels that show this share of fraud at each score. */
const labels = (sessions: readonly (readonly [score: number, count: number])[], shareAt: (score: number) => number) =>
  sessions.flatMap(([score, count]) => {
    const fraud = Math.round(count * shareAt(score));
    return [cell(score, true, fraud), cell(score, false, count - fraud)];
  });
const thousand = [0, 5, 12, 20, 35, 50, 70, 90].map((score, n) => [score, n === 0 ? 650 : 50] as const);
const times = (factor: number) => thousand.map(([score, count]) => [score, factor * count] as const);
const odds = (share: number): number => share / (1 - share);
/** Twice the odds that the model expects. */
const doubled = (score: number): number => (2 * odds(expectedAt(score))) / (1 + 2 * odds(expectedAt(score)));

t.test('under the labels that thresholds need there is no curve, and what is missing is said', (t) => {
  for (const [honest, fraud, missing] of [
    [0, 0, { honest: 598, fraud: 30 }],
    [597, 30, { honest: 1, fraud: 0 }],
    [598, 29, { honest: 0, fraud: 1 }],
    [5_000, 0, { honest: 0, fraud: 30 }],
  ] as const)
    t.same(offerRecalibration([cell(0, false, honest), cell(90, true, fraud)]), {
      ...{ status: 'insufficient_data', curve: null, ece: null },
      shortfall: missing,
    });
  t.match(offerRecalibration([cell(0, false, 598), cell(90, true, 30)]), { status: 'ok', shortfall: null });
  t.end();
});

t.test('where labels fall as scores rise, the curve is level at their share', (t) => {
  for (const factor of [3, 20]) {
    const cells = labels(times(factor), (score) => 0.5 - score / 200);
    const total = (some: readonly LabelledCell[]): number => some.reduce((sum, { count }) => sum + count, 0);
    const share = total(cells.filter(({ fraud }) => fraud)) / total(cells);
    const { curve } = offerRecalibration(cells);
    for (const [at, value = 0] of curve ?? []) t.ok(Math.abs(value - share) < 1e-4, `at ${at}: ${value} for ${share}`);
    t.ok(curve !== null);
  }
  t.end();
});

t.test('a curve rises, lies in its range, is one that a project may have, and comes nearer to the labels', (t) => {
  for (const [name, cells] of [
    ['twice the odds', labels(thousand, doubled)],
    ['many labels', labels(times(20), doubled)],
    ['no order at all', labels(times(20), (score) => (score % 10 === 0 ? 0.3 : 0.05))],
    ['falling', labels(times(20), (score) => 0.5 - score / 200)],
    ['falling, few', labels(thousand, (score) => 0.2 - score / 500)],
    ['one score', [cell(0, false, 2_000), cell(0, true, 100)]],
    ['all fraud from 50', labels(times(20), (score) => Number(score >= 50))],
    [
      'all fraud from 50, few between',
      labels(
        [
          [3, 22_000],
          [17, 9_000],
          [41, 15],
          [59, 17],
          [84, 530],
          [92, 230],
        ],
        (score) => Number(score >= 50),
      ),
    ],
    ['all fraud above 0', labels(times(3), (score) => (score === 0 ? 0 : 1))],
  ] as const) {
    const { curve, ece } = offerRecalibration(cells);
    const recalibration = curve ?? [];
    t.ok(
      recalibration.length > 1 && recalibration.length <= recalibrationPointsMax,
      `${name}: ${recalibration.length}`,
    );
    t.same(findContradictions({ name, config: { liteConfig: { recalibration } } }), [], name);
    t.ok((ece?.after ?? 1) <= (ece?.before ?? 0), `${name}: ${ece?.before} to ${ece?.after}`);
    t.same(offerRecalibration(cells), offerRecalibration([...cells].reverse()), `${name}, in any order`);
  }
  t.end();
});

t.test('twice the odds are found, with a range that narrows as labels come', (t) => {
  const widths = [1, 20].map((factor) => {
    const { curve } = offerRecalibration(labels(times(factor), doubled));
    for (const score of [0, 20, 50]) {
      const { value, low, high } = interpolate(curve ?? [], expectedAt(score));
      t.ok(low - 0.01 <= doubled(score) && doubled(score) <= high + 0.01, `${factor} at ${score}: ${low} to ${high}`);
      t.ok(Math.abs(value - doubled(score)) < 0.08, `${factor} at ${score}: ${value} of ${doubled(score)}`);
    }
    const { low, high } = interpolate(curve ?? [], expectedAt(20));
    return high - low;
  });
  t.ok((widths[1] ?? 1) < (widths[0] ?? 0));
  t.end();
});

t.test('a curve that falls, or whose range does not hold its value, is refused with a pointer', (t) => {
  const start = [0, 0.01, 0, 0.02];
  for (const [recalibration, bent] of [
    [[start, [0.5, 0.3, 0.2, 0.4]], null],
    [[start, [0.5, 0.01, 0, 0.4]], null],
    [[start, [0.5, 0.005, 0, 0.4]], 1],
    [[start, [0, 0.3, 0.2, 0.4]], 1],
    [[start, [0.5, 0.3, 0.31, 0.4]], 1],
    [[[0, 0.03, 0, 0.02], start], 0],
  ] as const)
    for (const [liteConfig, path] of [
      [{ recalibration }, '/config/liteConfig'],
      [{ perSource: { s: { recalibration } } }, '/config/liteConfig/perSource/s'],
    ] as const)
      t.same(
        findContradictions({ name: 'p', config: { liteConfig: structuredClone(liteConfig) as object } }).map(
          (issue) => issue.path,
        ),
        bent === null ? [] : [`${path}/recalibration/${bent}`],
        JSON.stringify(recalibration),
      );
  t.end();
});

import t from 'tap';
import type { SourceCell } from '../../../src/contract/reports.js';
import { reportCalibration, reportSources } from '../../../workers/thresholds/reports.js';
import { expectedAt } from '../../../workers/scoring/probability.js';

const inputs = (uncapped: number, caps: readonly string[] = []) =>
  ({ uncapped, caps, agentPolicy: null, stepUpThreshold: null }) as const;
const cell = (sourceId: string, count: number, over: Partial<SourceCell> = {}): SourceCell => ({
  ...{ sourceId, count, inputs: inputs(10), recommendation: 'allow', label: 'none', age: 'older', isAsked: true },
  independence: 90 * count,
  ...over,
});

t.test('a league of sources: the surest of fraud first, and few labels lean on the project', async (t) => {
  const [first, second, third, last] = reportSources([
    cell('honest', 900, { label: 'complete' }),
    cell('honest', 10, { label: 'fraud', recommendation: 'block' }),
    cell('farm', 200, { label: 'fraud' }),
    cell('young', 2, { label: 'fraud', independence: 80 }),
    cell('', 5, { recommendation: 'step_up' }),
  ]);
  t.match(first, { sourceId: 'farm', sessions: 200, labels: { fraud: 200, complete: 0 }, independence: 90 });
  t.ok((first?.fraudShare?.low ?? 0) > 0.85, 'two hundred of two hundred');
  t.match(second, { sourceId: 'young', independence: 40 });
  t.ok((second?.fraudShare?.value ?? 1) < 0.35, 'two of two say little by themselves');
  t.match(third, { sourceId: 'honest', allow: 900, block: 10, fraudShare: { value: Number } });
  t.match(last, { sourceId: null, step_up: 5, labels: { fraud: 0 } }, 'a source without labels ranks last');
  const project = 212 / 1112;
  t.ok(Math.abs((last?.fraudShare?.value ?? 0) - project) < 0.01, 'without labels the share is the project’s');
  for (const { fraudShare } of reportSources([cell('a', 9), cell('b', 9)])) t.equal(fraudShare, null);
  t.same(reportSources([]), []);
});

t.test('a period narrows everything but drift, and names no source without sessions in it', async (t) => {
  const sources = reportSources([
    cell('once', 500, { label: 'fraud', isAsked: false }),
    cell('both', 60, { age: 'week', inputs: inputs(50), label: 'fraud' }),
    cell('both', 300, { age: 'before', label: 'complete', isAsked: false }),
  ]);
  t.match(sources, [{ sourceId: 'both', sessions: 60, allow: 60, labels: { fraud: 60, complete: 0 } }]);
  t.equal(sources.length, 1);
  t.same(sources[0]?.drift?.value, 40);
  t.ok((sources[0]?.fraudShare?.value ?? 0) > 0.95, 'the share of the project is that of the period');
});

t.test('drift compares the last week with the four before, from thirty sessions on', async (t) => {
  const moved = reportSources([
    cell('s', 60, { age: 'week', inputs: inputs(50) }),
    cell('s', 60, { age: 'week', inputs: inputs(10) }),
    cell('s', 300, { age: 'before', inputs: inputs(10) }),
  ]);
  t.match(moved, [{ drift: { value: 20 } }]);
  const { low = 0, high = 0 } = moved[0]?.drift ?? {};
  t.ok(low > 15 && low < 20 && high > 20 && high < 25);
  const policy = inputs(74, ['policy:10']);
  const steady = [cell('s', 40, { age: 'week', inputs: policy }), cell('s', 40, { age: 'before' })];
  t.same(reportSources(steady)[0]?.drift, { value: 0, low: 0, high: 0 }, 'the project’s policy is no drift');
  const few = [cell('s', 29, { age: 'week' }), cell('s', 400, { age: 'before' })];
  t.equal(reportSources(few)[0]?.drift, null);
});

t.test('calibration: bands of ten points, what they announce, what was observed, and the mean distance', async (t) => {
  const labelled = (score: number, count: number, fraud: boolean) => ({ inputs: inputs(score), count, fraud });
  const { bands, ece, labels } = reportCalibration([
    labelled(0, 95, false),
    labelled(0, 5, true),
    labelled(100, 10, true),
    labelled(95, 10, false),
  ]);
  t.same(labels, { fraud: 15, honest: 105 });
  t.match(bands, [
    { from: 0, to: 9, sessions: 100, observed: 0.05 },
    { from: 90, to: 100, sessions: 20, observed: 0.5 },
  ]);
  t.ok(Math.abs((bands[0]?.expected ?? 0) - expectedAt(0)) < 1e-12);
  for (const { low, observed, high } of bands) t.ok(low < observed && observed < high);
  const [clean, sure] = bands.map(({ expected, observed }) => Math.abs(expected - observed));
  t.ok(Math.abs((ece ?? 1) - (100 * (clean ?? 0) + 20 * (sure ?? 0)) / 120) < 1e-12);
  t.same(reportCalibration([]), { bands: [], ece: null, labels: { fraud: 0, honest: 0 } });
});

/**
 * Boosted trees on binned numbers, with logistic loss: how the oracle comes by the posterior of the generator. NaN is a bin of its own.
 */
export interface Boosted {
  /** Log-odds of a row. */
  predict(row: readonly number[]): number;
}

export interface BoostingOptions {
  readonly trees: number;
  readonly depth: number;
  readonly rate: number;
  /** Least sum of second derivatives in a leaf. */
  readonly leafMin: number;
}

interface Split {
  readonly feature: number;
  readonly bin: number;
}
interface Tree {
  /** By node, in breadth; null for a node without a split. */
  readonly splits: readonly (Split | null)[];
  readonly leaves: Float64Array;
}

const binCount = 48;
const ridge = 1;

export function trainBoosting(
  rows: readonly (readonly number[])[],
  labels: readonly boolean[],
  options: BoostingOptions,
): Boosted {
  const cuts = (rows[0] ?? []).map((_, feature) => cutsOf(rows.map((row) => row[feature] ?? Number.NaN)));
  const binned = cuts.map((edges, feature) => Uint8Array.from(rows, (row) => binOf(edges, row[feature] ?? Number.NaN)));
  const share = labels.filter(Boolean).length / labels.length;
  const base = Math.log(share / (1 - share));
  const logits = new Float64Array(rows.length).fill(base);
  const trees: Tree[] = [];
  for (let n = 0; n < options.trees; n += 1) {
    const tree = growTree(binned, labels, logits, options);
    trees.push(tree);
    for (let row = 0; row < rows.length; row += 1)
      logits[row]! += leafOf(tree, options.depth, (feature) => binned[feature]![row]!);
  }
  return {
    predict: (row) =>
      trees.reduce(
        (sum, tree) =>
          sum + leafOf(tree, options.depth, (feature) => binOf(cuts[feature]!, row[feature] ?? Number.NaN)),
        base,
      ),
  };
}

/** Edges between bins, by quantile. */
function cutsOf(values: readonly number[]): number[] {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const edges = Array.from(
    { length: binCount - 2 },
    (_, n) => sorted[Math.floor(((n + 1) * sorted.length) / (binCount - 1))] ?? 0,
  );
  return [...new Set(edges)];
}

function binOf(edges: readonly number[], value: number): number {
  if (Number.isNaN(value)) return 0;
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value >= (edges[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

function leafOf({ splits, leaves }: Tree, depth: number, binAt: (feature: number) => number): number {
  let node = 0;
  for (let level = 0; level < depth; level += 1) {
    const split = splits[node] ?? null;
    node = 2 * node + (split !== null && binAt(split.feature) > split.bin ? 2 : 1);
  }
  return leaves[node - (2 ** depth - 1)] ?? 0;
}

function growTree(
  binned: readonly Uint8Array[],
  labels: readonly boolean[],
  logits: Float64Array,
  { depth, rate, leafMin }: BoostingOptions,
): Tree {
  const count = logits.length;
  const gradient = new Float64Array(count);
  const hessian = new Float64Array(count);
  for (let row = 0; row < count; row += 1) {
    const probability = 1 / (1 + Math.exp(-logits[row]!));
    gradient[row] = probability - Number(labels[row]);
    hessian[row] = probability * (1 - probability);
  }
  const nodeOf = new Int32Array(count);
  const splits: (Split | null)[] = [];
  for (let level = 0; level < depth; level += 1) {
    const first = 2 ** level - 1;
    const found = findSplits(binned, { gradient, hessian, nodeOf, first, nodes: 2 ** level, leafMin });
    splits.push(...found);
    for (let row = 0; row < count; row += 1) {
      const node = nodeOf[row]!;
      const split = found[node - first] ?? null;
      nodeOf[row] = 2 * node + (split !== null && binned[split.feature]![row]! > split.bin ? 2 : 1);
    }
  }
  const firstLeaf = 2 ** depth - 1;
  const [sums, weights] = [new Float64Array(2 ** depth), new Float64Array(2 ** depth)];
  for (let row = 0; row < count; row += 1) {
    sums[nodeOf[row]! - firstLeaf]! += gradient[row]!;
    weights[nodeOf[row]! - firstLeaf]! += hessian[row]!;
  }
  return { splits, leaves: sums.map((sum, leaf) => (-rate * sum) / (weights[leaf]! + ridge)) };
}

interface Level {
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
  readonly nodeOf: Int32Array;
  readonly first: number;
  readonly nodes: number;
  readonly leafMin: number;
}

function findSplits(binned: readonly Uint8Array[], level: Level): (Split | null)[] {
  const { gradient, hessian, nodeOf, first, nodes, leafMin } = level;
  const best: { gain: number; split: Split | null }[] = Array.from({ length: nodes }, () => ({
    gain: 1e-6,
    split: null,
  }));
  const [sums, weights] = [new Float64Array(nodes * binCount), new Float64Array(nodes * binCount)];
  for (const [feature, bins] of binned.entries()) {
    sums.fill(0);
    weights.fill(0);
    for (let row = 0; row < gradient.length; row += 1) {
      const cell = (nodeOf[row]! - first) * binCount + bins[row]!;
      sums[cell]! += gradient[row]!;
      weights[cell]! += hessian[row]!;
    }
    for (let node = 0; node < nodes; node += 1) {
      const [from, to] = [node * binCount, (node + 1) * binCount];
      const total = sumOf(sums, from, to);
      const weight = sumOf(weights, from, to);
      let [left, leftWeight] = [0, 0];
      for (let cell = from; cell < to - 1; cell += 1) {
        left += sums[cell]!;
        leftWeight += weights[cell]!;
        if (leftWeight < leafMin || weight - leftWeight < leafMin) continue;
        const gain =
          left ** 2 / (leftWeight + ridge) +
          (total - left) ** 2 / (weight - leftWeight + ridge) -
          total ** 2 / (weight + ridge);
        if (gain > best[node]!.gain) best[node] = { gain, split: { feature, bin: cell - from } };
      }
    }
  }
  return best.map(({ split }) => split);
}

function sumOf(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += values[at]!;
  return sum;
}

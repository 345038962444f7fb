/**
 * Fits the projective map of a plane onto a plane between two sets of points, and returns the residual. Points of a flat object, seen
 * from two sides, leave only noise; points of a head leave its depth.
 */

export interface PlaneFit {
  /** Root mean square of what the map leaves, in units of the points. */
  readonly residual: number;
  /** How much the map shortens one direction against the other: 1 for none, the cosine of a turn out of the image. */
  readonly foreshortening: number;
}

const unknowns = 8;

/** null where the points do not settle a map. Needs five pairs at least to say anything; takes as many as there are. */
export function fitPlane(
  fromX: readonly number[],
  fromY: readonly number[],
  toX: readonly number[],
  toY: readonly number[],
): PlaneFit | null {
  // Normal equations of u = (ax + by + c) / (gx + hy + 1), v = (dx + ey + f) / (gx + hy + 1), in a..h.
  const system = Array.from({ length: unknowns }, () => new Float64Array(unknowns + 1));
  for (let index = 0; index < fromX.length; index += 1) {
    const x = fromX[index] ?? 0;
    const y = fromY[index] ?? 0;
    const u = toX[index] ?? 0;
    const v = toY[index] ?? 0;
    accumulate(system, [x, y, 1, 0, 0, 0, -u * x, -u * y], u);
    accumulate(system, [0, 0, 0, x, y, 1, -v * x, -v * y], v);
  }
  const map = solve(system);
  if (map === null) return null;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = map;
  let squares = 0;
  for (let index = 0; index < fromX.length; index += 1) {
    const x = fromX[index] ?? 0;
    const y = fromY[index] ?? 0;
    const scale = g * x + h * y + 1;
    if (!(Math.abs(scale) > 1e-3)) return null;
    squares += ((a * x + b * y + c) / scale - (toX[index] ?? 0)) ** 2;
    squares += ((d * x + e * y + f) / scale - (toY[index] ?? 0)) ** 2;
  }
  const residual = Math.sqrt(squares / fromX.length);
  return Number.isFinite(residual)
    ? { residual, foreshortening: shorten(a - c * g, b - c * h, d - f * g, e - f * h) }
    : null;
}

/** Ratio of the singular values of the map’s linear part at the origin. */
function shorten(a: number, b: number, c: number, d: number): number {
  const sum = a * a + b * b + c * c + d * d;
  const difference = Math.sqrt(Math.max(0, sum * sum - 4 * (a * d - b * c) ** 2));
  const greater = (sum + difference) / 2;
  return greater > 1e-9 ? Math.sqrt(Math.max(0, (sum - difference) / 2) / greater) : 1;
}

function accumulate(system: readonly Float64Array[], row: readonly number[], value: number): void {
  for (let i = 0; i < unknowns; i += 1) {
    const target = system[i];
    const factor = row[i] ?? 0;
    if (target === undefined || factor === 0) continue;
    for (let j = 0; j < unknowns; j += 1) target[j] = (target[j] ?? 0) + factor * (row[j] ?? 0);
    target[unknowns] = (target[unknowns] ?? 0) + factor * value;
  }
}

/** Gauss with pivots; null for a system that is singular. */
function solve(system: Float64Array[]): Float64Array | null {
  for (let column = 0; column < unknowns; column += 1) {
    let best = column;
    for (let row = column + 1; row < unknowns; row += 1)
      if (Math.abs(system[row]?.[column] ?? 0) > Math.abs(system[best]?.[column] ?? 0)) best = row;
    const pivot = system[best];
    const other = system[column];
    if (pivot === undefined || other === undefined || !(Math.abs(pivot[column] ?? 0) > 1e-9)) return null;
    system[best] = other;
    system[column] = pivot;
    for (let row = 0; row < unknowns; row += 1) {
      const target = system[row];
      if (row === column || target === undefined) continue;
      const factor = (target[column] ?? 0) / (pivot[column] ?? 1);
      for (let j = column; j <= unknowns; j += 1) target[j] = (target[j] ?? 0) - factor * (pivot[j] ?? 0);
    }
  }
  return Float64Array.from(system, (row, index) => (row[unknowns] ?? 0) / (row[index] ?? 1));
}

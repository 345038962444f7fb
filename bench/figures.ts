/** Compares the figures of two replies, wherever they stand in them. */

export interface Compared {
  readonly figures: number;
  /** Paths of what differs, with both values. */
  readonly differences: readonly string[];
}

/** Sums of halves and of integrals differ in their last digits; no figure of a reply is meant more exactly. Counts differ by 1 at least. */
const tolerance = 1e-5;
/** The curve of a recalibration has four digits, of which the last may be rounded either way. */
const lastDigit = 1.01e-4;

export function compareFigures(actual: unknown, expected: unknown, path = ''): Compared {
  if (typeof actual === 'object' && actual !== null && typeof expected === 'object' && expected !== null) {
    const names = [...new Set([...Object.keys(actual), ...Object.keys(expected)])];
    const valueOf = (value: object, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name];
    const parts = names.map((name) =>
      compareFigures(valueOf(actual, name), valueOf(expected, name), `${path}/${name}`),
    );
    return {
      figures: parts.reduce((sum, { figures }) => sum + figures, 0),
      differences: parts.flatMap(({ differences }) => differences),
    };
  }
  const allowed = path.includes('/recalibration/') ? lastDigit : tolerance;
  const isEqual =
    typeof actual === 'number' && typeof expected === 'number'
      ? Math.abs(actual - expected) <= allowed
      : Object.is(actual, expected);
  return { figures: 1, differences: isEqual ? [] : [`${path}: ${String(actual)}, recounted ${String(expected)}`] };
}

/**
 * Label values that callers choose, bounded: the first so many get a series of their own, the rest share `other`. A wall of metrics must not
 * grow with what somebody sends.
 */
const otherLabel = 'other';

export function createBoundedLabels(valuesMax: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= valuesMax) return otherLabel;
    known.add(value);
    return value;
  };
}

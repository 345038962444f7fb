/** Measures of a ranking and of levels, for the service and the oracle alike. */

export interface Judged {
  readonly fraud: boolean;
  /** 0-100; ties count half. */
  readonly score: number;
  /** Whether anything but a review is possible at all: false under a ceiling that holds it below the block band. */
  readonly mayBlock: boolean;
  readonly probability: number;
}

/** Area under the ROC curve: how often a fraud stands above an honest session, by `rankOf`; the probability where nothing else is said. */
export function aucOf<One extends Pick<Judged, 'fraud' | 'probability'>>(
  judged: readonly One[],
  rankOf: (one: One) => number = ({ probability }) => probability,
): number {
  const sorted = judged.map((one) => ({ fraud: one.fraud, rank: rankOf(one) })).sort((a, b) => a.rank - b.rank);
  let [rankSum, frauds, at] = [0, 0, 0];
  while (at < sorted.length) {
    let end = at;
    while (end < sorted.length && sorted[end]?.rank === sorted[at]?.rank) end += 1;
    const rank = (at + 1 + end) / 2;
    for (; at < end; at += 1)
      if (sorted[at]?.fraud === true) {
        rankSum += rank;
        frauds += 1;
      }
  }
  return (rankSum - (frauds * (frauds + 1)) / 2) / (frauds * (sorted.length - frauds));
}

/** Share of fraud blocked at the lowest threshold that blocks at most `share` of the honest, ceilings in force. */
export function caughtAt(judged: readonly Judged[], share: number): number {
  const scoresOf = (fraud: boolean): number[] =>
    judged
      .filter((one) => one.fraud === fraud && one.mayBlock)
      .map(({ score }) => score)
      .sort((a, b) => b - a);
  const honest = scoresOf(false);
  const allowed = Math.floor(share * judged.filter(({ fraud }) => !fraud).length);
  const threshold = honest[allowed] ?? 0;
  return scoresOf(true).filter((score) => score > threshold).length / judged.filter(({ fraud }) => fraud).length;
}

const bins = 15;

/** Expected calibration error over bins of equal size. */
export function calibrationErrorOf(judged: readonly Judged[]): number {
  const sorted = [...judged].sort((a, b) => a.probability - b.probability);
  let error = 0;
  for (let bin = 0; bin < bins; bin += 1) {
    const part = sorted.slice(Math.floor((bin * sorted.length) / bins), Math.floor(((bin + 1) * sorted.length) / bins));
    const expected = part.reduce((sum, { probability }) => sum + probability, 0);
    error += Math.abs(expected - part.filter(({ fraud }) => fraud).length);
  }
  return error / sorted.length;
}

export const shareOf = <T>(list: readonly T[], holds: (item: T) => boolean): number =>
  list.length === 0 ? Number.NaN : list.filter(holds).length / list.length;

export function groupBy<T>(list: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Letters of a name that say which longer one was meant, as `reason` does. */
const beginningMin = 4;

/** The most similar of `names`: one that is as near as `distanceMax` changes of a letter, or that begins with the name; null if none is. */
export function nearestName(
  name: string,
  names: readonly string[],
  distanceMax = Math.max(2, Math.floor(name.length / 2)),
): string | null {
  let best: string | null = null;
  let bestDistance = distanceMax + 1;
  for (const candidate of names) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  if (best !== null || name.length < beginningMin) return best;
  return names.find((candidate) => candidate.toLowerCase().startsWith(name.toLowerCase())) ?? null;
}

/** Levenshtein distance of the first 64 characters; valid names are shorter. */
function editDistance(a: string, b: string): number {
  const [left, right] = [a.slice(0, 64), b.slice(0, 64)];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

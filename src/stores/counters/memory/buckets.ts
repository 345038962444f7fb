/**
 * Counts in buckets of time: [bucket, count, bucket, count, ...] with the buckets ascending.
 * A window is the current bucket and those before it; older buckets are dropped when something is added.
 */
export type Buckets = number[];

/** Nothing counted yet, and room for one bucket: most keys never have another. */
export const createBuckets = (bucket: number): Buckets => [bucket, 0];

/** Adds one to a bucket and drops those that left the window of `width` buckets. */
export function addToBucket(buckets: Buckets, bucket: number, width: number): void {
  let at = buckets.length;
  while (at > 0 && (buckets[at - 2] ?? 0) > bucket) at -= 2;
  if (at > 0 && buckets[at - 2] === bucket) buckets[at - 1] = (buckets[at - 1] ?? 0) + 1;
  else buckets.splice(at, 0, bucket, 1);
  const oldest = bucket - width;
  while (buckets.length > 0 && (buckets[0] ?? 0) <= oldest) buckets.splice(0, 2);
}

/** The count over the `width` buckets that end with `bucket`. */
export function sumBuckets(buckets: Buckets | undefined, bucket: number, width: number): number {
  let sum = 0;
  for (let i = 0; buckets !== undefined && i < buckets.length; i += 2) {
    const at = buckets[i] ?? 0;
    if (at > bucket - width && at <= bucket) sum += buckets[i + 1] ?? 0;
  }
  return sum;
}

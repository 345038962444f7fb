/**
 * What remains of a limit on calls.
 */
export interface RateState {
  readonly allowed: boolean;
  /** Of the limit that is nearest to being used up. */
  readonly limit: number;
  readonly remaining: number;
  /** When that window ends, Unix seconds. */
  readonly resetAt: number;
}

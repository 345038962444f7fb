/** The remainder of a limit on calls. */
export interface RateState {
  readonly allowed: boolean;
  /** The limit that is nearest to being used up. */
  readonly limit: number;
  readonly remaining: number;
  /** Calls of that window that were allowed, this one included; more than `limit` if others count under a higher one. */
  readonly used: number;
  /** When that window ends, Unix seconds of the clock that windows go by. */
  readonly resetAt: number;
  /** How long it is until then, for callers whose clock, or whose instance’s, is another. */
  readonly resetInSeconds: number;
}

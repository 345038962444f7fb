/** Faults that the service found in a request, and the sum of its replies to posted outcomes. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The answers to all requests of one `events` call, added up. */
export interface EventsSummary {
  readonly received: number;
  readonly accepted: number;
  /** Accepted events that differ from an earlier statement of the event. */
  readonly corrected: number;
  readonly duplicates: number;
  readonly rejected: number;
  /** Accepted, of sessions not scored yet; null where the service does not say. */
  readonly unmatched: number | null;
  /** Issues of the events, at most 1,000; `/events/1500/type` is about the event at index 1,500 of all that were given. */
  readonly issues: readonly Issue[];
}

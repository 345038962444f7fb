/**
 * Outcomes of sessions, for backends that validate their tokens more than once: cached in process, since a session’s outcome never changes. One that
 * is erased is forgotten at once by the instance that erased it, by the others within the interval of the change feed. An instance that has not heard
 * from the feed for a second reads the database. The uses of tokens are not kept here.
 */
import { createDirectory } from '../../administration/record-cache.js';
import type { VerdictOutcome } from '../../contract/verdict.js';

/** An outcome takes 2 to 6 KB. */
const entriesMax = 2_000;
const feedAgeMsMax = 1_000;

export interface OutcomeDirectoryDeps {
  readonly load: (sessionId: string) => Promise<VerdictOutcome | null>;
  /** Calls back for each session that was erased anywhere; null for any of them. */
  readonly onSessionErased: (listener: (sessionId: string | null) => void) => void;
  /** Milliseconds since every change was known. */
  readonly feedAgeMs: () => number;
}

export function createOutcomeDirectory({ load, onSessionErased, feedAgeMs }: OutcomeDirectoryDeps) {
  const outcomes = createDirectory(entriesMax, load, { isStale: () => feedAgeMs() > feedAgeMsMax });
  onSessionErased((sessionId) => {
    if (sessionId === null) void outcomes.clear();
    else outcomes.drop(sessionId);
  });
  return {
    read: outcomes.get,
    forget: (sessionIds: Iterable<string>): void => {
      for (const sessionId of sessionIds) outcomes.drop(sessionId);
    },
  };
}

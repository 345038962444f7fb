/**
 * Whether a counters store still holds what was counted in it. A store can lose all of it (emptied) or the end of it (restarted from an older
 * snapshot, taken over by a replica that was behind), and looks well both times. So each project carries the run of the server that it was
 * counted in and the line of its data (which ends wherever a replica takes over, also where the server that handed over lives on and takes over again), and up to
 * when it was seen to be there: under another run or in another line, what came after that may be missing.
 */
import type { Namespace } from './namespace.js';

export interface Holding {
  readonly isComplete: boolean;
  /** Where it is not whole: what was counted up to then is still there; null where nothing is known to be. */
  readonly keptUpToMs: number | null;
}

/** Whether the caller may bring a project back; `interrupted` says that the store has lost something once more since it began. */
export type RebuildClaim = 'held' | 'taken' | 'interrupted';

export interface Completeness {
  /**
   * Looks whether the store holds all that it should of the project. If so, it is noted as there up to now; if not, the project is no
   * longer complete, for every caller, until somebody marks it again.
   */
  checkComplete(namespace: Namespace): Promise<Holding>;
  /** Takes the rebuilding of a project for `bounds.claimMs`, or renews it: one owner at a time. */
  claimRebuild(namespace: Namespace, owner: string, isRenewal: boolean): Promise<RebuildClaim>;
  /** Notes how far the owner's rebuild has come, by a name of the caller's; false where the owner no longer holds it or the store lost something since. */
  noteRebuilt(namespace: Namespace, owner: string, downTo: string): Promise<boolean>;
  /** What was noted of a rebuild that ended before its time, whoever had it; null where there was none since the store lost something. */
  rebuiltDownTo(namespace: Namespace): Promise<string | null>;
  /**
   * Marks a project as whole; ends 48 h after it was marked or scored last. With an owner only while that holds the rebuilding, which ends with it,
   * and false if something was lost in between.
   */
  markComplete(namespace: Namespace, owner?: string): Promise<boolean>;
  /** Grows whenever the connection to the store broke: what it held may be another server's now. */
  interruptions(): number;
}

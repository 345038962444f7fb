/**
 * What sessions need of the comparison with earlier participants.
 */
import type { Envelope } from '../contract/envelope.js';
import type { Deduplication } from '../contract/project-parts.js';
import type { UniquenessFacts } from '../contract/uniqueness.js';
import type { Queryable } from '../stores/database/port.js';

/** The session that is compared, and in which scope. */
export interface ComparedSession {
  readonly organizationId: string;
  readonly projectId: string;
  readonly sessionId: string;
  /** First session of the chain of retries; the chain is nobody’s duplicate of itself. */
  readonly rootSessionId: string;
  readonly respondentId: string | null;
  readonly dataCollector: string | null;
  /** Sessions of the test world are compared with nobody, and nobody with them. */
  readonly isDemo: boolean;
  readonly deduplication: Deduplication;
  readonly widgetMode: 'invisible' | 'captcha' | 'standard';
  readonly escalateOnSuspicion: boolean;
}

export interface Uniqueness {
  /** Compares with earlier participants. What cannot be compared right now is null in the answer. */
  compare(session: ComparedSession, envelope: Envelope, nowMs: number): Promise<UniquenessFacts>;
  /** Keeps what the session will be compared by, in the transaction that completes it. */
  record(
    tx: Queryable,
    session: ComparedSession,
    envelope: Envelope,
    completion: { readonly completedAt: Date; readonly status: 'pass' | 'fail' | 'review' },
  ): Promise<void>;
  /** Erases what is kept of sessions; answers how many records. */
  erase(tx: Queryable, organizationId: string, sessionIds: readonly string[]): Promise<number>;
}

/**
 * Whose sessions are looked at: a project, in the world of the key that asks. Test keys see what test keys scored.
 */
import type { Namespace } from '../../stores/counters/namespace.js';

export interface LookedAt {
  readonly projectId: string;
  readonly namespace: Namespace;
}

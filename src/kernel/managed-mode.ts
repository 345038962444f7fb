/**
 * The mode of a credential decides which keys, links and webhooks it manages. A live credential manages those of every mode. A test key manages
 * those of test mode only, so that it cannot reach live data through them.
 */
import type { SessionMode } from '../contract/common.js';
import { Fault } from '../errors.js';

export const managesMode = (own: SessionMode, of: SessionMode): boolean => own === 'live' || own === of;

/** Throws INSUFFICIENT_SCOPE for `what`, such as webhooks, of a mode that a credential of mode `own` does not manage. */
export function requireManagedMode(own: SessionMode, of: SessionMode, what: string): void {
  if (managesMode(own, of)) return;
  throw new Fault('INSUFFICIENT_SCOPE', `Test keys can only manage ${what} of test mode. Use a live key.`);
}

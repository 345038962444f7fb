/**
 * How far a caller that is a key itself reaches when it handles others: a test key touches test keys only, and none touches one, or hands one out, with a
 * scope that it lacks. Whoever obtains a key can do what that key can.
 */
import type { Caller } from '../../kernel/caller.js';
import type { Actor } from '../../administration/audit.js';
import { Fault } from '../../errors.js';

export interface Asking {
  readonly caller: Caller | null;
  readonly actor: Actor;
}

export function requireReach(
  caller: Caller | null,
  key: { readonly isTest: boolean; readonly scopes: readonly string[] },
): void {
  if (caller?.kind !== 'key') return;
  if (caller.isTest && !key.isTest) throw new Fault('INSUFFICIENT_SCOPE', 'A test key administers test keys only.');
  const beyond = key.scopes.find((scope) => !caller.scopes.includes(scope));
  if (beyond !== undefined)
    throw new Fault('INSUFFICIENT_SCOPE', `A key cannot administer one with a scope that it lacks itself: ${beyond}.`);
}

/**
 * The globals of the script, hardened: once set they can be neither replaced nor altered. If another script took the names first, nothing
 * is set, and an event on the document reports it.
 */
import type { VerifyHumanGlobal, VHGlobal } from './api.js';
import { IntegrityError } from './errors.js';

/** Marks globals of this SDK, so that a second copy of the script leaves the first one's in place. */
const brand = Symbol.for('verifyhuman.sdk');

export interface Globals {
  readonly VH: VHGlobal;
  readonly VerifyHuman: VerifyHumanGlobal;
}

/** True where the globals were set now, false where this SDK had set them before. Throws an IntegrityError, and dispatches it. */
export function hardenGlobals(scope: object, globals: Globals, document: EventTarget): boolean {
  const names = Object.keys(globals) as (keyof Globals)[];
  if (names.every((name) => isOurs(scope, name))) return false;
  for (const name of names) {
    if (Object.getOwnPropertyDescriptor(scope, name) === undefined) continue;
    const detail = new IntegrityError(name);
    document.dispatchEvent(new CustomEvent('vh:integrity-error', { bubbles: true, detail }));
    throw detail;
  }
  for (const name of names) {
    const value = Object.freeze(Object.assign(globals[name], { [brand]: true }));
    Object.defineProperty(scope, name, { value, enumerable: true, writable: false, configurable: false });
  }
  return true;
}

function isOurs(scope: object, name: string): boolean {
  const found = Object.getOwnPropertyDescriptor(scope, name);
  const value = found?.value as Record<symbol, unknown> | undefined;
  return found?.writable === false && found.configurable === false && value?.[brand] === true;
}

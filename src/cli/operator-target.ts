/**
 * Finds the target of an operator’s command: named before any write, and never guessed. Without a service, the environment has to name the
 * database and the master key.
 */
import { join, resolve } from 'node:path';
import { knownMasterKey } from '../administration/master-keys.js';
import type { Settings } from '../config/settings.js';

/** Throws where there is none: a key made here would be another one than the service's. */
export function operatorMasterKey(settings: Settings): Uint8Array {
  const key = knownMasterKey(settings);
  if (key !== null) return key;
  throw new Error(
    `The master key is missing: ${join(settings.VH_DATA_DIR, 'master.key')} does not exist. Set VH_MASTER_KEY or VH_DATA_DIR as for the service.`,
  );
}

/** Names the database that a command opens by itself, without user or password. Throws where nothing in the environment names it. */
export function describeDatabase(
  { DATABASE_URL, VH_DATA_DIR }: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (DATABASE_URL !== null) {
    const { host, pathname } = new URL(DATABASE_URL);
    return `the database ${pathname.slice(1)} at ${host}`;
  }
  if ((environment['VH_DATA_DIR'] ?? '') !== '') return `the embedded database in ${resolve(VH_DATA_DIR)}`;
  throw new Error(
    `No database is set and no service answers. Set DATABASE_URL or VH_DATA_DIR=${VH_DATA_DIR}, or start the service.`,
  );
}

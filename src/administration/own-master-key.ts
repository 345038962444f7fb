/**
 * The master key that a process was given: by its setting, else as `master.key` in the data directory. In development and staging one is
 * made there where there is none; in production that would be a key that nobody keeps, and the start is refused.
 */
import { join } from 'node:path';
import { SettingError } from '../config/read.js';
import type { Settings } from '../config/settings.js';
import { loadMasterKey, readMasterKey } from '../crypto/master-key.js';

type KeySettings = Pick<Settings, 'VH_MASTER_KEY' | 'VH_DATA_DIR' | 'VH_ENV'>;

/** Throws a SettingError in production where there is none. */
export function ownMasterKey({ VH_MASTER_KEY, VH_DATA_DIR, VH_ENV }: KeySettings): Uint8Array {
  if (VH_MASTER_KEY !== null) return VH_MASTER_KEY;
  if (VH_ENV !== 'production') return loadMasterKey(VH_DATA_DIR);
  const known = readMasterKey(VH_DATA_DIR);
  if (known !== null) return known;
  throw new SettingError(
    'VH_MASTER_KEY',
    `is not set and there is no ${join(VH_DATA_DIR, 'master.key')}: production makes none by itself. Make one with "openssl rand -base64 32", keep it safe, and give the same one to all instances`,
  );
}

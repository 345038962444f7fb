/**
 * The master keys of an installation, and whether they are those that its database was written under.
 *
 * The database holds a check value of each key that it was written under, in order. A key that it does not know is admitted, as the next
 * one, only where all that came before are at hand for reading; anything else stops the start, because references would not match,
 * signatures not verify and secrets not open. References derive from the first key for good.
 *
 *     first key ──VH_MASTER_KEY changed, the old one in VH_MASTER_KEYS_KEPT──▶ next key ──▶ ...
 */
import { join } from 'node:path';
import { deriveKey, loadMasterKey, readMasterKey } from '../crypto/master-key.js';
import type { Database } from '../stores/database/port.js';
import { SettingError } from '../config/read.js';
import type { Settings } from '../config/settings.js';

export interface MasterKeys {
  /** Seals and signs what is new; tokens and commands are good under this one alone. */
  readonly current: Uint8Array;
  /** Opens and verifies what is stored, the current one first. */
  readonly readable: readonly Uint8Array[];
  /** References to identities derive from this key, the key of the installation's first start. */
  readonly first: Uint8Array;
}

export interface GivenKeys {
  readonly current: Uint8Array;
  /** For reading only, in any order. */
  readonly kept: readonly Uint8Array[];
}

const checkDigits = 16;

/** Names a key without revealing any of it. */
export const checkValueOf = (masterKey: Uint8Array): string =>
  deriveKey(masterKey, 'check-value').toString('hex').slice(0, checkDigits);

/** Holds the keys against the database and notes a new current one. Throws, with a sentence for the operator, where they are not its keys. */
export async function admitMasterKeys(database: Database, keys: GivenKeys): Promise<MasterKeys> {
  const { given, own, arrange } = namesOf(keys);
  const noted = await readCheckValues(database, given, own);
  if (noted.includes(own)) return arrange(noted);
  return database.transaction(async (tx) => {
    await tx.query('LOCK TABLE master_keys IN EXCLUSIVE MODE');
    const before = await readCheckValues(tx, given, own);
    if (!before.includes(own)) await tx.query('INSERT INTO master_keys (check_value) VALUES ($1)', [own]);
    return arrange(before);
  });
}

/** For a start, before anything is written or taken. Rejects as admitting does; a database without keys refuses none. */
export async function refuseOtherMasterKeys(database: Pick<Database, 'query'>, keys: GivenKeys): Promise<void> {
  const [table] = await database.query<{ there: boolean }>(`SELECT to_regclass('master_keys') IS NOT NULL AS there`);
  if (table?.there === true) await checkMasterKeys(database, keys);
}

/** The same for an operator's command, which notes nothing: a key becomes the database's own by the start of a service. */
export async function checkMasterKeys(database: Pick<Database, 'query'>, keys: GivenKeys): Promise<MasterKeys> {
  const { given, own, arrange } = namesOf(keys);
  return arrange(await readCheckValues(database, given, own));
}

/** Keys by their check values, and how they are arranged once it is known which came first. */
function namesOf({ current, kept }: GivenKeys) {
  const readable = [current, ...kept];
  const given: ReadonlyMap<string, Uint8Array> = new Map(readable.map((key) => [checkValueOf(key), key]));
  const own = checkValueOf(current);
  const arrange = (noted: readonly string[]): MasterKeys => ({
    current,
    readable,
    first: given.get(noted[0] ?? own) ?? current,
  });
  return { given, own, arrange };
}

async function readCheckValues(
  database: Pick<Database, 'query'>,
  given: ReadonlyMap<string, Uint8Array>,
  own: string,
): Promise<readonly string[]> {
  const rows = await database.query<{ check_value: string; admitted_at: Date }>(
    'SELECT check_value, admitted_at FROM master_keys ORDER BY generation',
  );
  const absent = rows.filter((row) => !given.has(row.check_value));
  if (absent.length > 0) {
    const named = absent.map((row) => `${row.check_value} (since ${row.admitted_at.toISOString()})`).join(', ');
    throw new Error(
      `VH_MASTER_KEY does not match this database: its check value is ${own}, the database has ${named}. ` +
        'Use the key of the other instances. To change it, keep the old one in VH_MASTER_KEYS_KEPT.',
    );
  }
  return rows.map((row) => row.check_value);
}

type KeySettings = Pick<Settings, 'VH_MASTER_KEY' | 'VH_DATA_DIR' | 'VH_ENV'>;

/** The setting, else `master.key` in the data directory; null where there is none. */
export const knownMasterKey = ({
  VH_MASTER_KEY,
  VH_DATA_DIR,
}: Pick<Settings, 'VH_MASTER_KEY' | 'VH_DATA_DIR'>): Uint8Array | null => VH_MASTER_KEY ?? readMasterKey(VH_DATA_DIR);

/** The master key of this process: the setting, else `master.key` in the data directory, which production does not create. */
export function ownMasterKey({ VH_MASTER_KEY, VH_DATA_DIR, VH_ENV }: KeySettings): Uint8Array {
  const known = knownMasterKey({ VH_MASTER_KEY, VH_DATA_DIR });
  if (known !== null) return known;
  if (VH_ENV !== 'production') return loadMasterKey(VH_DATA_DIR);
  throw new SettingError(
    'VH_MASTER_KEY',
    `is not set and ${join(VH_DATA_DIR, 'master.key')} does not exist. Create one with "openssl rand -base64 32" and set it on all instances`,
  );
}

/**
 * Where an address is and whose network it belongs to, read from MMDB files in memory.
 * Promises: `look` is synchronous, never throws, and answers null for whatever is not known. A configured file that is missing
 * or broken at start is an error that names the setting. Files are looked at again every `reloadSeconds`; a file that has become
 * missing or broken is logged once and the one in memory serves on.
 */
import { stat } from 'node:fs/promises';
import { open, type Reader, type Response } from 'maxmind';
import type { NetworkClass } from '../../contract/facts.js';
import type { Address } from '../../net/address.js';
import { classifyNetwork } from './network-class.js';

export interface Place {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string | null;
  readonly asn: number | null;
  /** Who the ASN is registered to. */
  readonly organization: string | null;
  readonly network: NetworkClass | null;
}

export interface GeographySettings {
  /** GEOIP_COUNTRY_DB. */
  readonly countryDbPath: string | null;
  /** GEOIP_ASN_DB. */
  readonly asnDbPath: string | null;
  /** GEOIP_ANONYMOUS_DB: a database in the layout of GeoIP2 Anonymous IP. */
  readonly anonymousDbPath?: string | null;
  /** How often the files are checked for a change. Default 60. */
  readonly reloadSeconds?: number;
  readonly logger?: { warn(details: object, message: string): void; info(details: object, message: string): void };
}

export interface GeographyAvailability {
  readonly country: boolean;
  readonly network: boolean;
}

export interface Geography {
  /** What can be looked up; of the rest every result is null for want of a file. */
  readonly available: GeographyAvailability;
  look(address: Address): Place;
  /** When what each file says was put together, milliseconds since 1970, by its setting. */
  builtAt(): Readonly<Record<string, number>>;
  /** Checks the files now; the timer calls it too. Never rejects. */
  reload(): Promise<void>;
  /** Stops checking. What is in memory still answers. */
  close(): void;
}

type Database = Reader<Response>;

interface WatchedFile {
  readonly setting: string;
  readonly path: string;
  database: Database;
  /** Which version of the file was last looked at, whether it could be read or not. */
  seen: string;
}

const nowhere: Place = { country: null, asn: null, organization: null, network: null };

/** Opens the configured files. Rejects with an error naming the setting of a file that cannot be read. */
export async function openGeography(settings: GeographySettings): Promise<Geography> {
  const { logger, reloadSeconds = 60 } = settings;
  const [country, asn, anonymous] = await Promise.all([
    watch('GEOIP_COUNTRY_DB', settings.countryDbPath),
    watch('GEOIP_ASN_DB', settings.asnDbPath),
    watch('GEOIP_ANONYMOUS_DB', settings.anonymousDbPath ?? null),
  ]);
  const files = [country, asn, anonymous].filter((file) => file !== null);
  let reloading: Promise<void> | null = null;

  const reloadFile = async (file: WatchedFile): Promise<void> => {
    const { setting, path } = file;
    const seen = await identify(path).catch(() => 'missing');
    if (seen === file.seen) return;
    file.seen = seen;
    try {
      file.database = await load(path);
      logger?.info({ setting, path }, 'geography: a changed file was loaded');
    } catch (cause) {
      logger?.warn(
        { setting, path, err: cause },
        'geography: a changed file cannot be read; the earlier one serves on',
      );
    }
  };

  const reload = (): Promise<void> => {
    // One round at a time: a slow disk must not pile up reads of large files.
    reloading ??= Promise.all(files.map(reloadFile)).then(() => {
      reloading = null;
    });
    return reloading;
  };

  const timer = files.length > 0 ? setInterval(() => void reload(), reloadSeconds * 1_000).unref() : undefined;

  return {
    available: { country: country !== null, network: asn !== null },
    look(address) {
      if (address.range !== 'public') return nowhere;
      const network = readNetwork(find(asn, address));
      const { anonymous: hidden, hosting } = readAnonymity(find(anonymous, address));
      return {
        country: readCountry(find(country, address)),
        network: classifyNetwork({ anonymous: hidden, hosting, ...network }),
        // Last: what is spread first and added to is made eighty times slower.
        ...network,
      };
    },
    builtAt: () => Object.fromEntries(files.map((file) => [file.setting, file.database.metadata.buildEpoch.getTime()])),
    reload,
    close: () => clearInterval(timer),
  };
}

async function watch(setting: string, path: string | null): Promise<WatchedFile | null> {
  if (path === null) return null;
  try {
    const seen = await identify(path);
    return { setting, path, seen, database: await load(path) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${setting} names ${path}, which cannot be read as an MMDB file: ${reason}`, { cause });
  }
}

async function identify(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path);
  return `${mtimeMs}:${size}:${ino}`;
}

async function load(path: string): Promise<Database> {
  const database = await open<Response>(path, { cache: { max: 10_000 } });
  const { nodeCount, ipVersion } = database.metadata;
  if (!Number.isInteger(nodeCount) || nodeCount < 1 || (ipVersion !== 4 && ipVersion !== 6))
    throw new Error('its metadata is not valid');
  // Walking the tree finds a file whose tail is whole and whose middle is not.
  for (const probe of [
    '1.1.1.1',
    '8.8.8.8',
    '192.0.2.1',
    '223.255.255.255',
    ...(ipVersion === 6 ? ['2001:4860:4860::8888', '2a00::1'] : []),
  ]) {
    database.get(probe);
  }
  return database;
}

/** The record as it stands in the file. A file of IPv4 alone would answer nonsense for IPv6, so it is not asked. */
function find(file: WatchedFile | null, address: Address): Readonly<Record<string, unknown>> | null {
  if (file === null || (address.family === 6 && file.database.metadata.ipVersion === 4)) return null;
  try {
    return asRecord(file.database.get(address.text));
  } catch {
    // A damaged record; the rest of the file is still good.
    return null;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
}

/** `country.iso_code` as MaxMind and DB-IP write it, or `country_code` as IPinfo does. */
function readCountry(record: Readonly<Record<string, unknown>> | null): string | null {
  const code = asRecord(record?.country)?.iso_code ?? record?.country_code;
  return typeof code === 'string' && /^[A-Za-z]{2}$/.test(code) ? code.toUpperCase() : null;
}

/** `autonomous_system_number` and `autonomous_system_organization`, or IPinfo’s `asn: "AS64500"` and `as_name`. */
function readNetwork(record: Readonly<Record<string, unknown>> | null): {
  asn: number | null;
  organization: string | null;
} {
  const number =
    record?.autonomous_system_number ?? /^AS(\d{1,10})$/.exec(typeof record?.asn === 'string' ? record.asn : '')?.[1];
  const organization = record?.autonomous_system_organization ?? record?.as_name;
  const asn = number === undefined ? null : Number(number);
  return {
    asn: asn !== null && Number.isInteger(asn) && asn > 0 ? asn : null,
    organization: typeof organization === 'string' && organization !== '' ? organization : null,
  };
}

/** The flag `is_anonymous` is set for hosting too, so the narrower ones decide. */
function readAnonymity(record: Readonly<Record<string, unknown>> | null): { anonymous: boolean; hosting: boolean } {
  const flags = ['is_anonymous_vpn', 'is_public_proxy', 'is_residential_proxy', 'is_tor_exit_node'];
  return { anonymous: flags.some((flag) => record?.[flag] === true), hosting: record?.is_hosting_provider === true };
}

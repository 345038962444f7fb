/**
 * Finds the country and the network of an address, read from MMDB files in memory.
 * Promises: `look` is synchronous, never throws, and answers null for whatever is not known. A configured file that is missing
 * or broken at start is an error that names the setting. Files are looked at again every `reloadSeconds`; a file that has become
 * missing or broken is logged once and the one in memory serves on.
 */
import { readLocatedCountry } from '../../contract/country.js';
import type { NetworkClass, Relay } from '../../contract/facts.js';
import type { Address } from '../../net/address.js';
import { loadAddressList, type AddressList } from './address-list.js';
import { identify, loadMmdb, openFile, type Database, type WatchedFile } from './watched-file.js';

export interface GeoLocation {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string | null;
  readonly asn: number | null;
  /** The organization that registered the ASN. */
  readonly organization: string | null;
  readonly network: NetworkClass | null;
  readonly relay?: Relay;
}

export interface GeographySettings {
  /** GEOIP_COUNTRY_DB. */
  readonly countryDbPath: string | null;
  /** GEOIP_ASN_DB. */
  readonly asnDbPath: string | null;
  /** GEOIP_ANONYMOUS_DB: a database in the layout of GeoIP2 Anonymous IP. */
  readonly anonymousDbPath?: string | null;
  /** GEOIP_TOR_LIST and GEOIP_PROXY_LIST: addresses of Tor exits, and of homes that proxies rent. */
  readonly torListPath?: string | null;
  readonly proxyListPath?: string | null;
  /** How often the files are checked for a change. Default 60. */
  readonly reloadSeconds?: number;
  readonly logger?: { warn(details: object, message: string): void; info(details: object, message: string): void };
}

export interface GeographyAvailability {
  readonly country: boolean;
  readonly network: boolean;
}

export interface Geography {
  /** The available lookups; without a file, every result is null. */
  readonly available: GeographyAvailability;
  locate(address: Address): GeoLocation;
  /** When what each file says was put together, milliseconds since 1970, by its setting. */
  builtAt(): Readonly<Record<string, number>>;
  /** Checks the files now; the timer calls it too. Never rejects. */
  reload(): Promise<void>;
  /** Stops checking. The files in memory still answer. */
  close(): void;
}

const unknownLocation: GeoLocation = { country: null, asn: null, organization: null, network: null };

/** Opens the configured files. Rejects with an error naming the setting of a file that cannot be read. */
export async function openGeography(settings: GeographySettings): Promise<Geography> {
  const { logger, reloadSeconds = 60 } = settings;
  const openMmdb = (setting: string, path: string | null = null) => openFile(setting, path, 'an MMDB file', loadMmdb);
  const openList = (setting: string, path: string | null = null) =>
    openFile(setting, path, 'a list of addresses', loadAddressList);
  const [country, asn, anonymous, tor, proxies] = await Promise.all([
    openMmdb('GEOIP_COUNTRY_DB', settings.countryDbPath),
    openMmdb('GEOIP_ASN_DB', settings.asnDbPath),
    openMmdb('GEOIP_ANONYMOUS_DB', settings.anonymousDbPath),
    openList('GEOIP_TOR_LIST', settings.torListPath),
    openList('GEOIP_PROXY_LIST', settings.proxyListPath),
  ]);
  const databases = [country, asn, anonymous].filter((file) => file !== null);
  const lists = [tor, proxies].filter((file) => file !== null);
  let reloading: Promise<void> | null = null;

  const reloadFile = async <T>(file: WatchedFile<T>): Promise<void> => {
    const { setting, path } = file;
    const seen = await identify(path).catch(() => 'missing');
    if (seen === file.seen) return;
    file.seen = seen;
    try {
      file.content = await file.load(path);
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
    reloading ??= Promise.all([...databases.map(reloadFile), ...lists.map(reloadFile)]).then(() => {
      reloading = null;
    });
    return reloading;
  };

  const timer =
    databases.length + lists.length > 0 ? setInterval(() => void reload(), reloadSeconds * 1_000).unref() : undefined;

  return {
    available: { country: country !== null, network: asn !== null },
    locate(address) {
      if (address.range !== 'public') return unknownLocation;
      const network = readNetwork(find(asn, address));
      const { anonymous: hidden, hosting, relay: flagged } = readAnonymity(find(anonymous, address));
      const relay = findRelay(tor, proxies, address) ?? flagged;
      return {
        country: readCountry(find(country, address)),
        network: classifyNetwork({ anonymous: hidden || relay !== null, hosting, ...network }),
        ...(relay !== null && { relay }),
        // Spread last: spreading first is 80 times slower in V8.
        ...network,
      };
    },
    builtAt: () =>
      Object.fromEntries(databases.map((file) => [file.setting, file.content.metadata.buildEpoch.getTime()])),
    reload,
    close: () => clearInterval(timer),
  };
}

function findRelay(
  tor: WatchedFile<AddressList> | null,
  proxies: WatchedFile<AddressList> | null,
  address: Address,
): Relay | null {
  if (tor?.content.has(address) === true) return 'tor';
  return proxies?.content.has(address) === true ? 'residential_proxy' : null;
}

/** The record as it stands in the file. A file of IPv4 alone would answer nonsense for IPv6, so it is not asked. */
function find(file: WatchedFile<Database> | null, address: Address): Readonly<Record<string, unknown>> | null {
  if (file === null || (address.family === 6 && file.content.metadata.ipVersion === 4)) return null;
  try {
    return asRecord(file.content.get(address.text));
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
  return typeof code === 'string' ? readLocatedCountry(code) : null;
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
function readAnonymity(record: Readonly<Record<string, unknown>> | null): {
  readonly anonymous: boolean;
  readonly hosting: boolean;
  readonly relay: Relay | null;
} {
  const is = (flag: string): boolean => record?.[flag] === true;
  const proxy = is('is_residential_proxy') ? 'residential_proxy' : null;
  const relay = is('is_tor_exit_node') ? 'tor' : proxy;
  return {
    anonymous: relay !== null || is('is_anonymous_vpn') || is('is_public_proxy'),
    hosting: is('is_hosting_provider'),
    relay,
  };
}

export interface NetworkClues {
  readonly asn: number | null;
  readonly organization: string | null;
  /** The address is a VPN, proxy, relay or Tor exit according to an anonymizer database. */
  readonly anonymous: boolean;
  /** The address belongs to a hosting provider according to an anonymizer database. */
  readonly hosting?: boolean;
}

/** Networks whose organization names say too little or mislead. Those that carry home lines and phones alike stand under residential. */
const asnsByClass: Readonly<Record<NetworkClass, readonly number[]>> = {
  // Relay egress (iCloud Private Relay, WARP) leaves through the networks of Cloudflare, Fastly and Akamai; NordVPN, Mullvad, Proton, Tor exits.
  anonymous: [13335, 54113, 36183, 147049, 207137, 39351, 62371, 60729],
  // Amazon, Google Cloud, Azure, DigitalOcean, OVH, Hetzner, Akamai Connected Cloud, Vultr, Oracle, Alibaba, Tencent, Scaleway,
  // Contabo, Leaseweb, HostPapa, M247, BuyVM, Hivelocity, IONOS, GoDaddy, Datacamp.
  hosting: [
    16509, 14618, 396982, 8075, 14061, 16276, 24940, 213230, 63949, 20473, 31898, 45102, 37963, 132203, 45090, 12876,
    51167, 60781, 30633, 36352, 9009, 53667, 29802, 8560, 26496, 212238, 60068,
  ],
  // T-Mobile US, Verizon Wireless, AT&T Mobility, EE, Three UK, Jio, Airtel mobile, Vi, Free Mobile, Turkcell, Vodafone TR, MTN NG,
  // Safaricom, MTN ZA, Vodacom, NTT Docomo, SK Telecom, TIM Brasil, Claro mobile.
  mobile: [
    21928, 22394, 6167, 20057, 12576, 206067, 55836, 45609, 38266, 51207, 16135, 15897, 29465, 33771, 16637, 29975,
    9605, 9644, 26615, 22085,
  ],
  // Research networks of the UK, DE, FR, IT, ES, NL, US, ZA, BR, AU, JP, CN, SE, NO, FI, CH, AT, BE, GR.
  education: [
    786, 680, 2200, 137, 766, 1103, 11537, 2018, 1916, 7575, 2907, 4538, 1653, 224, 1741, 559, 1853, 2611, 5408,
  ],
  // Gateways that people at work browse through: Zscaler, Netskope, Cisco Umbrella, Prisma Access.
  business: [22616, 62044, 53813, 55256, 36692, 54538],
  // Large access networks whose registered name is an abbreviation.
  residential: [
    7922, 7018, 701, 20115, 20001, 11351, 11426, 11427, 10796, 12271, 33363, 22773, 3320, 3209, 6805, 3215, 12322,
    15557, 5410, 2856, 5089, 5607, 13285, 3269, 30722, 1267, 3352, 12479, 12430, 577, 812, 852, 6327, 1221, 7545, 4713,
    17676, 2516, 4766, 3786, 9318, 4134, 4837, 9829, 24560, 8151, 28573, 27699, 18881, 9121, 8402, 12389, 3301, 2119,
    6830, 33915, 1136, 5617,
  ],
};

/** Words in an organization’s name, tried in this order; the first that fits decides. */
const keywords: readonly (readonly [NetworkClass, RegExp])[] = [
  ['anonymous', /\b(?:\w*vpn|prox(?:y|ies)|tor exit|torservers|mullvad|windscribe|private internet access)\b/],
  [
    'education',
    /\b(?:universi\w+|college|schools?|school district|academic|polytechnic|institute of technology|education(?:al)? network|research (?:and education )?network)\b/,
  ],
  ['mobile', /\b(?:mobile|mobility|cellular|cellco|verizon wireless|gsm)\b/],
  [
    'residential',
    /\b(?:telecom\w*|broadband|cable\w*|fib(?:er|re)\w*|a?dsl|internet services?|internet provider|isp|communications|telephone|telefonica|telco|wireless|kabel\w*)\b/,
  ],
  [
    'hosting',
    /\b(?:web ?host\w*|host(?:ing\w*|inger|gator|europe|wind)|data ?cent(?:er|re)s?|cloud\w*|vps|colo(?:cation)?|dedicated servers?|virtual servers?|servers|hetzner|ovh|leaseweb|digitalocean|linode|vultr|contabo)\b/,
  ],
  [
    'business',
    /\b(?:bank|insurance|hospital|ministry|government|municipality|city of|county of|department of|pharma\w*|airlines?)\b/,
  ],
];

/** Longest organization name that is looked at, in characters. */
const organizationLengthMax = 256;

const classByAsn: ReadonlyMap<number, NetworkClass> = new Map(
  (Object.keys(asnsByClass) as NetworkClass[]).flatMap((name) => asnsByClass[name].map((asn) => [asn, name] as const)),
);

/**
 * The kind of network behind an address, from its ASN, the ASN’s organization and an anonymizer database. Conservative: what fits no list and no
 * keyword is null, because a wrong class would change which thresholds an honest respondent is held to. docs/how-to/add-address-databases.md has the order.
 */
export function classifyNetwork({ asn, organization, anonymous, hosting = false }: NetworkClues): NetworkClass | null {
  if (anonymous) return 'anonymous';
  const listed = asn === null ? undefined : classByAsn.get(asn);
  if (listed !== undefined) return listed;
  if (hosting) return 'hosting';
  if (organization === null) return null;
  const name = organization
    .slice(0, organizationLengthMax)
    .toLowerCase()
    .replace(/[-_.,/]+/g, ' ');
  return keywords.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

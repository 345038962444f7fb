/** Checks of the settings and the machine: pure, of facts that were read before. */
import type { Settings } from '../../config/settings.js';
import { failed, ok, warning, type Finding } from './finding.js';

export interface Machine {
  readonly nodeVersion: string;
  /** Free bytes where the data directory is; null: it could not be read. */
  readonly freeBytes: number | null;
  /** Whether this user may write to the data directory, or make it. */
  readonly canWrite: boolean;
  /** The file that holds the master key, with its permission bits; null: there is none. */
  readonly masterKeyFile: { readonly path: string; readonly mode: number } | null;
  /** Age of a file in days; null: it is not there. */
  readonly fileDays: (path: string) => number | null;
}

/** Address databases are published twice a week. */
const addressDaysMax = 45;
const othersMayRead = 0o077;
const ownHosts = /^(localhost|127\.|\[?::1)/;

export function checkSettings(settings: Settings, machine: Machine): readonly Finding[] {
  return [
    checkNode(machine),
    ...checkEnvironment(settings),
    ...checkStoreAddresses(settings),
    checkProxies(settings),
    ...checkAddressFiles(settings, machine),
    checkDrain(settings),
    checkSignIn(settings),
    checkContact(settings),
    checkKeyFile(settings, machine),
    ...checkKey(settings),
    checkAdminHost(settings),
    checkDisk(settings, machine),
  ];
}

function checkNode({ nodeVersion }: Machine): Finding {
  const major = Number.parseInt(nodeVersion, 10);
  return major >= 24
    ? ok('node', `Node.js ${nodeVersion}.`)
    : warning('node', `Node.js ${nodeVersion}. The service is fastest on 24.`);
}

function checkEnvironment({ VH_ENV, VH_SITE_URL }: Settings): Finding[] {
  const environment =
    VH_ENV === 'production'
      ? ok('environment', 'VH_ENV is production.')
      : warning('environment', `VH_ENV is ${VH_ENV}. Set it to production before real respondents come.`);
  if (VH_SITE_URL === null)
    return [environment, warning('site', 'VH_SITE_URL is not set. Tokens and links name it: set the public address.')];
  const { protocol, hostname } = new URL(VH_SITE_URL);
  if (ownHosts.test(hostname))
    return [environment, warning('site', `VH_SITE_URL is ${VH_SITE_URL}, which only this machine reaches.`)];
  if (protocol !== 'https:')
    return [
      environment,
      failed('site', `VH_SITE_URL is ${VH_SITE_URL}. Cameras and cookies need HTTPS: end TLS at a proxy.`),
    ];
  return [environment, ok('site', `VH_SITE_URL is ${VH_SITE_URL}.`)];
}

function checkStoreAddresses(settings: Settings): Finding[] {
  const { DATABASE_URL, REDIS_URL, KAFKA_BROKERS, KAFKA_TLS } = settings;
  const stores = [
    ['database', 'DATABASE_URL', DATABASE_URL, DATABASE_URL !== null && /sslmode=(require|verify)/.test(DATABASE_URL)],
    ['counters', 'REDIS_URL', REDIS_URL, REDIS_URL?.startsWith('rediss') === true],
    ['log', 'KAFKA_BROKERS', KAFKA_BROKERS?.join() ?? null, KAFKA_TLS],
  ] as const;
  return stores.map(([check, name, address, isEncrypted]) => {
    if (address === null)
      return warning(check, `${name} is not set: an embedded store, for one process. Set it in production.`);
    const hosts = address.replace(/^[a-z+]+:\/\/(.*@)?/, '').split(',');
    if (!isEncrypted && !hosts.every((host) => ownHosts.test(host)))
      return warning(check, `${name} leads to another machine without TLS. Use TLS, unless that network is private.`);
    return ok(check, `${name} is set.`);
  });
}

function checkProxies({ VH_TRUSTED_PROXIES, VH_ENV }: Settings): Finding {
  if (VH_TRUSTED_PROXIES.length > 0) return ok('proxies', 'VH_TRUSTED_PROXIES is set.');
  const text =
    'VH_TRUSTED_PROXIES is not set: behind a proxy, all respondents have its address. Set it, unless there is none.';
  return VH_ENV === 'production' ? warning('proxies', text) : ok('proxies', 'No proxy is trusted.');
}

/** The first two say what the network axis measures at all. */
const addressSettings = [
  'GEOIP_COUNTRY_DB',
  'GEOIP_ASN_DB',
  'GEOIP_ANONYMOUS_DB',
  'GEOIP_TOR_LIST',
  'GEOIP_PROXY_LIST',
] as const;

function checkAddressFiles(settings: Settings, { fileDays }: Machine): Finding[] {
  return addressSettings.flatMap((name, place) => {
    const path = settings[name];
    if (path === null)
      return place < 2
        ? [warning('addresses', `${name} is not set, so the network axis is not measured. Add the file.`)]
        : [];
    const days = fileDays(path);
    if (days === null) return [failed('addresses', `${name} names ${path}, which does not exist.`)];
    return days > addressDaysMax
      ? [warning('addresses', `${path} is ${Math.round(days)} days old. Replace it with a newer one.`)]
      : [ok('addresses', `${name} is ${Math.round(days)} days old.`)];
  });
}

function checkDrain({ VH_DRAIN_SECONDS, VH_ROLES }: Settings): Finding {
  return VH_DRAIN_SECONDS === 0 && VH_ROLES.includes('api')
    ? warning(
        'restarts',
        'VH_DRAIN_SECONDS is 0: calls can fail while a process is replaced. Set 3 or more behind a balancer.',
      )
    : ok('restarts', `Calls are answered for ${VH_DRAIN_SECONDS} s after SIGTERM.`);
}

function checkSignIn({ VH_OIDC_ISSUER, DATABASE_URL }: Settings): Finding {
  return VH_OIDC_ISSUER === null && DATABASE_URL !== null
    ? warning('console', 'VH_OIDC_ISSUER is not set, so nobody can sign in to the console.')
    : ok(
        'console',
        VH_OIDC_ISSUER === null ? 'npm run console prints a link to sign in.' : `People sign in at ${VH_OIDC_ISSUER}.`,
      );
}

function checkContact({ VH_SECURITY_CONTACT, VH_ENV }: Settings): Finding {
  return VH_SECURITY_CONTACT === null && VH_ENV === 'production'
    ? warning(
        'security',
        'VH_SECURITY_CONTACT is not set, so /.well-known/security.txt is 404. Set an address for reports of vulnerabilities.',
      )
    : ok(
        'security',
        VH_SECURITY_CONTACT === null ? 'No contact is needed here.' : `Reports go to ${VH_SECURITY_CONTACT}.`,
      );
}

function checkKeyFile({ VH_MASTER_KEY, VH_ENV }: Settings, { masterKeyFile: file }: Machine): Finding {
  if (file !== null && (file.mode & othersMayRead) !== 0)
    return VH_MASTER_KEY === null
      ? failed('master key', `Others can read ${file.path}. Run chmod 600 on it, and rotate the key.`)
      : warning('master key', `Others can read ${file.path}. Run chmod 600 on it, unless only this process sees it.`);
  if (VH_MASTER_KEY === null && file === null)
    return VH_ENV === 'production'
      ? failed('master key', 'VH_MASTER_KEY is not set and there is no master.key. Set it as for the other processes.')
      : warning(
          'master key',
          'VH_MASTER_KEY is not set and there is no master.key. The first start makes one: back it up.',
        );
  return ok('master key', file === null ? 'VH_MASTER_KEY is set.' : `${file.path} is readable by its owner alone.`);
}

/** Fewer different values among 32 random bytes, or among the steps between them, come once in 10^12 keys. */
const differentMin = 20;

function checkKey({ VH_MASTER_KEY: key }: Settings): Finding[] {
  if (key === null) return [];
  const steps = key.map((byte, index) => byte - (key[index - 1] ?? 0)).slice(1);
  const isGuessable =
    new Set(key).size < differentMin || new Set(steps).size < differentMin || key.every((byte) => byte < 128);
  return isGuessable
    ? [
        warning(
          'master key',
          'VH_MASTER_KEY does not look random. Make one with `openssl rand -base64 32`, and rotate to it.',
        ),
      ]
    : [];
}

function checkAdminHost({ ADMIN_HOST, HOST }: Settings): Finding {
  const host = ADMIN_HOST ?? HOST;
  return ownHosts.test(host)
    ? ok('admin port', `Only this machine reaches the admin port, on ${host}.`)
    : warning(
        'admin port',
        `The admin port listens on ${host}. Let only your monitoring and operators reach it, or set ADMIN_HOST to 127.0.0.1.`,
      );
}

function checkDisk({ VH_DATA_DIR, VH_SPOOL_BYTES_MAX }: Settings, { freeBytes, canWrite }: Machine): Finding {
  const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
  if (!canWrite)
    return failed(
      'disk',
      `${VH_DATA_DIR} is not a directory that this user may write. Grant access, or set VH_DATA_DIR to another.`,
    );
  if (freeBytes === null) return warning('disk', `${VH_DATA_DIR} does not exist yet.`);
  return freeBytes < VH_SPOOL_BYTES_MAX
    ? warning(
        'disk',
        `${VH_DATA_DIR} has ${megabytes(freeBytes)} MB left, and the spool may take ${megabytes(VH_SPOOL_BYTES_MAX)} MB.`,
      )
    : ok('disk', `${VH_DATA_DIR} has ${megabytes(freeBytes)} MB left.`);
}

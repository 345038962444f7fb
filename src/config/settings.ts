/** Every setting, in one table: the reader of the environment, the type and docs/reference/settings.md derive from it. */
import { reversalWindowDays } from '../limits.js';
import type { Network } from '../net/forwarding.js';
import {
  brokers,
  contact,
  integer,
  masterKey,
  masterKeys,
  networks,
  onOff,
  oneOf,
  redisUrl,
  serverUrl,
  someOf,
  text,
  topicPrefix,
  url,
  waits,
} from './values.js';

export const environments = ['development', 'staging', 'production'] as const;
export type Environment = (typeof environments)[number];

export const roles = ['api', 'consumers', 'audience'] as const;
export type Role = (typeof roles)[number];

interface Setting<T> {
  /** The value of an absent variable; undefined if absence itself has a meaning. */
  readonly fallback: T;
  readonly parse: (text: string) => T;
  readonly meaning: string;
  /** How the default reads in the documentation. */
  readonly shown?: string;
}

const setting = <T>(fallback: T, parse: (text: string) => T, meaning: string, shown?: string): Setting<T> => ({
  fallback,
  parse,
  meaning,
  ...(shown === undefined ? {} : { shown }),
});
const optional = <T>(parse: (text: string) => T, meaning: string, shown = 'not set'): Setting<T | null> =>
  setting<T | null>(null, parse, meaning, shown);

export const settings = {
  HOST: setting('127.0.0.1', text, 'Address that the listeners bind to.'),
  ADMIN_HOST: optional(text, 'Address that ADMIN_PORT binds to, if different.', 'HOST'),
  PORT: setting(3000, integer(0, 65_535), 'Port of the API, the SDK files and the demo page. 0 takes any free port.'),
  AUDIENCE_PORT: setting(3001, integer(0, 65_535), 'Port of the audience API. 0 takes any free port.'),
  ADMIN_PORT: setting(
    3002,
    integer(0, 65_535),
    'Port of /metrics, /healthz and /readyz; never make it public. 0 takes any free port.',
  ),
  VH_SITE_URL: optional(url, 'Public URL of PORT, if a proxy is in front.', 'http://HOST:PORT'),
  VH_AUDIENCE_URL: optional(
    url,
    'Public URL of the audience API without /v1, if a proxy is in front.',
    'http://HOST:AUDIENCE_PORT',
  ),
  VH_SECURITY_CONTACT: optional(
    contact,
    'Address for reports of vulnerabilities, as `mailto:security@example.com`. /.well-known/security.txt names it, and is 404 without it.',
  ),
  VH_TRUSTED_PROXIES: setting<readonly Network[]>(
    [],
    networks,
    'Addresses or CIDRs of the proxies in front, comma-separated. Only their X-Forwarded-For and Forwarded headers are trusted. The client is the rightmost address that is not listed.',
    'none: the client is the peer',
  ),
  VH_PLACE_MINUTES: setting(120, integer(1, 1_380), 'Minutes until an unreturned place in a study is released.'),
  VH_DATA_DIR: setting(
    './data',
    text,
    'Directory of the embedded stores, the bootstrap file and the generated master key.',
  ),
  VH_ENV: setting<Environment>(
    'development',
    oneOf(environments),
    'Environment: development, staging or production. Staging and production refuse origins without an allow-list entry and have no demo page.',
  ),
  VH_ROLES: setting<readonly Role[]>(
    roles,
    someOf(roles),
    'Roles of this process, comma-separated.',
    'api,consumers,audience',
  ),
  VH_BOOTSTRAP: optional(
    onOff,
    'Creates a demo organization with keys on an empty database.',
    'on in development, else off',
  ),
  VH_MASTER_KEY: optional(
    masterKey,
    'Key that all others derive from: 32 bytes in base64, the same on all instances.',
    'generated as master.key in the data directory; required in production',
  ),
  VH_MASTER_KEYS_KEPT: setting<readonly Uint8Array[]>(
    [],
    masterKeys,
    'Other master keys that can read stored data, comma-separated: all earlier ones and, during a rotation, the next one. See docs/how-to/rotate-keys.md.',
    'none',
  ),
  VH_PUBLIC_PER_MINUTE: setting(
    1_200,
    integer(0, 100_000_000),
    'Sessions per minute, and as many completions, for a project and registered origin pattern. One /24 of IPv4 or /48 of IPv6 gets a quarter. 0 means no limit.',
  ),
  VH_PUBLIC_PER_ADDRESS: setting(
    60,
    integer(0, 1_000_000),
    'Sessions per minute, and as many completions, for one IP address (/64 of IPv6). Reads get ten times as many. Known shared networks get ten times as many. 0 means no limit.',
  ),
  VH_LOG_LEVEL: setting(
    'info',
    oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const),
    'Minimum level of the process log.',
  ),
  VH_ACCESS_LOG: setting(
    false,
    onOff,
    'Logs each request at info: id, method, route, status, key id and milliseconds, without address, path or body.',
    'off',
  ),
  VH_DRAIN_SECONDS: setting(
    0,
    integer(0, 7),
    'Seconds after SIGTERM during which calls are still answered while /trafficz reports the shutdown. Set it longer than the load balancer’s check interval.',
  ),
  VH_POOL_THREADS: optional(integer(1, 64), 'Threads of the scoring pool.', 'cores less one, at least 1'),
  VH_POOL_QUEUE: setting(
    2_048,
    integer(1, 1_000_000),
    'Maximum scoring tasks that wait for a thread. Further calls get 503.',
  ),
  DATABASE_URL: optional(
    serverUrl('postgres', 'postgresql'),
    'PostgreSQL 15 or later; set TLS with sslmode=verify-full. If not set, an embedded database runs in the data directory.',
    'embedded',
  ),
  VH_CACHED_KEYS_MINUTES: setting(
    240,
    integer(1, 525_600),
    'Minutes for which cached keys work while the database is unreachable, even if revoked meanwhile. Later calls get 503.',
  ),
  VH_DATABASE_CONNECTIONS: setting(10, integer(2, 1_000), 'Maximum PostgreSQL connections of this process.'),
  REDIS_URL: optional(
    redisUrl,
    'Redis 7 or later, or Valkey, as redis://, a cluster as redis+cluster://host:port,host:port, or Sentinels as redis+sentinel://host:port,host:port/NAME; for TLS, rediss:// and so on. If not set, counters are kept in memory.',
    'embedded',
  ),
  KAFKA_BROKERS: optional(
    brokers,
    'Kafka brokers as host:port, comma-separated. If not set, the event log is a table of the database.',
    'embedded',
  ),
  KAFKA_TLS: setting(
    false,
    onOff,
    'Uses TLS with the brokers. Set NODE_EXTRA_CA_CERTS for a private authority.',
    'off',
  ),
  KAFKA_SASL_MECHANISM: optional(
    oneOf(['plain', 'scram-sha-256', 'scram-sha-512'] as const),
    'SASL mechanism: plain, scram-sha-256 or scram-sha-512.',
  ),
  KAFKA_SASL_USERNAME: optional(text, 'SASL user name.'),
  KAFKA_SASL_PASSWORD: optional(text, 'SASL password.'),
  KAFKA_TOPIC_PREFIX: setting('verifyhuman.', topicPrefix, 'Prefix of the names of topics and consumer groups.'),
  KAFKA_RETENTION_DAYS: setting(
    14,
    integer(1, 3_650),
    'Retention in days of topics that this service creates. Set it longer than the longest outage of consumers or database. Existing topics are not changed; shorter retention logs a warning.',
  ),
  VH_CONSUMER_TAKEOVER_MS: setting(
    10_000,
    integer(1_000, 300_000),
    'Milliseconds until another consumer takes over from a lost one. Values below 6000 need group.min.session.timeout.ms on the brokers.',
  ),
  VH_RECEIPT_RETENTION_DAYS: setting(
    400,
    integer(reversalWindowDays, 36_500),
    `Days that receipts are kept. Minimum ${reversalWindowDays}, because buyers can reverse a payment for that long.`,
  ),
  VH_UNREADABLE_DAYS: setting(
    30,
    integer(1, 400),
    'Days that unreadable dead letters and files next to the spool are kept. Erasures cannot find them, so they are deleted by age.',
  ),
  VH_OUTCOME_RETENTION_DAYS: setting(
    400,
    integer(1, 36_500),
    'Days that outcomes are kept after they arrive. Their effect on history stays and decays daily.',
  ),
  VH_AUDIT_RETENTION_DAYS: setting(1_096, integer(1, 36_500), 'Days that audit entries are kept.'),
  VH_SESSION_RETENTION_DAYS: setting(
    400,
    integer(1, 36_500),
    'Days that verification sessions, with their faces and devices, are kept after creation.',
  ),
  VH_TOKEN_KEY_DAYS: setting(
    30,
    integer(1, 3_650),
    'Days between rotations of the vh_token key. The next key is published two hours ahead.',
  ),
  VH_WEBHOOK_ALLOW_PRIVATE: setting(
    false,
    onOff,
    'Allows webhooks to plain HTTP, any port and private addresses. Development only.',
    'off',
  ),
  VH_WEBHOOK_BACKOFF_SECONDS: setting<readonly number[]>(
    [5, 30, 300, 1_800],
    waits,
    'Seconds before the second, third, fourth and fifth delivery attempt, each with 10% jitter.',
    '`5,30,300,1800`',
  ),
  VH_WEBHOOK_RETENTION_DAYS: setting(
    30,
    integer(1, 3_650),
    'Days that finished deliveries and their attempts are kept.',
  ),
  VH_SPOOL_BYTES_MAX: setting(
    1_073_741_824,
    integer(1_048_576, Number.MAX_SAFE_INTEGER),
    'Maximum bytes of receipts in the local spool while the event log is unavailable. Further scores get 503.',
  ),
  GEOIP_COUNTRY_DB: optional(text, 'Path of an MMDB file with countries; reloaded when it changes.'),
  GEOIP_ASN_DB: optional(text, 'Path of an MMDB file with autonomous systems; reloaded when it changes.'),
  GEOIP_ANONYMOUS_DB: optional(
    text,
    'Path of an MMDB file in the layout of GeoIP2 Anonymous IP; reloaded when it changes.',
  ),
  GEOIP_TOR_LIST: optional(
    text,
    'Path of a text file with Tor exits, one address or network per line; reloaded when it changes.',
  ),
  GEOIP_PROXY_LIST: optional(
    text,
    'Path of a text file with residential proxies, one address or network per line; reloaded when it changes.',
  ),
  VH_MODELS_URL: optional(
    url,
    'Base URL of the files of `dist/sdk/v1/models/`. It must allow every origin (CORS), and pages must allow its host. See docs/reference/capture.md.',
    'VH_SITE_URL, below /sdk/v1/models',
  ),
  VH_FACE_MODELS: optional(
    text,
    'Path of a JSON list of { model, dimension, impostor: { mean, deviation }, center? }: embedding models with their impostor scores. See docs/how-to/compare-faces.md.',
    'none: a face is compared only with earlier ones of the same person',
  ),
  VH_FACE_THREADS: setting(1, integer(1, 8), 'Threads that search the face index.'),
  VH_PICTURE_THREADS: setting(
    1,
    integer(1, 8),
    'Threads that check pictures of projects with `config.evidenceFrames: sampled`. They start with the first picture. See docs/explanation/capture.md.',
  ),
  VH_TRUSTED_AGENT_KEYS: optional(text, 'Path of a JSON list of { agent, jwk }: agents whose signatures are trusted.'),
  DASHBOARD_JWKS_URL: optional(
    url,
    'JWKS URL of the OIDC issuer of dashboard tokens. If not set, the embedded issuer is used.',
    'embedded issuer',
  ),
  DASHBOARD_ISSUER: optional(text, 'Required `iss` of dashboard tokens; needed with DASHBOARD_JWKS_URL.'),
  DASHBOARD_TOKEN_TYPE: optional(
    text,
    'Required `typ` header of dashboard tokens, if the issuer sets one.',
    'JWT (or none) and at+jwt',
  ),
  DASHBOARD_AUDIENCE: optional(text, 'Required `aud` of dashboard tokens; needed with DASHBOARD_JWKS_URL.'),
  VH_OIDC_ISSUER: optional(
    url,
    'Issuer URL of the OpenID Connect provider where people sign in to the console. HTTPS outside development. See docs/how-to/use-the-console.md.',
  ),
  VH_OIDC_CLIENT_ID: optional(text, 'Client id of the console at the provider; needed with VH_OIDC_ISSUER.'),
  VH_OIDC_CLIENT_SECRET: optional(text, 'Client secret of the console at the provider.', 'none: a public client'),
  VH_OIDC_SCOPES: setting('openid', text, 'Scopes to ask the provider for, separated by spaces.'),
} as const;

export type Settings = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T> ? T : never;
};

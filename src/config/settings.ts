/** Every setting, in one table: the reader of the environment, the type and docs/settings.md derive from it. */
import { reversalWindowDays } from '../limits.js';
import type { Network } from '../net/forwarding.js';
import {
  brokers,
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
  /** What an absent variable means; undefined where absence itself has a meaning. */
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
  ADMIN_HOST: optional(text, 'Address that ADMIN_PORT binds to, where it is another one.', 'HOST'),
  PORT: setting(3000, integer(0, 65_535), 'Port of the API, the SDK files and the demo page. 0 takes any free port.'),
  AUDIENCE_PORT: setting(3001, integer(0, 65_535), 'Port of the audience API. 0 takes any free port.'),
  ADMIN_PORT: setting(
    3002,
    integer(0, 65_535),
    'Port of /metrics, /healthz and /readyz; never make it public. 0 takes any free port.',
  ),
  VH_SITE_URL: optional(
    url,
    'Address under which callers reach PORT, where a proxy stands in front.',
    'http://HOST:PORT',
  ),
  VH_AUDIENCE_URL: optional(
    url,
    'Address under which callers reach the audience API, where a proxy stands in front; without /v1.',
    'http://HOST:AUDIENCE_PORT',
  ),
  VH_TRUSTED_PROXIES: setting<readonly Network[]>(
    [],
    networks,
    'Addresses or CIDRs of the proxies in front, comma-separated. Only their X-Forwarded-For and Forwarded are believed: the client is the rightmost address that is none of these.',
    'none: the client is who connects',
  ),
  VH_PLACE_MINUTES: setting(
    120,
    integer(1, 1_380),
    'Minutes that a respondent holds a place in a study; one that has not come back by then is given to others.',
  ),
  VH_DATA_DIR: setting(
    './data',
    text,
    'Directory of the embedded stores, the bootstrap file and the generated master key.',
  ),
  VH_ENV: setting<Environment>(
    'development',
    oneOf(environments),
    'development, staging or production. Staging and production refuse origins that no allow-list names and have no demo page.',
  ),
  VH_ROLES: setting<readonly Role[]>(
    roles,
    someOf(roles),
    'Which parts this process runs, comma-separated.',
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
    'generated as master.key in the data directory; in production there has to be one',
  ),
  VH_MASTER_KEYS_KEPT: setting<readonly Uint8Array[]>(
    [],
    masterKeys,
    'Other master keys, comma-separated, that what is stored may be read with: every earlier one, and while instances are changed over, the next one. See docs/operations.md.',
    'none',
  ),
  VH_PUBLIC_PER_MINUTE: setting(
    1_200,
    integer(0, 100_000_000),
    'Sessions a minute, and as many completions, for a project and registered origin pattern; one /24 of IPv4 or /48 of IPv6 gets a quarter. 0 for no limit.',
  ),
  VH_PUBLIC_PER_ADDRESS: setting(
    60,
    integer(0, 1_000_000),
    'Public calls a minute of one address (/64 of IPv6): sessions and completions each, and ten times as many reads. Ten times that on networks known to be shared; 0 for no limit.',
  ),
  VH_LOG_LEVEL: setting(
    'info',
    oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const),
    'Least severe log line that is written.',
  ),
  VH_ACCESS_LOG: setting(
    false,
    onOff,
    'Writes an info line for each request: its id, method, route, status, key id and milliseconds; no address, no path, nothing that it said.',
    'off',
  ),
  VH_DRAIN_SECONDS: setting(
    0,
    integer(0, 7),
    'Seconds after SIGTERM in which calls are still answered while /trafficz reports that the process is leaving. Then the listeners close. Set it a little longer than a balancer takes to notice.',
  ),
  VH_POOL_THREADS: optional(integer(1, 64), 'Threads of the scoring pool.', 'cores less one, at least 1'),
  VH_POOL_QUEUE: setting(
    2_048,
    integer(1, 1_000_000),
    'Scoring tasks that may wait for a thread; beyond it callers get 503.',
  ),
  DATABASE_URL: optional(
    serverUrl('postgres', 'postgresql'),
    'PostgreSQL 15 or later; TLS by its sslmode (sslmode=verify-full). Without it an embedded database runs in the data directory.',
    'embedded',
  ),
  VH_CACHED_KEYS_MINUTES: setting(
    240,
    integer(1, 525_600),
    'Minutes that a process cut off from the database goes on with the keys that it knows; one revoked meanwhile is good for as long. Then its callers get 503.',
  ),
  VH_DATABASE_CONNECTIONS: setting(10, integer(2, 1_000), 'Most connections of this process to PostgreSQL.'),
  REDIS_URL: optional(
    redisUrl,
    'Redis 7 as redis://, a cluster as redis+cluster://host:port,host:port, or Sentinels as redis+sentinel://host:port,host:port/NAME; TLS as rediss:// and so on. Without it counters are kept in memory.',
    'embedded',
  ),
  KAFKA_BROKERS: optional(
    brokers,
    'Kafka brokers as host:port, comma-separated. Without it the log is a table of the database.',
    'embedded',
  ),
  KAFKA_TLS: setting(
    false,
    onOff,
    'Speaks TLS with the brokers. A private authority is named by NODE_EXTRA_CA_CERTS.',
    'off',
  ),
  KAFKA_SASL_MECHANISM: optional(
    oneOf(['plain', 'scram-sha-256', 'scram-sha-512'] as const),
    'How to sign in at the brokers: plain, scram-sha-256 or scram-sha-512.',
  ),
  KAFKA_SASL_USERNAME: optional(text, 'Name to sign in with.'),
  KAFKA_SASL_PASSWORD: optional(text, 'Password to sign in with.'),
  KAFKA_TOPIC_PREFIX: setting('verifyhuman.', topicPrefix, 'Goes before the names of topics and consumer groups.'),
  KAFKA_RETENTION_DAYS: setting(
    14,
    integer(1, 3_650),
    'Days that topics made by this service keep their entries, read or not. Longer than any stop of the consumers or of the database that is to be survived; existing topics are left as they are, and warned of where they keep less.',
  ),
  VH_CONSUMER_TAKEOVER_MS: setting(
    10_000,
    integer(1_000, 300_000),
    'How long a consumer that vanished keeps its share before another takes it. Below 6000 the brokers must allow it (group.min.session.timeout.ms).',
  ),
  VH_RECEIPT_RETENTION_DAYS: setting(
    400,
    integer(reversalWindowDays, 36_500),
    `Days that receipts are kept; older days are dropped whole by the consumers. At least ${reversalWindowDays}: a buyer may reverse for that long, and the receipt names whom it concerns.`,
  ),
  VH_UNREADABLE_DAYS: setting(
    30,
    integer(1, 400),
    'Days that unreadable dead letters and files kept next to the spool stay. Nobody knows whom they concern, so an erasure does not reach them; they are deleted by age.',
  ),
  VH_OUTCOME_RETENTION_DAYS: setting(
    400,
    integer(1, 36_500),
    'Days that reported outcomes are kept from their receipt. What they did to a history stays there and weighs less each day.',
  ),
  VH_AUDIT_RETENTION_DAYS: setting(1_096, integer(1, 36_500), 'Days that entries of the audit trail are kept.'),
  VH_SESSION_RETENTION_DAYS: setting(
    400,
    integer(1, 36_500),
    'Days that verification sessions, and the faces and devices that belong to them, are kept from their creation.',
  ),
  VH_TOKEN_KEY_DAYS: setting(
    30,
    integer(1, 3_650),
    'Days that a key of vh_token signs before the next one takes over; that one is published two hours ahead.',
  ),
  VH_WEBHOOK_ALLOW_PRIVATE: setting(
    false,
    onOff,
    'Lets webhooks use plain HTTP, any port and private addresses, for a receiver on the same machine. In development only.',
    'off',
  ),
  VH_WEBHOOK_BACKOFF_SECONDS: setting<readonly number[]>(
    [5, 30, 300, 1_800],
    waits,
    'Waits before the second, third, fourth and fifth attempt of a delivery, in seconds; each varies by a tenth.',
    '`5,30,300,1800`',
  ),
  VH_WEBHOOK_RETENTION_DAYS: setting(
    30,
    integer(1, 3_650),
    'Days that deliveries and their attempts are kept; those that are still to be sent are kept longer.',
  ),
  VH_SPOOL_BYTES_MAX: setting(
    1_073_741_824,
    integer(1_048_576, Number.MAX_SAFE_INTEGER),
    'Most that receipts may take up in the data directory while the log is away; beyond it scores are answered with 503.',
  ),
  GEOIP_COUNTRY_DB: optional(text, 'Path of an MMDB file with countries; reloaded when it changes.'),
  GEOIP_ASN_DB: optional(text, 'Path of an MMDB file with autonomous systems; reloaded when it changes.'),
  GEOIP_ANONYMOUS_DB: optional(
    text,
    'Path of an MMDB file in the layout of GeoIP2 Anonymous IP; reloaded when it changes.',
  ),
  GEOIP_TOR_LIST: optional(
    text,
    'Path of a text file with Tor exits, an address or network a line; reloaded when it changes.',
  ),
  GEOIP_PROXY_LIST: optional(
    text,
    'Path of a text file with residential proxies, an address or network a line; reloaded when it changes.',
  ),
  VH_MODELS_URL: optional(
    url,
    'Where browsers fetch the files of `dist/sdk/v1/models/` from, readable from every origin; pages that embed the widget have to allow its host. See docs/capture.md.',
    'VH_SITE_URL, below /sdk/v1/models',
  ),
  VH_FACE_MODELS: optional(
    text,
    'Path of a JSON list of { model, dimension, impostor: { mean, deviation }, center? }: embedding models and how alike different people come out in them. See docs/uniqueness.md.',
    'none: faces are compared with those of the same person alone',
  ),
  VH_FACE_THREADS: setting(1, integer(1, 8), 'Threads that search the index of faces.'),
  VH_PICTURE_THREADS: setting(
    1,
    integer(1, 8),
    'Threads that judge pictures of projects with `config.evidenceFrames: sampled`. They start with the first picture. See docs/capture.md.',
  ),
  VH_TRUSTED_AGENT_KEYS: optional(text, 'Path of a JSON list of { agent, jwk }: agents whose signatures are trusted.'),
  DASHBOARD_JWKS_URL: optional(
    url,
    'JWKS of the OIDC issuer of dashboard tokens. Without it the embedded issuer is used.',
    'embedded issuer',
  ),
  DASHBOARD_ISSUER: optional(text, 'The iss that dashboard tokens must carry; needed with DASHBOARD_JWKS_URL.'),
  DASHBOARD_TOKEN_TYPE: optional(
    text,
    'The typ that the header of dashboard tokens must carry, where the issuer has one of its own.',
    'JWT (or none) and at+jwt',
  ),
  DASHBOARD_AUDIENCE: optional(text, 'The aud that dashboard tokens must carry; needed with DASHBOARD_JWKS_URL.'),
} as const;

export type Settings = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T> ? T : never;
};

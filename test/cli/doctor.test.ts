/** The checklist before a start. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readSettings } from '../../src/config/read.js';
import { checkSettings, type Machine } from '../../src/cli/doctor/settings-checks.js';
import { checkStores, compareClock } from '../../src/cli/doctor/store-checks.js';
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { realStoreSettings } from '../helpers/real-service.js';
import { repositoryPath } from '../helpers/repository.js';
import { findStack } from '../helpers/stores.js';

const machine: Machine = {
  nodeVersion: '24.1.0',
  freeBytes: 1e12,
  canWrite: true,
  masterKeyFile: null,
  fileDays: () => 3,
};
const encoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const key = encoded(createHash('sha256').update('a random key').digest());
const sound = {
  VH_ENV: 'production',
  VH_SITE_URL: 'https://verify.example',
  VH_MASTER_KEY: key,
  VH_TRUSTED_PROXIES: '10.0.0.1',
  VH_DRAIN_SECONDS: '3',
  VH_SECURITY_CONTACT: 'mailto:security@verify.example',
  VH_OIDC_ISSUER: 'https://sign-in.example',
  VH_OIDC_CLIENT_ID: 'console',
  DATABASE_URL: 'postgres://vh@db.example/vh?sslmode=verify-full',
  REDIS_URL: 'rediss://redis.example',
  KAFKA_BROKERS: 'kafka.example:9093',
  KAFKA_TLS: 'on',
  GEOIP_COUNTRY_DB: '/geo/country.mmdb',
  GEOIP_ASN_DB: '/geo/asn.mmdb',
};

t.test('a sound installation has no warning, and each flaw is named', (t) => {
  const flaws = (changed: Readonly<Record<string, string | undefined>>, seen: Partial<Machine> = {}): string[] =>
    checkSettings(readSettings({ ...sound, ...changed }), { ...machine, ...seen })
      .filter(({ status }) => status !== 'ok')
      .map(({ status, check }) => `${status} ${check}`);
  t.same(flaws({}), []);
  const expected: readonly (readonly [string[], Parameters<typeof flaws>[0], Partial<Machine>?])[] = [
    [['warning node'], {}, { nodeVersion: '20.19.0' }],
    [['warning environment'], { VH_ENV: 'staging' }],
    [['warning site'], { VH_SITE_URL: undefined }],
    [['warning site'], { VH_SITE_URL: 'https://localhost' }],
    [['failed site'], { VH_SITE_URL: 'http://verify.example' }],
    [['warning database'], { DATABASE_URL: 'postgres://vh@db.example/vh' }],
    [['warning counters'], { REDIS_URL: 'redis://redis.example' }],
    [['warning log'], { KAFKA_TLS: 'off' }],
    [['warning log'], { KAFKA_TLS: 'off', KAFKA_BROKERS: 'localhost:9092,kafka.example:9092' }],
    [['warning counters'], { REDIS_URL: 'redis+cluster://127.0.0.1:6379,redis.example:6379' }],
    [[], { KAFKA_TLS: 'off', KAFKA_BROKERS: 'localhost:9092,127.0.0.1:9093' }],
    [['warning proxies'], { VH_TRUSTED_PROXIES: undefined }],
    [['warning addresses'], { GEOIP_ASN_DB: undefined }],
    [['failed addresses', 'failed addresses'], {}, { fileDays: () => null }],
    [['warning addresses', 'warning addresses'], {}, { fileDays: () => 46 }],
    [['warning restarts'], { VH_DRAIN_SECONDS: '0' }],
    [['warning console'], { VH_OIDC_ISSUER: undefined, VH_OIDC_CLIENT_ID: undefined }],
    [['failed master key'], { VH_MASTER_KEY: undefined }],
    [['failed master key'], { VH_MASTER_KEY: undefined }, { masterKeyFile: { path: 'master.key', mode: 0o640 } }],
    [['warning master key'], {}, { masterKeyFile: { path: '/run/secrets/key', mode: 0o644 } }],
    [['warning master key'], { VH_MASTER_KEY: encoded(new Uint8Array(32).fill(7)) }],
    [['warning master key'], { VH_MASTER_KEY: encoded(Uint8Array.from({ length: 32 }, (_, n) => n + 200)) }],
    [['warning master key'], { VH_MASTER_KEY: encoded(Uint8Array.from({ length: 32 }, (_, n) => 255 - n * 3)) }],
    [['warning master key'], { VH_MASTER_KEY: encoded(Buffer.from('change me before the first start')) }],
    [['warning admin port'], { HOST: '0.0.0.0' }],
    [['warning admin port'], { ADMIN_HOST: '10.0.0.7' }],
    [[], { HOST: '0.0.0.0', ADMIN_HOST: '127.0.0.1' }],
    [['warning security'], { VH_SECURITY_CONTACT: undefined }],
    [['warning disk'], {}, { freeBytes: 1e6 }],
    [['failed disk'], {}, { canWrite: false, freeBytes: null }],
  ];
  for (const [found, changed, seen] of expected)
    t.same(flaws(changed, seen), found, JSON.stringify([changed, seen && Object.keys(seen)]));
  t.end();
});

const stack = findStack(t, 'the stores of the checklist');
if (stack !== null)
  t.test('stores that answer are described, and those that do not are named', async (t) => {
    const own = await realStoreSettings(t, stack);
    const texts = async (changed: Readonly<Record<string, string>> = {}): Promise<string> => {
      const found = await checkStores(readSettings({ ...own, ...changed }));
      return found.map(({ check, status, text }) => `${status} ${check}: ${text}`).join('\n');
    };
    const found = await texts();
    for (const line of [
      /ok database: PostgreSQL \d+ answers/,
      /ok database: Its tables are those/,
      /ok counters: Redis 7/,
    ])
      t.match(found, line);
    for (const line of [
      /ok counters: It evicts no/,
      /log: Kafka answers with 1 of the 3 brokers/,
      /warning log: It has no topics/,
    ])
      t.match(found, line);
    const database = await openPostgres({
      url: own.DATABASE_URL,
      poolMax: 1,
      deadlineMs: 5_000,
      logger: createLogger('silent'),
    });
    t.match(await texts({ VH_MASTER_KEY: key }), /ok master key: The database knows no other/);
    await database.query("INSERT INTO master_keys (check_value) VALUES ('0123456789abcdef')");
    t.match(await texts({ VH_MASTER_KEY: key }), /failed master key: VH_MASTER_KEY does not match this database/);
    await database.query('DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations)');
    t.match(await texts(), /warning database: 1 migration is missing/);
    await database.query('DROP TABLE migrations');
    t.match(await texts(), /warning database: It has no tables/);
    await database.close();
    const away = await texts({
      DATABASE_URL: 'postgres://vh:not-to-be-printed@127.0.0.1:1/vh',
      REDIS_URL: 'redis://:not-to-be-printed@127.0.0.1:1',
      KAFKA_BROKERS: '127.0.0.1:1',
    });
    t.match(
      away,
      /^failed database: It did not answer: .*ECONNREFUSED.*\nfailed counters: .*ECONNREFUSED.*\nfailed log: .*ECONNREFUSED/,
    );
    t.notMatch(away, /not-to-be-printed/);
  });

t.test('a clock that is apart by less than a slow answer takes is sound; one that fails captures is not', (t) => {
  const of = (aheadMs: number, tookMs = 0): string => {
    const { status, text } = compareClock('database', 50_000 + aheadMs, {
      askedMs: 50_000 - tookMs,
      answeredMs: 50_000,
    });
    return `${status} ${/\d.*? s|days/.exec(text)?.[0] ?? ''}`.trim();
  };
  t.same([of(0), of(140), of(-140), of(-900, 800)], ['ok', 'ok', 'ok', 'ok']);
  t.same([of(600), of(-600), of(200)], ['warning 0.6 s', 'warning 0.6 s', 'warning 0.2 s']);
  t.same([of(1_100), of(-90_000)], ['failed 1.1 s', 'failed 90.0 s']);
  t.end();
});

t.test('the command prints a line for each check, and ends with 1 where one failed', async (t) => {
  const directory = temporaryDirectory(t);
  const keyFile = join(directory, 'master.key');
  writeFileSync(keyFile, key);
  const addresses = join(directory, 'asn.mmdb');
  writeFileSync(addresses, '');
  utimesSync(addresses, new Date(), new Date(Date.now() - 90 * 86_400_000));
  const run = (mode: number, ...args: string[]) => {
    chmodSync(keyFile, mode);
    return new Promise<{ readonly code: number; readonly out: string }>((resolve) => {
      const env = { PATH: process.env['PATH'], VH_DATA_DIR: directory, GEOIP_ASN_DB: addresses };
      const child = execFile(
        process.execPath,
        [repositoryPath('dist/src/cli/doctor.js'), ...args],
        { env },
        (_error, out) => resolve({ code: child.exitCode ?? -1, out }),
      );
    });
  };
  t.match(await run(0o600), { code: 0, out: /^warning  addresses: .*asn\.mmdb is 90 days old/m });
  t.match(await run(0o644), { code: 1, out: /^failed   master key: Others can read/m });
  const { out } = await run(0o600, '--json');
  for (const line of out.trim().split('\n')) t.match(JSON.parse(line), { check: String, status: String, text: String });
});

t.test('all wrong settings are named at once', (t) => {
  const env = { PATH: process.env['PATH'], PORT: 'http', VH_SIET_URL: 'https://x', REDIS_URL_FILE: '/no/such/file' };
  execFile(process.execPath, [repositoryPath('dist/src/cli/doctor.js')], { env }, (error, stdout) => {
    t.equal(error?.code, 1);
    t.match(stdout.trim().split('\n'), [
      /^failed   settings: REDIS_URL_FILE names .* is not readable/,
      /^failed   settings: VH_SIET_URL is not a setting. Did you mean VH_SITE_URL\.$/,
      /^failed   settings: PORT must be a whole number/,
    ]);
    t.end();
  });
});

t.test('an option that it does not know is answered with the right form', (t) => {
  execFile(process.execPath, [repositoryPath('dist/src/cli/doctor.js'), '--help'], (error, stdout, stderr) => {
    t.equal(error?.code, 1);
    t.equal(stdout, '');
    t.equal(stderr, "Unknown option '--help'. It is written\n  doctor [--json]\n");
    t.end();
  });
});

t.test('a data directory that a start could not make fails the check of the disk', (t) => {
  const file = join(temporaryDirectory(t), 'file');
  writeFileSync(file, '');
  const env = { ...process.env, VH_DATA_DIR: join(file, 'data') };
  execFile(process.execPath, [repositoryPath('dist/src/cli/doctor.js')], { env }, (error, stdout) => {
    t.equal(error?.code, 1);
    t.match(stdout, /^failed   disk: .*\/file\/data is not a directory that this user may write\..*VH_DATA_DIR/m);
    t.end();
  });
});

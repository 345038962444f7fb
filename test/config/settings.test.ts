import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readSettings, SettingError } from '../../src/config/read.js';
import { temporaryDirectory } from '../helpers/directories.js';

t.test('an empty environment gives the defaults', (t) => {
  const settings = readSettings({});
  t.match(settings, {
    HOST: '127.0.0.1',
    PORT: 3000,
    AUDIENCE_PORT: 3001,
    ADMIN_PORT: 3002,
    VH_ENV: 'development',
    VH_BOOTSTRAP: null,
    DATABASE_URL: null,
  });
  t.same(settings.VH_ROLES, ['api', 'consumers', 'audience']);
  t.end();
});

t.test('switches take on and off, true and false, 1 and 0', (t) => {
  for (const text of ['on', 'true', '1', 'ON']) t.equal(readSettings({ VH_BOOTSTRAP: text }).VH_BOOTSTRAP, true, text);
  for (const text of ['off', 'false', '0']) t.equal(readSettings({ VH_BOOTSTRAP: text }).VH_BOOTSTRAP, false, text);
  t.end();
});

const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
  [{ VH_BOOSTRAP: 'on' }, /^VH_BOOSTRAP is not a setting\. Did you mean VH_BOOTSTRAP$/],
  [{ PORT: 'http' }, /^PORT must be a whole number/],
  [{ PORT: '70000' }, /^PORT must be a whole number from 0 to 65535/],
  [{ VH_ENV: 'prod' }, /^VH_ENV must be one of development, staging, production/],
  [{ VH_ROLES: 'api,worker' }, /^VH_ROLES must be one of/],
  // Below the time in which a buyer may reverse, an outcome would come after the receipt that tells whom it concerns.
  [{ VH_RECEIPT_RETENTION_DAYS: '59' }, /^VH_RECEIPT_RETENTION_DAYS must be a whole number from 60 to/],
  [{ VH_SECURITY_CONTACT: 'security@example.com' }, /^VH_SECURITY_CONTACT must begin with mailto:/],
  [{ VH_SECURITY_CONTACT: 'https://example.com\nContact: x' }, /^VH_SECURITY_CONTACT must begin with/],
  [{ VH_SITE_URL: 'verify.example' }, /^VH_SITE_URL must be an absolute URL that starts with https:/],
  [{ VH_SITE_URL: 'localhost:3000' }, /^VH_SITE_URL must be an absolute URL that starts with https:/],
  [{ VH_AUDIENCE_URL: 'ftp://verify.example' }, /^VH_AUDIENCE_URL must be an absolute URL that starts with https:/],
  [{ VH_BOOTSTRAP: 'maybe' }, /^VH_BOOTSTRAP must be on or off/],
  [{ VH_MASTER_KEY: 'c2hvcnQ=' }, /^VH_MASTER_KEY must be 32 bytes/],
  [{ DATABASE_URL: 'localhost' }, /^DATABASE_URL must be an absolute URL/],
  [{ DATABASE_URL: 'mysql://localhost/x' }, /^DATABASE_URL must be an absolute URL that starts with postgres:\/\//],
  [{ REDIS_URL: 'localhost:6379' }, /^REDIS_URL must be an absolute URL that starts with redis:\/\//],
  [{ REDIS_URL: 'redis+cluster://a:6379,b:x' }, /^REDIS_URL must list nodes as host:port/],
  [{ REDIS_URL: 'redis+sentinel://a:26379,b:26379' }, /^REDIS_URL must end with the master’s name/],
  [{ KAFKA_BROKERS: 'kafka' }, /^KAFKA_BROKERS must list brokers as host:port/],
  [{ KAFKA_TLS: 'on' }, /^KAFKA_TLS is on but KAFKA_BROKERS is not set. Set it/],
  [{ KAFKA_SASL_USERNAME: 'u' }, /^KAFKA_SASL_USERNAME is set but KAFKA_BROKERS is not. Set it/],
  [
    { KAFKA_BROKERS: 'k:9092', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' },
    /^KAFKA_SASL_MECHANISM is required with KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD/,
  ],
  [{ KAFKA_BROKERS: 'k:9092', KAFKA_SASL_MECHANISM: 'gssapi' }, /^KAFKA_SASL_MECHANISM must be one of plain/],
  [{ KAFKA_TOPIC_PREFIX: 'a b' }, /^KAFKA_TOPIC_PREFIX must have/],
  [{ VH_ROLES: 'api', REDIS_URL: 'redis://r' }, /^VH_ROLES is api, .* Set DATABASE_URL/],
  [{ VH_ROLES: 'consumers', DATABASE_URL: 'postgres://p/d' }, /^VH_ROLES is consumers, .* Set REDIS_URL/],
  [{ PORT: '3002' }, /^PORT, AUDIENCE_PORT and ADMIN_PORT must differ/],
  [{ DASHBOARD_JWKS_URL: 'https://id.example/jwks' }, /^DASHBOARD_JWKS_URL needs DASHBOARD_ISSUER/],
  [{ VH_ENV: 'production', VH_BOOTSTRAP: 'on' }, /^VH_BOOTSTRAP can’t be on in production/],
  [
    { VH_ENV: 'production', VH_WEBHOOK_ALLOW_PRIVATE: 'on' },
    /^VH_WEBHOOK_ALLOW_PRIVATE can’t be on with VH_ENV=production/,
  ],
  [
    { VH_ENV: 'staging', VH_WEBHOOK_ALLOW_PRIVATE: 'true' },
    /^VH_WEBHOOK_ALLOW_PRIVATE can’t be on with VH_ENV=staging/,
  ],
];

t.test('a wrong setting is refused with a sentence that names it', (t) => {
  for (const [environment, sentence] of refused) {
    t.throws(
      () => readSettings(environment),
      { constructor: SettingError, message: sentence },
      JSON.stringify(environment),
    );
  }
  t.end();
});

t.test('a refusal carries all problems, the first one first, and contradictions of sound values', (t) => {
  const problemsOf = (environment: Record<string, string>): string[] => {
    try {
      readSettings(environment);
      return [];
    } catch (error) {
      return (error as SettingError).all.map(({ message }) => message.split(' ')[0] ?? '');
    }
  };
  t.same(problemsOf({ PORT: 'x', VH_ENV: 'prod', VH_NO: '1', KAFKA_TLS: 'on' }), ['VH_NO', 'PORT', 'VH_ENV']);
  t.same(problemsOf({ VH_ENV: 'production', VH_BOOTSTRAP: 'on', KAFKA_TLS: 'on' }), ['VH_BOOTSTRAP', 'KAFKA_TLS']);
  t.same(problemsOf({ VH_ROLES: 'api' }), ['VH_ROLES', 'VH_ROLES']);
  t.end();
});

t.test('addresses of stores are taken as they are written, clusters and several brokers too', (t) => {
  const given = {
    DATABASE_URL: 'postgresql://u:p@db:5432/vh?sslmode=verify-full',
    REDIS_URL: 'rediss+cluster://u:p%40@a:6379,b:6380',
    KAFKA_BROKERS: 'k1:9092, k2:9092',
  };
  const settings = readSettings(given);
  t.equal(settings.DATABASE_URL, given.DATABASE_URL);
  t.equal(settings.REDIS_URL, given.REDIS_URL);
  t.same(settings.KAFKA_BROKERS, ['k1:9092', 'k2:9092']);
  t.equal(readSettings({ REDIS_URL: 'redis://r:6379/3' }).REDIS_URL, 'redis://r:6379/3');
  t.end();
});

t.test('the value of a secret setting never stands in the refusal', (t) => {
  const refusal = t.throws(() => readSettings({ VH_MASTER_KEY: 'bXkgc2VjcmV0' })) as unknown as Error;
  t.notMatch(refusal.message, /bXkgc2VjcmV0/);
  for (const name of ['DATABASE_URL', 'REDIS_URL']) {
    const mistaken = t.throws(() => readSettings({ [name]: 'https://user:hunter2@host/' })) as unknown as Error;
    t.notMatch(mistaken.message, /hunter2/, name);
  }
  t.end();
});

t.test('a process that would serve nothing is refused with a sentence', (t) => {
  t.throws(() => readSettings({ VH_ROLES: 'audience' }), /VH_ROLES is audience, .* Set DATABASE_URL/);
  t.end();
});

t.test('a secret comes from the file that NAME_FILE names, without its last line break', (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'database-url');
  writeFileSync(file, 'postgres://u:p@db/vh\n');
  t.equal(readSettings({ DATABASE_URL_FILE: file }).DATABASE_URL, 'postgres://u:p@db/vh');
  const key = join(directory, 'key');
  writeFileSync(key, `${Buffer.alloc(32, 7).toString('base64')}\n`);
  t.same(readSettings({ VH_MASTER_KEY_FILE: key }).VH_MASTER_KEY, Buffer.alloc(32, 7));
  t.throws(
    () => readSettings({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://x' }),
    /^DATABASE_URL_FILE is set together with DATABASE_URL/,
  );
  t.throws(() => readSettings({ REDIS_URL_FILE: join(directory, 'none') }), /^REDIS_URL_FILE names .*not readable/);
  t.throws(() => readSettings({ VH_ENVS_FILE: file }), /^VH_ENVS_FILE is not a setting/);
  writeFileSync(file, 'mysql://hunter2');
  const refusal = t.throws(() => readSettings({ DATABASE_URL_FILE: file })) as unknown as Error;
  t.notMatch(refusal.message, /hunter2/);
  t.end();
});

t.test('every setting comes from a file, and a file of none is noted with the list', (t) => {
  const directory = temporaryDirectory(t);
  const given = (name: string, value: string): Record<string, string> => {
    writeFileSync(join(directory, name), `${value}\n`);
    return { [`${name}_FILE`]: join(directory, name) };
  };
  const notes: string[] = [];
  const settings = readSettings(
    {
      ...given('KAFKA_BROKERS', 'k1:9092,k2:9092'),
      ...given('DASHBOARD_JWKS_URL', 'https://id.example/jwks'),
      ...given('DASHBOARD_ISSUER', 'https://id.example'),
      ...given('DASHBOARD_AUDIENCE', 'vh'),
      ...given('VH_ENV', 'production'),
      KAFKA_PASSWORD_FILE: join(directory, 'KAFKA_BROKERS'),
      KAFKA_OPTS_FILE: '',
      SOMEBODY_ELSES_FILE: '/x',
    },
    (note) => notes.push(note),
  );
  t.match(settings, { KAFKA_BROKERS: ['k1:9092', 'k2:9092'], DASHBOARD_AUDIENCE: 'vh', VH_ENV: 'production' });
  t.equal(notes.length, 1);
  t.match(notes[0], /^KAFKA_PASSWORD_FILE matches no setting.*KAFKA_SASL_PASSWORD/);
  t.end();
});

t.test('what Kubernetes tells of services is left out with a note, and a typo still stops the start', (t) => {
  const notes: string[] = [];
  const injected = {
    VH_API_SERVICE_HOST: '10.0.0.7',
    VH_API_SERVICE_PORT: '80',
    VH_API_SERVICE_PORT_HTTP: '80',
    VH_API_PORT: 'tcp://10.0.0.7:80',
    VH_API_PORT_80_TCP: 'tcp://10.0.0.7:80',
    VH_API_PORT_80_TCP_ADDR: '10.0.0.7',
    ADMIN_PORT: 'tcp://10.0.0.8:3002',
    PORT: 'tcp://10.0.0.9:80',
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
  };
  t.match(
    readSettings(injected, (note) => notes.push(note)),
    { ADMIN_PORT: 3002, PORT: 3000 },
  );
  t.equal(notes.length, 8);
  t.match(notes[0], /^ADMIN_PORT describes a Kubernetes service/);
  t.throws(() => readSettings({ VH_API_PORT: '80' }), /^VH_API_PORT is not a setting/);
  t.end();
});

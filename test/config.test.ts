import t from 'tap';
import { readSettings, SettingError } from '../src/config.js';

t.test('an empty environment gives the defaults', (t) => {
  const settings = readSettings({});
  t.match(settings, { HOST: '127.0.0.1', PORT: 3000, AUDIENCE_PORT: 3001, ADMIN_PORT: 3002, VH_ENV: 'development', VH_BOOTSTRAP: null, DATABASE_URL: null });
  t.same(settings.VH_ROLES, ['api', 'consumers', 'audience']);
  t.end();
});

t.test('switches take on and off, true and false, 1 and 0', (t) => {
  for (const text of ['on', 'true', '1', 'ON']) t.equal(readSettings({ VH_BOOTSTRAP: text }).VH_BOOTSTRAP, true, text);
  for (const text of ['off', 'false', '0']) t.equal(readSettings({ VH_BOOTSTRAP: text }).VH_BOOTSTRAP, false, text);
  t.end();
});

const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
  [{ VH_BOOSTRAP: 'on' }, /^VH_BOOSTRAP is not a setting/],
  [{ PORT: 'http' }, /^PORT must be a whole number/],
  [{ PORT: '70000' }, /^PORT must be a whole number from 0 to 65535/],
  [{ VH_ENV: 'prod' }, /^VH_ENV must be one of development, staging, production/],
  [{ VH_ROLES: 'api,worker' }, /^VH_ROLES must be one of/],
  [{ VH_BOOTSTRAP: 'maybe' }, /^VH_BOOTSTRAP must be on or off/],
  [{ VH_MASTER_KEY: 'c2hvcnQ=' }, /^VH_MASTER_KEY must be 32 bytes/],
  [{ DATABASE_URL: 'localhost' }, /^DATABASE_URL must be an absolute URL/],
  [{ PORT: '3002' }, /^PORT, AUDIENCE_PORT and ADMIN_PORT must differ/],
  [{ DASHBOARD_JWKS_URL: 'https://id.example/jwks' }, /^DASHBOARD_JWKS_URL needs DASHBOARD_ISSUER/],
  [{ VH_ENV: 'production', VH_BOOTSTRAP: 'on' }, /^VH_BOOTSTRAP is on in production/],
];

t.test('a wrong setting is refused with a sentence that names it', (t) => {
  for (const [environment, sentence] of refused) {
    t.throws(() => readSettings(environment), { constructor: SettingError, message: sentence }, JSON.stringify(environment));
  }
  t.end();
});

t.test('the value of a secret setting never stands in the refusal', (t) => {
  const refusal = t.throws(() => readSettings({ VH_MASTER_KEY: 'bXkgc2VjcmV0' })) as unknown as Error;
  t.notMatch(refusal.message, /bXkgc2VjcmV0/);
  t.end();
});

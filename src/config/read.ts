/** Reads the settings. An unknown VH_* name, a malformed value or a contradiction stops the start with a sentence that names it. */
import { resolveEnvironment, type Environment as Variables } from './environment.js';
import { settings, type Settings } from './settings.js';
import { nearestName } from '../nearest-name.js';

/** A problem with one setting; the message names it. */
export class SettingError extends Error {
  /** All problems of the same reading, this one first. */
  all: readonly SettingError[] = [this];

  constructor(name: string, problem: string) {
    super(`${name} ${problem}`);
    this.name = 'SettingError';
  }
}

type Fail = (name: string, problem: string) => void;

/**
 * Reads and checks the whole environment. Throws a SettingError that names the first setting at fault, and carries the others; `note` gets what was
 * ignored. Contradictions are looked for once every value is sound.
 */
export function readSettings(given: Variables, note: (sentence: string) => void = () => undefined): Settings {
  const problems: SettingError[] = [];
  const fail: Fail = (name, problem) => void problems.push(new SettingError(name, problem));
  const { variables: environment, notes } = resolveEnvironment(given, Object.keys(settings), fail);
  notes.forEach(note);
  for (const name of Object.keys(environment)) {
    if (name.startsWith('VH_') && !(name in settings) && !name.startsWith('VH_REQUIRE_')) {
      const nearest = nearestName(name, Object.keys(settings));
      const hint = nearest === null ? 'docs/reference/settings.md lists all' : `Did you mean ${nearest}`;
      fail(name, `is not a setting. ${hint}`);
    }
  }
  const read = Object.entries(settings).map(([name, { fallback, parse }]) => {
    const value = environment[name];
    try {
      return [name, value === undefined || value === '' ? fallback : parse(value)] as const;
    } catch (error) {
      fail(name, (error as Error).message);
      return [name, fallback] as const;
    }
  });
  const values = Object.fromEntries(read) as unknown as Settings;
  if (problems.length === 0) checkTogether(values, fail);
  const [first] = problems;
  if (first === undefined) return values;
  first.all = problems;
  throw first;
}

const saslNames = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const;

function checkStores(values: Settings, fail: Fail): void {
  const sasl = saslNames.filter((name) => values[name] !== null);
  if (values.KAFKA_BROKERS === null && values.KAFKA_TLS)
    fail('KAFKA_TLS', 'is on but KAFKA_BROKERS is not set. Set it');
  if (values.KAFKA_BROKERS === null && sasl[0] !== undefined) fail(sasl[0], 'is set but KAFKA_BROKERS is not. Set it');
  const missing = saslNames.find((name) => values[name] === null);
  if (sasl.length > 0 && missing !== undefined) fail(missing, `is required with ${sasl.join(' and ')}`);
  const isSplit = !values.VH_ROLES.includes('api') || !values.VH_ROLES.includes('consumers');
  for (const name of ['DATABASE_URL', 'REDIS_URL'] as const) {
    if (isSplit && values[name] === null) {
      fail(
        'VH_ROLES',
        `is ${values.VH_ROLES.join(',')}, but separate roles can’t share an embedded store. Set ${name}`,
      );
    }
  }
}

function checkSignIn(
  { VH_OIDC_ISSUER: issuer, VH_OIDC_CLIENT_ID: clientId, VH_ENV: environment }: Settings,
  fail: Fail,
): void {
  if ((issuer === null) !== (clientId === null)) {
    const [given, missing] = issuer === null ? ['CLIENT_ID', 'ISSUER'] : ['ISSUER', 'CLIENT_ID'];
    fail(`VH_OIDC_${given}`, `is set but VH_OIDC_${missing} is not. Set both`);
  }
  if (environment !== 'development' && issuer?.startsWith('http:') === true)
    fail('VH_OIDC_ISSUER', `must use https: with VH_ENV=${environment}`);
}

function checkTogether(values: Settings, fail: Fail): void {
  if (values.DASHBOARD_JWKS_URL !== null && (values.DASHBOARD_ISSUER === null || values.DASHBOARD_AUDIENCE === null)) {
    fail('DASHBOARD_JWKS_URL', 'needs DASHBOARD_ISSUER and DASHBOARD_AUDIENCE. Set both');
  }
  checkSignIn(values, fail);
  if (values.VH_ENV === 'production' && values.VH_BOOTSTRAP === true) {
    fail('VH_BOOTSTRAP', 'can’t be on in production. Create organizations with "npm run admin -- create-organization"');
  }
  if (values.VH_ENV !== 'development' && values.VH_WEBHOOK_ALLOW_PRIVATE) {
    fail(
      'VH_WEBHOOK_ALLOW_PRIVATE',
      `can’t be on with VH_ENV=${values.VH_ENV}, because webhooks could reach this network. Turn it off`,
    );
  }
  checkStores(values, fail);
  const ports = [values.PORT, values.AUDIENCE_PORT, values.ADMIN_PORT].filter((port) => port !== 0);
  if (new Set(ports).size !== ports.length) fail('PORT, AUDIENCE_PORT and ADMIN_PORT', 'must differ from each other');
}

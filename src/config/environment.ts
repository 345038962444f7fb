/**
 * Prepares the environment of the process for the settings: reads values that are given as files, and removes names that only look like
 * settings.
 *
 * NAME_FILE in place of NAME names a file with the value, for every setting. Kubernetes describes every service of a namespace
 * in variables of its own: one called "vh-api" brings VH_API_SERVICE_HOST, one called "admin" ADMIN_PORT=tcp://10.0.0.7:3002. Those are
 * left out, with a note; so is a file for a setting that there is not.
 */
import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ResolvedEnvironment {
  readonly variables: Environment;
  /** Sentences for the operator. */
  readonly notes: readonly string[];
}

/** Names that Kubernetes makes of a service's name. */
const injectedName = /_SERVICE_HOST$|_SERVICE_PORT(?:_[A-Z0-9_]+)?$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_PROTO|_PORT|_ADDR)?$/;
/** The value that Kubernetes gives to NAME_PORT. */
const injectedAddress = /^(?:tcp|udp|sctp):\/\//;

/** Prefixes of our settings other than VH_. Other programs use them too, so an unknown name is noted and not refused. */
const familyName = /^(?:DATABASE|REDIS|KAFKA|DASHBOARD|GEOIP)_.*_FILE$/;

/** `settingNames` are all known names. `fail` gets a name and its fault; the setting is left out. */
export function resolveEnvironment(
  environment: Environment,
  settingNames: readonly string[],
  fail: (name: string, problem: string) => void,
): ResolvedEnvironment {
  const variables: Record<string, string | undefined> = {};
  const injected: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (isInjected(name, value)) injected.push(name);
    else variables[name] = value;
  }
  for (const name of settingNames) {
    const file = variables[`${name}_FILE`];
    delete variables[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if ((variables[name] ?? '') !== '') fail(`${name}_FILE`, `is set together with ${name}. Omit one of them`);
    const value = readValue(file);
    if (value === null) fail(`${name}_FILE`, `names ${file}, which is not readable. Check the path and its rights`);
    else if (value === '') fail(`${name}_FILE`, `names ${file}, which is empty. Write the value to it`);
    else variables[name] = value;
  }
  const ours = injected.filter((name) => name.startsWith('VH_') || settingNames.includes(name)).sort();
  const strange = Object.keys(variables).filter((name) => familyName.test(name) && variables[name] !== '');
  const notes = [
    ...ours.map((name) => `${name} describes a Kubernetes service, not a setting, and was ignored`),
    ...strange.map(
      (name) => `${name} matches no setting and was ignored. NAME_FILE works for: ${settingNames.join(', ')}`,
    ),
  ];
  return { variables, notes };
}

const isInjected = (name: string, value = ''): boolean =>
  injectedName.test(name) || (/(?:^|_)PORT$/.test(name) && injectedAddress.test(value));

/** Without the line break that an editor leaves. */
function readValue(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

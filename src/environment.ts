/**
 * What stands between the environment of the process and its settings: secrets that are given as files, and names that only look like
 * settings.
 *
 * NAME_FILE in place of NAME, for settings that hold secrets, names a file with the value. Kubernetes describes every service of a namespace
 * in variables of its own: one called "vh-api" brings VH_API_SERVICE_HOST, one called "admin" ADMIN_PORT=tcp://10.0.0.7:3002. Those are
 * left out, with a note.
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
/** What it gives to NAME_PORT. */
const injectedAddress = /^(?:tcp|udp|sctp):\/\//;

/** `fail` is told the name and what is wrong with it, and throws. */
export function resolveEnvironment(
  environment: Environment,
  secretNames: readonly string[],
  fail: (name: string, problem: string) => never,
): ResolvedEnvironment {
  const variables: Record<string, string | undefined> = {};
  const injected: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (isInjected(name, value)) injected.push(name);
    else variables[name] = value;
  }
  for (const name of secretNames) {
    const file = variables[`${name}_FILE`];
    delete variables[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if ((variables[name] ?? '') !== '') fail(`${name}_FILE`, `is set beside ${name}; leave one of them out`);
    variables[name] = readSecret(file) ?? fail(`${name}_FILE`, `names ${file}, which cannot be read`);
    if (variables[name] === '') fail(`${name}_FILE`, `names ${file}, which is empty`);
  }
  const ours = injected.filter((name) => /^(?:VH_|(?:ADMIN|AUDIENCE)_PORT$)/.test(name)).sort();
  const notes = ours.map((name) => `${name} describes a service of Kubernetes; it is no setting and left out`);
  return { variables, notes };
}

const isInjected = (name: string, value = ''): boolean =>
  injectedName.test(name) || (name.endsWith('_PORT') && injectedAddress.test(value));

/** Without the line break that an editor leaves. */
function readSecret(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

/**
 * Several processes of the service on the same real stores, each with a data directory of its own, that a test may kill and start again.
 */
import type t from 'tap';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';
import { startProcess, type ProcessAddresses, type ServiceProcess } from './process.js';
import { temporaryDirectory } from './directories.js';

type Environment = Readonly<Record<string, string>>;

export interface FleetMember {
  readonly roles: string;
  readonly dataDirectory: string;
  /** null while it does not run. */
  baseUrl(): string | null;
  /** null while it does not run, empty without the role `audience`. */
  audienceUrl(): string | null;
  /** The value of a metric, summed over its labels. */
  metric(name: string): Promise<number>;
  output(): { readonly stdout: string; readonly stderr: string };
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null>;
  /** Resolves when it listens again. */
  start(): Promise<void>;
}

export interface Fleet {
  readonly members: readonly FleetMember[];
  /** Keys of the demo organization. */
  readonly keys: Bootstrap;
}

/** Starts a process for each entry of `roles` (such as "api" or "api,consumers"), all at once; one of them makes the demo organization. */
export async function startFleet(
  test: Pick<typeof t, 'teardown'>,
  settings: Environment,
  roles: readonly string[],
): Promise<Fleet> {
  const members = roles.map((one) => createMember(test, settings, one));
  await Promise.all(members.map((member) => member.start()));
  const keys = (await Promise.all(members.map((member) => member.keys()))).find((found) => found !== null);
  if (keys === undefined || keys === null) throw new Error('No process made the demo organization.');
  return { members, keys };
}

function createMember(
  test: Pick<typeof t, 'teardown'>,
  settings: Environment,
  roles: string,
): FleetMember & { keys(): Promise<Bootstrap | null> } {
  const dataDirectory = temporaryDirectory(test);
  let running: ServiceProcess | null = null;
  let addresses: ProcessAddresses | null = null;
  return {
    roles,
    dataDirectory,
    baseUrl: () => addresses?.baseUrl ?? null,
    audienceUrl: () => addresses?.audienceUrl ?? null,
    output: () => running?.output() ?? { stdout: '', stderr: '' },
    keys: async () => (running === null ? null : running.ready().catch(() => null)),
    metric: async (name) => {
      const text = await (await fetch(`${addresses?.adminUrl ?? ''}/metrics`)).text();
      return text
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    end: async (signal) => {
      addresses = null;
      return running?.end(signal) ?? null;
    },
    start: async () => {
      running = startProcess(test, {
        VH_LOG_LEVEL: 'warn',
        VH_POOL_THREADS: '1',
        ...settings,
        VH_DATA_DIR: dataDirectory,
        VH_ROLES: roles,
      });
      addresses = await running.listening();
    },
  };
}

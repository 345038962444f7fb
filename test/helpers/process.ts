/**
 * The service as an operator runs it: a process of its own, started by the command of package.json.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type t from 'tap';
import { packageRoot } from '../../src/package-root.js';
import type { Bootstrap } from '../../src/projects/operator/bootstrap.js';

export interface ProcessAddresses {
  readonly baseUrl: string;
  /** Empty without the role `audience`. */
  readonly audienceUrl: string;
  readonly adminUrl: string;
}

export interface ServiceProcess {
  readonly child: ChildProcess;
  /** The output so far. */
  output(): { readonly stdout: string; readonly stderr: string };
  /** Resolves when it listens, with the addresses that it prints; rejects when it exits first. */
  listening(): Promise<ProcessAddresses>;
  /** The same with its keys, for a process that has the demo organization’s. */
  ready(): Promise<Bootstrap>;
  /** Sends the signal and resolves to the exit code, or to the signal that ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null>;
}

/** Nothing of the machine's own settings but what any program needs, and the compiler's cache of the test run. */
export const commandEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Arguments of Node.js for a program of src/cli/, with the flags of the test run: a database of WebAssembly starts in half of the time. */
export const programOf = (name: string): readonly string[] => [
  ...process.execArgv,
  join(packageRoot, `dist/src/cli/${name}.js`),
];

/** `npm-start`: by the command that people type, in a folder that has the service, in a process group of its own. */
export type StartedBy = 'node' | 'npm-start';

export function startProcess(
  test: Pick<typeof t, 'teardown'>,
  environment: Readonly<Record<string, string>> & { readonly VH_DATA_DIR: string },
  startedBy: StartedBy = 'node',
  folder: string = packageRoot,
): ServiceProcess {
  const isNpm = startedBy === 'npm-start';
  const [file, args] = isNpm ? ['npm', ['start']] : [process.execPath, programOf('start')];
  const child = spawn(file, args, {
    cwd: isNpm ? folder : process.cwd(),
    detached: isNpm,
    env: { ...commandEnvironment, PORT: '0', AUDIENCE_PORT: '0', ADMIN_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null> => {
    if (isNpm && signal === 'SIGKILL') killGroup(child);
    else child.kill(signal);
    const [code, by] = await exited;
    return code ?? by;
  };
  const listening = async () => {
    const isUp = (): boolean => /VerifyHuman is up[^]*\/metrics\n/.test(stdout);
    const up = new Promise<void>((resolve) =>
      isUp() ? resolve() : child.stdout.on('data', () => isUp() && resolve()),
    );
    await Promise.race([up, exited.then(() => Promise.reject(new Error(`it exited: ${stderr}`)))]);
    return {
      baseUrl: addressAfter(stdout, 'API'),
      audienceUrl: addressAfter(stdout, 'Audience API'),
      adminUrl: addressAfter(stdout, 'Metrics').replace(/\/metrics$/, ''),
    };
  };
  test.teardown(() => end('SIGKILL'));
  return {
    child,
    output: () => ({ stdout, stderr }),
    end,
    listening,
    async ready() {
      await listening();
      return JSON.parse(readFileSync(join(environment.VH_DATA_DIR, 'bootstrap.json'), 'utf8')) as Bootstrap;
    },
  };
}

/** With what npm started, which would outlive it. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const addressAfter = (text: string, label: string): string =>
  new RegExp(`^ {2}${label}\\s+(http\\S+)`, 'm').exec(text)?.[1] ?? '';

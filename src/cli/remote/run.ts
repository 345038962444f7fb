/** Runs a command that calls a service, and prints what it comes to. */
import { VerifyHumanError } from '../../../sdk/node/index.js';
import { common, openRemote, readCommand, UsageError, type Output, type RemoteCommand } from './command.js';
import { importEvents } from './import-events.js';
import { evidence, score, session, sessions } from './scores.js';
import { deliveries, simulate, sources, studies } from './steering.js';

/** `events` has one verb. */
export const remoteCommands: Readonly<Record<string, RemoteCommand>> = {
  ...{ score, evidence, session, sessions, events: importEvents, sources, simulate, deliveries, studies },
};

const settings = `Options of all: --api and --key in place of API and PROJECT_KEY, --json for programs, --help.`;

/** The process around a command. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Resolves to the exit code: 2 for a mistake in the command line, 1 if the service refused or was not reached. */
export async function runRemote(
  name: string,
  args: readonly string[],
  { environment, out, err }: Surroundings,
): Promise<number> {
  const command = remoteCommands[name];
  if (command === undefined) throw new Error(`${name} calls no service`);
  try {
    const { values, positionals } = readCommand(args, command.options);
    if (values['help'] === true) out(`Usage: verifyhuman ${command.usage}\n\n${settings}\n`);
    else {
      const remote = () => openRemote(values, environment);
      const output = await command.run({ values, positionals, remote, progress: (line) => err(`${line}\n`) });
      out(values['json'] === true ? asJson(output) : `${output.text}\n`);
    }
    return 0;
  } catch (error) {
    err(`${explain(error, command)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function asJson({ data }: Output): string {
  const items: readonly unknown[] = Array.isArray(data) ? data : [data];
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

function explain(error: unknown, { usage }: RemoteCommand): string {
  if (error instanceof UsageError) return `${error.message}\n\nUsage: verifyhuman ${usage}`;
  if (!(error instanceof VerifyHumanError)) throw error;
  const { code, message, issues, requestId } = error;
  // The message of a single issue is that of the error.
  const lines = issues.length < 2 ? [] : issues.slice(0, 10).map((issue) => `  ${issue.path} ${issue.message}`);
  return [`${code}: ${message}`, ...lines, ...(requestId === null ? [] : [`request ${requestId}`])].join('\n');
}

/** For completions: the names of the options of a command. */
export const optionsOf = (command: RemoteCommand): string[] =>
  Object.keys({ ...command.options, ...common }).map((name) => `--${name}`);

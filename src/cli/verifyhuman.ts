#!/usr/bin/env node
/** The command `verifyhuman`: starts the service, runs one of the operator’s commands, each a file of this folder, or calls a service. */
import { fileURLToPath } from 'node:url';
import { packageCommit, packageVersion } from '../package-root.js';

const operatorCommands: Readonly<Record<string, string>> = {
  start: 'starts the service',
  doctor: 'checks settings, machine and stores before a start',
  keys: 'prints the demo organization’s addresses and keys as shell exports',
  token: 'prints a dashboard token of the embedded issuer',
  console: 'prints a link that signs in to the console once',
  admin: 'runs an operator’s command: migrate, create-organization, explain, …',
  receiver: 'receives webhooks and prints them',
  'copy-database': 'copies the embedded database into the one of DATABASE_URL',
  'verify-receipts': 'checks receipts, their chain and its signed heads',
  faces: 'measures a face model',
};

const [name = '--help', ...rest] = process.argv.slice(2);
if (name === '--version') process.stdout.write(`verifyhuman ${packageVersion} (${packageCommit})\n`);
else if (Object.hasOwn(operatorCommands, name)) await runFile(name);
else await runOther();

/** A command of the operator reads its arguments as if it were run by itself. */
async function runFile(command: string): Promise<void> {
  const file = new URL(`./${command}.js`, import.meta.url);
  process.setSourceMapsEnabled(true);
  process.argv = [process.execPath, fileURLToPath(file), ...rest];
  await import(file.href);
}

async function runOther(): Promise<void> {
  const { remoteCommands, runRemote, optionsOf } = await import('./remote/run.js');
  if (Object.hasOwn(remoteCommands, name)) {
    process.exitCode = await runRemote(name, rest, {
      environment: process.env,
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
    });
  } else if (name === 'completion') {
    const { bashCompletion } = await import('./completion.js');
    const remote = Object.entries(remoteCommands).map(([command, known]) => [command, optionsOf(known)] as const);
    const operator = Object.keys(operatorCommands).map((command) => [command, []] as const);
    process.stdout.write(bashCompletion([...operator, ...remote]));
  } else {
    const others = Object.entries(remoteCommands).map(([command, { does }]) => [command, does] as const);
    const isHelp = name === '--help';
    (isHelp ? process.stdout : process.stderr).write(`${isHelp ? '' : `"${name}" is no command.\n\n`}${help(others)}`);
    process.exitCode = isHelp ? 0 : 2;
  }
}

function help(remote: readonly (readonly [string, string])[]): string {
  const list = (commands: readonly (readonly [string, string])[]): string =>
    commands.map(([command, does]) => `  ${command.padEnd(17)}${does}\n`).join('');
  return `Usage: verifyhuman COMMAND [OPTIONS]

On the machine of a service:
${list(Object.entries(operatorCommands))}
Against a service, whose address and key are in API and PROJECT_KEY:
${list(remote)}
  completion       prints completions for bash: eval "$(verifyhuman completion)"
  --version        prints the version and its commit

"verifyhuman COMMAND --help" says more about a command against a service.
`;
}

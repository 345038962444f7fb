#!/usr/bin/env node
/** The command `verifyhuman`: starts the service or runs one of the operator’s commands, each a file of this folder. */
import { fileURLToPath } from 'node:url';
import { packageCommit, packageVersion } from '../package-root.js';

const commands: Readonly<Record<string, string>> = {
  start: 'starts the service',
  keys: 'prints the demo organization’s addresses and keys as shell exports',
  token: 'prints a dashboard token of the embedded issuer',
  console: 'prints a link that signs in to the console once',
  admin: 'runs an operator’s command: migrate, create-organization, explain, …',
  receiver: 'receives webhooks and prints them',
  faces: 'measures a face model',
};

const [name = '--help', ...rest] = process.argv.slice(2);
if (name === '--version') process.stdout.write(`verifyhuman ${packageVersion} (${packageCommit})\n`);
else if (name === '--help') process.stdout.write(help());
else if (Object.hasOwn(commands, name)) await run(name);
else {
  process.stderr.write(`"${name}" is no command.\n\n${help()}`);
  process.exitCode = 1;
}

async function run(command: string): Promise<void> {
  const file = new URL(`./${command}.js`, import.meta.url);
  process.setSourceMapsEnabled(true);
  process.argv = [process.execPath, fileURLToPath(file), ...rest];
  await import(file.href);
}

function help(): string {
  const lines = Object.entries(commands).map(([command, does]) => `  ${command.padEnd(10)}${does}`);
  return `Usage: verifyhuman COMMAND [OPTIONS]\n\n${lines.join('\n')}\n\n  --version prints the version and its commit\n`;
}

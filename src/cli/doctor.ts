/** `verifyhuman doctor`: checks the settings in the environment, this machine and the stores before a start, and writes nothing. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readSettings, SettingError } from '../config/read.js';
import { failed, type Finding } from './doctor/finding.js';
import { checkSettings, type Machine } from './doctor/settings-checks.js';
import { checkStores } from './doctor/store-checks.js';

const dayMs = 86_400_000;
const isJson = readOptions();
const findings = await examine();
for (const { check, status, text } of findings)
  process.stdout.write(
    isJson ? `${JSON.stringify({ check, status, text })}\n` : `${status.padEnd(8)} ${check}: ${text}\n`,
  );
process.exitCode = findings.some(({ status }) => status === 'failed') ? 1 : 0;

/** Whether each finding is a line of JSON. */
function readOptions(): boolean {
  try {
    return parseArgs({ options: { json: { type: 'boolean', default: false } } }).values.json;
  } catch (error) {
    process.stderr.write(`${(error as Error).message.split('. ')[0]}. It is written\n  doctor [--json]\n`);
    process.exit(1);
  }
}

async function examine(): Promise<readonly Finding[]> {
  try {
    const settings = readSettings(process.env);
    return [...checkSettings(settings, readMachine(settings.VH_DATA_DIR)), ...(await checkStores(settings))];
  } catch (error) {
    const problems = error instanceof SettingError ? error.all : [error as Error];
    return problems.map(({ message }) => failed('settings', `${message}.`));
  }
}

function readMachine(directory: string): Machine {
  const keyFile = process.env['VH_MASTER_KEY_FILE'] ?? join(directory, 'master.key');
  return {
    nodeVersion: process.versions.node,
    freeBytes: orNull(() => {
      const { bavail, bsize } = statfsSync(directory);
      return bavail * bsize;
    }),
    canWrite: canWrite(resolve(directory)),
    masterKeyFile: orNull(() => ({ path: keyFile, mode: statSync(keyFile).mode & 0o777 })),
    fileDays: (path) => orNull(() => (Date.now() - statSync(path).mtimeMs) / dayMs),
  };
}

/** For a directory that is missing, whether it can be made. */
function canWrite(directory: string): boolean {
  if (!existsSync(directory)) return canWrite(dirname(directory));
  const mode = constants.W_OK | constants.X_OK;
  return orNull(() => accessSync(directory, mode)) !== null && statSync(directory).isDirectory();
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

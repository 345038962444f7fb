/**
 * `npm run keys`: prints the demo organization’s addresses and keys as exports for a shell, and nothing else. Waits for a first start that has
 * not come so far, and says so on standard error.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { readSettings } from '../config/read.js';
import { readBootstrap } from '../projects/operator/bootstrap.js';
import { print } from './print.js';
import { exportLines } from './shell-names.js';

const everyMs = 200;
const patienceMs = 30_000;

await print(async () => {
  const { VH_DATA_DIR: directory } = readSettings(process.env);
  for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += everyMs) {
    const bootstrap = readBootstrap(directory);
    if (bootstrap !== null) return exportLines(bootstrap).join('\n');
    if (waitedMs === 0) process.stderr.write(`Waiting for the first start: ${directory} has no bootstrap.json.\n`);
    await pause(everyMs);
  }
  throw new Error(
    `${directory} has no bootstrap.json. Set the data directory of the service: VH_DATA_DIR=… npm run keys.`,
  );
});

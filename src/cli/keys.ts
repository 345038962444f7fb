/** `npm run keys`: prints the demo organization’s addresses and keys as exports for a shell, and nothing else. */
import { readSettings } from '../config/read.js';
import { readBootstrap } from '../projects/operator/bootstrap.js';
import { exportLines } from './shell-names.js';

try {
  const { VH_DATA_DIR: directory } = readSettings(process.env);
  const bootstrap = readBootstrap(directory);
  if (bootstrap === null)
    throw new Error(
      `${directory} has no bootstrap.json. Set the data directory of the service: VH_DATA_DIR=… npm run keys.`,
    );
  process.stdout.write(`${exportLines(bootstrap).join('\n')}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

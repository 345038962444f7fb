/** `npm run keys`: prints the demo organization’s addresses and keys as exports for a shell, and nothing else. */
import { readSettings } from '../config/read.js';
import { readBootstrap } from '../projects/operator/bootstrap.js';
import { print } from './print.js';
import { exportLines } from './shell-names.js';

await print(() => {
  const { VH_DATA_DIR: directory } = readSettings(process.env);
  const bootstrap = readBootstrap(directory);
  if (bootstrap !== null) return exportLines(bootstrap).join('\n');
  throw new Error(
    `${directory} has no bootstrap.json. Set the data directory of the service: VH_DATA_DIR=… npm run keys.`,
  );
});

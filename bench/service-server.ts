/** The service in a throw-away directory, as `npm start` would run it: on embedded stores, or on those that the environment names. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../src/config/read.js';
import { startService } from '../src/main.js';
import { createLogger } from '../src/telemetry/logger.js';
import { reportLoopDelay } from './loop-delay.js';

const directory = mkdtempSync(join(tmpdir(), 'verifyhuman-bench-'));
// The load comes from one page, as it were.
const settings = readSettings({
  VH_PUBLIC_PER_MINUTE: '0',
  ...process.env,
  PORT: '0',
  AUDIENCE_PORT: '0',
  ADMIN_PORT: '0',
  VH_DATA_DIR: directory,
  VH_LOG_LEVEL: 'warn',
});
const service = await startService(settings, createLogger('warn', process.stderr));
reportLoopDelay();
process.send?.(service.bootstrap);
process.on('SIGTERM', () => {
  void service.stop().then(() => {
    rmSync(directory, { recursive: true, force: true });
    process.exit(0);
  });
});

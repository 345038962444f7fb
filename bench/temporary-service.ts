/** Runs the service in this process, as `npm start` would, in a data directory that SIGTERM removes: on embedded stores, or on those that the environment names. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../src/config/read.js';
import { startService, type Service } from '../src/main.js';
import { createLogger } from '../src/telemetry/logger.js';
import { copyCluster } from '../test/helpers/embedded.js';

export async function startTemporaryService(): Promise<Service['bootstrap']> {
  const directory = mkdtempSync(join(tmpdir(), 'verifyhuman-bench-'));
  const settings = readSettings({
    // All load comes from one address.
    VH_PUBLIC_PER_MINUTE: '0',
    VH_PUBLIC_PER_ADDRESS: '0',
    ...process.env,
    PORT: '0',
    AUDIENCE_PORT: '0',
    ADMIN_PORT: '0',
    VH_DATA_DIR: directory,
    VH_LOG_LEVEL: 'warn',
  });
  if (settings.DATABASE_URL === null) await copyCluster(join(directory, 'database'));
  const service = await startService(settings, createLogger('warn', process.stderr));
  process.on('SIGTERM', () => {
    void service.stop().then(() => {
      rmSync(directory, { recursive: true, force: true });
      process.exit(0);
    });
  });
  return service.bootstrap;
}

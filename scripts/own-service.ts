/** A service on embedded stores of its own, for scripts that write what it answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../src/config/read.js';
import { startService } from '../src/main.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { createLogger } from '../src/telemetry/logger.js';

/** Runs the service while `work` lasts, in a directory that goes with it. */
export async function withOwnService(work: (bootstrap: Bootstrap) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'vh-script-'));
  const settings = { PORT: '0', AUDIENCE_PORT: '0', ADMIN_PORT: '0', VH_DATA_DIR: directory };
  const service = await startService(readSettings(settings), createLogger('error', process.stderr));
  try {
    await work(service.bootstrap as Bootstrap);
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** `npm run replies`: records the replies that the API document shows, from a service of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { readSettings } from '../src/config/read.js';
import { repliesPath } from '../src/http/openapi.js';
import { startService } from '../src/main.js';
import { packageRoot } from '../src/package-root.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { createLogger } from '../src/telemetry/logger.js';
import { recordReplies } from './replies.js';

const directory = mkdtempSync(join(tmpdir(), 'vh-replies-'));
const settings = { PORT: '0', AUDIENCE_PORT: '0', ADMIN_PORT: '0', VH_DATA_DIR: directory };
const service = await startService(readSettings(settings), createLogger('error', process.stderr));
try {
  const replies = await recordReplies(service.bootstrap as Bootstrap);
  const path = join(packageRoot, repliesPath);
  writeFileSync(path, await format(JSON.stringify(replies), { ...(await resolveConfig(path)), parser: 'json' }));
} finally {
  await service.stop();
  rmSync(directory, { recursive: true, force: true });
}

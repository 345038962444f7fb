/** Writes the documents of the API and of studies to dist/openapi, from a service of its own: the pages of the HTTP reference are made of them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../src/config/read.js';
import { startService } from '../src/main.js';
import { packageRoot } from '../src/package-root.js';
import type { Bootstrap } from '../src/projects/operator/bootstrap.js';
import { createLogger } from '../src/telemetry/logger.js';

const directory = mkdtempSync(join(tmpdir(), 'vh-openapi-'));
const settings = { PORT: '0', AUDIENCE_PORT: '0', ADMIN_PORT: '0', VH_DATA_DIR: directory };
const service = await startService(readSettings(settings), createLogger('error', process.stderr));
try {
  const { baseUrl, audienceUrl } = service.bootstrap as Bootstrap;
  const out = join(packageRoot, 'dist', 'openapi');
  mkdirSync(out, { recursive: true });
  for (const [name, root] of Object.entries({ api: baseUrl, studies: audienceUrl })) {
    const document = await (await fetch(`${root}/openapi.json`)).text();
    writeFileSync(join(out, `${name}.json`), document);
  }
} finally {
  await service.stop();
  rmSync(directory, { recursive: true, force: true });
}

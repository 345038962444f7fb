/** Writes the documents of the API and of studies to dist/openapi, from a service of its own: the pages of the HTTP reference are made of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/package-root.js';
import { withOwnService } from './own-service.js';

await withOwnService(async ({ baseUrl, audienceUrl }) => {
  const out = join(packageRoot, 'dist', 'openapi');
  mkdirSync(out, { recursive: true });
  for (const [name, root] of Object.entries({ api: baseUrl, studies: audienceUrl })) {
    const document = await (await fetch(`${root}/openapi.json`)).text();
    writeFileSync(join(out, `${name}.json`), document);
  }
});

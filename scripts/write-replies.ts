/** `npm run replies`: records the replies that the API document shows, from a service of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repliesPath } from '../src/http/openapi.js';
import { packageRoot } from '../src/package-root.js';
import { withOwnService } from './own-service.js';
import { recordReplies } from './replies.js';

await withOwnService(async (bootstrap) => {
  const replies = await recordReplies(bootstrap);
  const path = join(packageRoot, repliesPath);
  writeFileSync(path, await format(JSON.stringify(replies), { ...(await resolveConfig(path)), parser: 'json' }));
});

/** `npm run replies`: records the replies that the API document shows, from a service of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repliesPath } from '../src/http/openapi.js';
import { packageRoot } from '../src/package-root.js';
import { withOwnService } from './own-service.js';
import { recordReplies } from './replies.js';

await withOwnService(async (bootstrap) => {
  const replies = await recordReplies(bootstrap);
  writeFileSync(join(packageRoot, repliesPath), JSON.stringify(replies));
});

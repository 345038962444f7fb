import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { renderReference } from '../../scripts/reference.js';
import { packageRoot } from '../../src/package-root.js';

t.test('the reference pages say what the code says: every error code, setting and metric', async (t) => {
  for (const [path, text] of Object.entries(await renderReference())) {
    t.equal(readFileSync(join(packageRoot, path), 'utf8'), text, `${path} is as \`npm run reference\` writes it`);
  }
});

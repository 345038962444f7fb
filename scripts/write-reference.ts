/** `npm run reference`: writes the reference pages. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/package-root.js';
import { renderReference } from './reference.js';

for (const [path, text] of Object.entries(await renderReference())) writeFileSync(join(packageRoot, path), text);

/** Records what this version stores and promises in test/compatibility: right for what is new, wrong for anything that changed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { write } from '../test/compatibility/golden.js';

const folder = mkdtempSync(join(tmpdir(), 'verifyhuman-golden-'));
await write(folder);
rmSync(folder, { recursive: true });

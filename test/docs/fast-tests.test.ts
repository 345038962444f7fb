import t from 'tap';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '../helpers/directories.js';
import { repositoryPath } from '../helpers/repository.js';

const { createIsFast } = (await import(repositoryPath('scripts/fast-tests.mjs'))) as {
  createIsFast: () => (path: string) => boolean;
};

t.test('a test is fast if nothing that it imports can start a service, a database or a process', (t) => {
  const root = temporaryDirectory(t);
  const files = {
    'pure.test.js': "import t from 'tap';\nimport { rules } from './rules.js';",
    'rules.js': "import { clamp } from './pure/clamp.js';\nexport { pick } from './missing.js';",
    'pure/clamp.js': "import '../rules.js';",
    'service.test.js': "import { start } from './helpers/service.js';",
    'helpers/service.js': "export { open } from '../stores/open.js';",
    'stores/open.js': "import pg from 'pg';",
    'later.test.js': "const { spawn } = await import('node:child_process');",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const isFast = createIsFast();
  t.same(
    Object.keys(files).filter((path) => path.endsWith('.test.js') && isFast(join(root, path))),
    ['pure.test.js'],
  );
  t.end();
});

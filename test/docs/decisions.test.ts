import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { repositoryPath, repositoryRoot } from '../helpers/repository.js';

const kept = readdirSync(repositoryPath('docs/internals/adr'));
const files = execFileSync('git', ['ls-files', '*.ts', '*.sql', '*.lua', '*.md', '*.js', '*.mjs', '*.yml'], {
  cwd: repositoryRoot,
  encoding: 'utf8',
});

t.test('every decision that is referred to is there', (t) => {
  const missing = files
    .trim()
    .split('\n')
    .flatMap((file) =>
      [...readFileSync(repositoryPath(file), 'utf8').matchAll(/adr\/(\d{4}[a-z0-9-]*)/g)]
        .filter(([, decision = '']) => !kept.some((name) => name.startsWith(decision)))
        .map(([reference]) => `${file}: ${reference}`),
    );
  t.same(missing, []);
  t.end();
});

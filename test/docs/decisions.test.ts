import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { readRepositoryFile, repositoryPath, repositoryRoot } from '../helpers/repository.js';

const folder = 'docs/internals/adr';
const kept = readdirSync(repositoryPath(folder)).filter((name) => name !== 'README.md');
const files = execFileSync('git', ['ls-files', '*.ts', '*.sql', '*.lua', '*.md', '*.js', '*.mjs', '*.yml'], {
  cwd: repositoryRoot,
  encoding: 'utf8',
});

t.test('every decision that is referred to is there', (t) => {
  const missing = files
    .trim()
    .split('\n')
    .flatMap((file) => {
      const text = readFileSync(repositoryPath(file), 'utf8');
      const named = [...text.matchAll(/adr\/(\d{4}[a-z0-9-]*)/g)].map(([, decision = '']) => decision);
      const numbered = [...text.matchAll(/\bADR (\d+)\b/g)].map(([, number = '']) => number.padStart(4, '0'));
      return [...named, ...numbered]
        .filter((decision) => !kept.some((name) => name.startsWith(decision)))
        .map((decision) => `${file}: ${decision}`);
    });
  t.same(missing, []);
  t.end();
});

t.test('decisions are numbered without a gap, and the index lists each with its title', (t) => {
  const index = readRepositoryFile(`${folder}/README.md`);
  const listed = [...index.matchAll(/\[(\d+\. [^\]]+)\]\(([^)]+)\)/g)].map(([, title, name]) => ({ title, name }));
  const titles = kept.map((name) => ({ title: /^# (.+)$/m.exec(readRepositoryFile(`${folder}/${name}`))?.[1], name }));
  t.same(listed, titles);
  kept.forEach((name, position) => {
    t.equal(Number(name.slice(0, 4)), position + 1);
    t.ok(titles[position]?.title?.startsWith(`${position + 1}. `), name);
  });
  t.end();
});

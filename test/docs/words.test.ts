/** The check of words and names, on a made-up tree. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { temporaryDirectory } from '../helpers/directories.js';
import { repositoryPath } from '../helpers/repository.js';

const list = `# Words

## Words to replace

| instead of | write |
|---|---|
| \`told\`, \`tell\` | report |
| \`as fast as answered\` | closed loop |

## Words to replace in texts

| instead of | write |
|---|---|
| \`nobody\` | the respondent |

## Names to replace

| instead of | write |
|---|---|
| \`stepOut\` | \`release\` |
| \`Place\` | \`LogPosition\` |

## Beginnings of comments

| instead of | write |
|---|---|
| \`Of\`, \`What\` | a sentence |
`;

interface Allowed {
  readonly folders?: readonly string[];
  readonly occurrences?: readonly { readonly file: string; readonly word: string; readonly reason: string }[];
}

function check(t: Test, files: Readonly<Record<string, string>>, { folders = [], occurrences = [] }: Allowed = {}) {
  const root = temporaryDirectory(t);
  const all = {
    'docs/internals/words.md': list,
    'scripts/allowed-words.json': JSON.stringify({ folders, occurrences }),
    ...Object.fromEntries(
      ['src', 'workers', 'sdk', 'bench', 'research', 'console', 'examples', 'deploy', 'scripts', 'test'].map((folder) => [
        `${folder}/empty.ts`,
        '',
      ]),
    ),
    ...files,
  };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const { status, stdout } = spawnSync(process.execPath, [repositoryPath('scripts/check-words.mjs'), root], {
    encoding: 'utf8',
  });
  return { status, lines: stdout.split('\n').filter((line) => line !== '') };
}

t.test('a tree without replaced words passes', async (t) => {
  t.same(check(t, { 'src/a.ts': '// A tellurium title, foretold.\nexport const stepOutside = 1;\n' }), {
    status: 0,
    lines: [],
  });
});

t.test('each word is refused with its place and what to write, in any case and inside identifiers', async (t) => {
  const { status, lines } = check(t, {
    'src/a.ts': 'export const a = 1;\n/** Tell it. */\nexport const tellLoss = 1;\n',
    'workers/b.lua': '-- as fast as answered\n',
    'sdk/page/c.css': '.is-told{}\n',
    'bench/d.json': '"told"',
  });
  t.equal(status, 1);
  t.same(lines, [
    'src/a.ts:2  tell: write report',
    'src/a.ts:3  tell: write report',
    'workers/b.lua:1  as fast as answered: write closed loop',
    'sdk/page/c.css:1  told: write report',
  ]);
});

t.test('a name that prose may use is refused in code only', async (t) => {
  const { lines } = check(t, {
    'src/a.ts': "// Place of a thing; stepOut\nconst text = 'Place';\nexport type Place = string;\n",
  });
  t.same(lines, ['src/a.ts:1  stepOut: write `release`', 'src/a.ts:3  Place: write `LogPosition`']);
});

t.test('a word of texts is refused between quotes, and free in comments and as a name', async (t) => {
  const { lines } = check(t, {
    'src/a.ts': "// Nobody waits.\nconst kind = 'nobody';\nconst text = 'Nobody waits.';\n/** `nobody waits` */\n",
    'deploy/b.yml': 'summary: "It waits for nobody."\n',
    'console/c.tsx': '// told\n',
  });
  t.same(lines, [
    'src/a.ts:3  nobody: write the respondent',
    'console/c.tsx:1  told: write report',
    'deploy/b.yml:1  nobody: write the respondent',
  ]);
});

t.test('a comment that begins as a fragment is refused, also in a later line; a question is free', async (t) => {
  const { lines } = check(t, {
    'src/a.ts': '/** Of one call. */\n/**\n * Waits.\n * What it waits for.\n */\n// Often. Of a call.\nconst text = "Of one";\n',
    'workers/b.lua': '-- What is kept.\n',
    'sdk/c.ts': '// What is kept?\n/** What is kept? */\n',
    'deploy/d.yml': '# Of a deployment.\n',
    'test/e.test.ts': '// What it tells.\n',
    'test/f.md': '# What a page is called\n',
  });
  t.same(lines, [
    'src/a.ts:1  comment that begins with Of: write a sentence',
    'src/a.ts:4  comment that begins with What: write a sentence',
    'workers/b.lua:1  comment that begins with What: write a sentence',
    'deploy/d.yml:1  comment that begins with Of: write a sentence',
    'test/e.test.ts:1  comment that begins with What: write a sentence',
  ]);
});

t.test('folders that are not clean yet and single occurrences can be excepted', async (t) => {
  const files = { 'src/old/a.ts': '// told\n', 'sdk/texts.ts': "export const text = 'Please tell us.';\n" };
  const occurrences = [{ file: 'sdk/texts.ts', word: 'tell', reason: 'respondents see it' }];
  t.same(check(t, files, { folders: ['src/old'], occurrences }), { status: 0, lines: [] });
});

t.test('an exception that nothing uses is refused, and so are twenty occurrences', async (t) => {
  const occurrences = [{ file: 'src/a.ts', word: 'tell', reason: 'none' }];
  t.match(check(t, {}, { occurrences }), { status: 1, lines: [/tell in src\/a\.ts is not used/] });
  const files = { 'src/a.ts': '// tell\n'.repeat(20) };
  t.match(check(t, files, { occurrences }), { status: 1, lines: [/allows 20 occurrences/] });
});

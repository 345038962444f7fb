/** The check of how documentation reads, on a made-up tree. */
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
| \`told\` | report |

## Words to replace in texts

| instead of | write |
|---|---|
| \`nobody\` | the respondent |
`;
const words = (count: number): string => `One ${Array.from({ length: count - 1 }, () => 'word').join(' ')}`;
const page = (...paragraphs: readonly string[]): string => ['# Page', ...paragraphs].join('\n\n');
const path = 'docs/how-to/page.md';

/** Runs the check on these pages, and gives the lines that it prints. */
function check(t: Test, pages: Readonly<Record<string, string>>): readonly string[] {
  const root = temporaryDirectory(t);
  const pagesOfAll = { 'docs/internals/words.md': list, ...pages };
  for (const [name, content] of Object.entries(pagesOfAll)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  const given = Object.keys(pages).map((name) => join(root, name));
  const script = repositoryPath('scripts/check-prose.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--root', root, ...given], { encoding: 'utf8' });
  t.equal(stderr, '');
  const lines = stdout.split('\n').filter((line) => line !== '');
  t.equal(status, lines.length > 0 ? 1 : 0);
  return lines;
}

t.test('plain sentences, code, links and questions pass', async (t) => {
  const text = page(
    'Send the call: it returns `told` and `a; b: c; d`.',
    'See [the page](page.md#page). What does it return? Nothing else.',
    '```sh\necho told; echo nobody\n```',
  );
  t.same(check(t, { [path]: text }), []);
});

t.test('each fault names its line', async (t) => {
  for (const [text, fault] of [
    [`${words(41)}.`, /page\.md:3  a sentence of 41 words/],
    [`${words(26)}. ${words(26)}.`, /page\.md:3  2 of 2 sentences have more than 25 words/],
    ['One; two; three.', /page\.md:3  more than one ; or :/],
    ['Of a large one.', /page\.md:3  begins as a fragment/],
    ['| a | b |\n|---|---|\n| `x` | What it is |', /page\.md:5  begins as a fragment/],
    ['The caller is told.', /page\.md:3  told: write report/],
    ['Nobody answers.', /page\.md:3  nobody: write the respondent/],
    ['See [it](#else).', /page\.md:3  no heading for #else/],
    ['See [it](other.md).', /page\.md:3  links to nothing: other\.md/],
    [Array.from({ length: 151 }, () => `${words(10)}.`).join(' '), /page\.md:1  1511 words, more than 1500/],
  ] as const) {
    const lines = check(t, { [path]: page(text) });
    t.equal(lines.length, 1, lines.join());
    t.match(lines[0], fault);
  }
});

t.test('a page lies in the folder of its type', async (t) => {
  t.match(check(t, { 'docs/page.md': page('Short.') }), [/lies in none of tutorials, how-to/]);
});

/** Every block of code in the guides runs, in the order of its page, against a whole service. */
import { readdirSync } from 'node:fs';
import t from 'tap';
import { settings } from '../../src/config/settings.js';
import { blocksOf, prepareProject } from '../helpers/guide-blocks.js';
import { readRepositoryFile, repositoryPath } from '../helpers/repository.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { startTestService } from '../helpers/service.js';

const guides = [
  'docs/tutorials/first-score.md',
  ...['score-from-other-languages', 'hash-identities', 'evaluate', 'calibrate', 'step-up', 'go-live'].map(
    (name) => `docs/how-to/${name}.md`,
  ),
];
/** Pages of all languages have a test of their own. */
const elsewhere = new Set(['python', 'php', 'go']);
const runInAllLanguages = new Set(['docs/how-to/score-from-other-languages.md', 'docs/how-to/hash-identities.md']);
const service = await startTestService(t);
const { projectKey, organizationKey, projectId, baseUrl, siteUrl } = service.bootstrap;
const run = await prepareProject(temporaryDirectory(t), {
  PROJECT_KEY: projectKey,
  ORGANIZATION_KEY: organizationKey,
  PROJECT_ID: projectId,
  API: baseUrl,
  SALT: 'correct horse battery staple',
});
/** What single blocks have to print; the others have to end well. */
const printed: Readonly<Record<string, RegExp>> = {
  'docs/tutorials/first-score.md, block 2 (js)': /^accept$/,
  'docs/tutorials/first-score.md, block 4 (sh)': /^"recommendation":"allow"\n"recommendation":"review"\n"recommendation":"block"\n"recommendation":"allow"$/,
  'docs/tutorials/first-score.md, block 5 (sh)': /"noProbeRiskScore":45/,
  'docs/tutorials/first-score.md, block 6 (sh)': /"sessionId":"s-1001"/,
  'docs/tutorials/first-score.md, block 7 (js)': /^2 1 \[\]$/,
  'docs/how-to/step-up.md, block 1 (js)': /^heavy (?:allow|review) true$/,
  'docs/how-to/evaluate.md, block 1 (js)': /^none confirmed \d+$/,
  'docs/how-to/calibrate.md, block 1 (sh)': /"hypothetical"/,
  'docs/how-to/calibrate.md, block 2 (sh)': /insufficient_data/,
  'docs/how-to/calibrate.md, block 4 (js)': /^38 70$/,
  'docs/how-to/go-live.md, block 2 (js)': /^allow NETWORK_ERROR$/,
  'docs/how-to/go-live.md, block 3 (sh)': /"sessions":\[/,
  'docs/how-to/go-live.md, block 4 (js)': /\w/,
};

for (const page of ['docs/reference/node.md', ...guides]) {
  t.test(`${page}: every block runs`, { timeout: 200_000 }, async (t) => {
    const blocks = blocksOf(page).filter(({ language }) => !elsewhere.has(language));
    t.ok(blocks.length > 0);
    for (const block of blocks) {
      if (block.language === 'html') await checkTag(t, block.code);
      else t.match(await run(block), printed[block.name] ?? /^/, block.name);
    }
    t.ok(readRepositoryFile(page).split('\n').length <= 150, 'the page is short');
  });
}

t.test('no block of code is passed over: each names a language that runs here, or one that runs on its own page', (t) => {
  for (const page of guides) {
    const blocks = blocksOf(page);
    t.equal(readRepositoryFile(page).match(/^\s*(?:```|~~~)/gm)?.length ?? 0, 2 * blocks.length, `${page}: all fences`);
    const others = blocks.filter(({ language }) => elsewhere.has(language));
    t.ok(others.length === 0 || runInAllLanguages.has(page), `${page}: ${others.map(({ name }) => name).join()}`);
  }
  t.end();
});

t.test('what is said to be printed belongs to blocks that exist', (t) => {
  const names = new Set(guides.flatMap(blocksOf).map(({ name }) => name));
  t.strictSame(
    Object.keys(printed).filter((name) => !names.has(name)),
    [],
  );
  t.end();
});

t.test('no page or example names a variable that would stop the service: what begins with VH_ is a setting', (t) => {
  const pages = readdirSync(repositoryPath('docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  const examples = readdirSync(repositoryPath('examples'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.includes('node_modules'))
    .map((name) => `examples/${name}`);
  const texts = ['README.md', ...pages, ...examples].filter((name) => /\.(?:md|m?jsx?)$/.test(name));
  t.ok(texts.length > 40);
  const unknown = texts.flatMap((name) =>
    [...readRepositoryFile(name).matchAll(/\bVH_[A-Z_]+\b/g)]
      .filter(([variable]) => !(variable in settings))
      .map(([variable]) => `${name}: ${variable}`),
  );
  t.strictSame(unknown, []);
  t.end();
});

t.test('the guides are linked from the README', (t) => {
  const readme = readRepositoryFile('README.md');
  for (const page of guides) t.ok(readme.includes(`(${page})`), page);
  t.end();
});

/** A tag of the probe names a script that is served, and attributes that it reads. */
async function checkTag(test: Pick<typeof t, 'match' | 'equal'>, html: string): Promise<void> {
  const path = /src="https:\/\/verify\.example([^"]+)"/.exec(html)?.[1] ?? '';
  const script = await fetch(siteUrl + path);
  test.equal(script.status, 200, path);
  const text = await script.text();
  const attributes = [...html.matchAll(/ data-([\w-]+)=/g)].map(([, name = '']) =>
    name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  test.equal(attributes.length, 2);
  for (const name of attributes) test.match(text, name);
}

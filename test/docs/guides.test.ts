/** Every block of code in the guides runs, in the order of its page, against a whole service. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import t from 'tap';
import { settings } from '../../src/config/settings.js';
import { blocksOf, inOneShell, prepareProject, type Block } from '../helpers/guide-blocks.js';
import { readRepositoryFile, repositoryPath, repositoryRoot } from '../helpers/repository.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { freePort } from '../helpers/ports.js';
import { startTestService } from '../helpers/service.js';

const guides = [
  ...['score-from-other-languages', 'hash-identities', 'install-the-probe', 'act-on-verdicts', 'report-outcomes'],
  ...['receive-webhooks', 'evaluate', 'calibrate', 'step-up', 'go-live', 'send-hosted-links', 'check-tokens'],
  ...['retry-a-verification', 'set-up-a-study', 'limit-a-study', 'set-verification-rules'],
  ...['compare-respondents-across-studies', 'use-score-mode', 'export-a-respondent'],
].map((name) => `docs/how-to/${name}.md`);
/** Pages of all languages have a test of their own. */
const elsewhere = new Set(['python', 'php', 'go']);
/** These languages are shown and not run. `.ci/python-client` runs `py`, with the package that it installs. */
const shown = new Set(['http', 'text', 'nginx', 'py', 'json']);
const runInAllLanguages = new Set(['docs/how-to/score-from-other-languages.md', 'docs/how-to/hash-identities.md']);
const service = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
const { projectKey, organizationKey, projectId, baseUrl, siteUrl, audienceUrl } = service.bootstrap;
const folder = temporaryDirectory(t);
const runBlock = await prepareProject(folder, {
  PROJECT_KEY: projectKey,
  ORGANIZATION_KEY: organizationKey,
  PROJECT_ID: projectId,
  API: baseUrl,
  AUDIENCE: audienceUrl,
  SALT: 'correct horse battery staple',
});
/** Single blocks have to print this; the others have to end well. */
const printed: Readonly<Record<string, RegExp>> = {
  'docs/how-to/install-the-probe.md, block 6 (sh)': /"sessionId":"s-1001"/,
  'docs/how-to/install-the-probe.md, block 7 (sh)': /"noProbeRiskScore":45/,
  'docs/how-to/act-on-verdicts.md, block 1 (js)': /^(?:accept|keep, and check it today)$/,
  'docs/how-to/act-on-verdicts.md, block 3 (sh)': /^"recommendation":"allow"\n"recommendation":"review"\n"recommendation":"block"\n"recommendation":"allow"$/,
  'docs/how-to/report-outcomes.md, block 1 (js)': /^2 1 \[\]$/,
  'docs/how-to/report-outcomes.md, block 2 (sh)': /^2 lines: 0 accepted, 2 known before, 0 refused\.$/,
  'docs/how-to/receive-webhooks.md, block 1 (sh)': /"secret":"/,
  'docs/how-to/receive-webhooks.md, block 2 (js)': /^verification\.completed \S+ pass$/,
  'docs/how-to/send-hosted-links.md, block 1 (sh)': /"url":"/,
  'docs/how-to/check-tokens.md, block 1 (js)': /^MALFORMED$/,
  'docs/how-to/check-tokens.md, block 2 (sh)': /"error":"MALFORMED"/,
  'docs/how-to/set-up-a-study.md, block 1 (sh)': /"status":"fielding"/,
  'docs/how-to/set-up-a-study.md, block 2 (sh)': /"sample_size":600[^]*"status":"paused"/,
  'docs/how-to/limit-a-study.md, block 1 (sh)': /"limits":\{"perAddress":30\}/,
  'docs/how-to/set-verification-rules.md, block 1 (sh)': /"minimumAssurance":"biometric"/,
  'docs/how-to/use-score-mode.md, block 1 (sh)': /"verificationMode":"score"/,
  'docs/how-to/step-up.md, block 1 (js)': /^heavy (?:allow|review) true$/,
  'docs/how-to/evaluate.md, block 1 (js)': /^none confirmed \d+$/,
  'docs/how-to/calibrate.md, block 1 (sh)': /"hypothetical"/,
  'docs/how-to/calibrate.md, block 2 (sh)': /insufficient_data/,
  'docs/how-to/calibrate.md, block 4 (js)': /^38 70$/,
  'docs/how-to/export-a-respondent.md, block 1 (sh)': /"records":\[\]/,
  'docs/how-to/go-live.md, block 2 (js)': /^allow NETWORK_ERROR$/,
  'docs/how-to/go-live.md, block 3 (sh)': /"sessions":\[/,
  'docs/how-to/go-live.md, block 4 (js)': /\w/,
};

for (const page of ['docs/reference/node.md', ...guides]) {
  t.test(`${page}: every block runs`, { timeout: 200_000 }, async (t) => {
    const blocks = blocksOf(page).filter(({ language }) => !elsewhere.has(language) && !shown.has(language));
    const run = inOneShell(runBlock, join(folder, 'state'));
    t.ok(blocks.length > 0);
    for (const block of blocks) {
      if (block.language === 'html') await checkTag(t, block.code);
      else if (block.language === 'jsx') await bundleComponent(block.code);
      else if (block.code.includes('createServer')) t.match(await runServer(block), printed[block.name] ?? /^$/, block.name);
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

t.test('no page names a root of the service by another name than the samples', (t) => {
  const pages = readdirSync(repositoryPath('docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  for (const name of pages) t.notMatch(readRepositoryFile(`docs/${name}`), /\{(?:base|audience)_url\}/, name);
  t.end();
});

t.test('the guides are linked from the list of pages', (t) => {
  const list = readRepositoryFile('docs/README.md');
  for (const page of guides) t.ok(list.includes(`(${page.replace('docs/', '')})`), page);
  t.end();
});

/** A program that receives webhooks runs until it has printed its first event, a test event of the service. */
async function runServer({ code, ...block }: Block): Promise<string> {
  const port = await freePort();
  const webhooks = `/projects/${projectId}/webhooks`;
  const { body: webhook } = await service.call('POST', webhooks, { body: { url: `http://127.0.0.1:${port}/`, includeTest: true } });
  const { webhookId, secret } = webhook as { readonly webhookId: string; readonly secret: string };
  const once = `server.on('request', (_, response) => response.on('close', () => setTimeout(process.exit, 500)));\n`;
  const output = runBlock({ ...block, code: code + once }, { PORT: String(port), SECRET: secret });
  await service.call('POST', `${webhooks}/${webhookId}/test`);
  return output;
}

/** A component imports names that the package exports. */
async function bundleComponent(contents: string): Promise<void> {
  await build({
    stdin: { contents, loader: 'tsx', resolveDir: repositoryRoot },
    alias: { 'verifyhuman/lite': './sdk/lite/index.ts' },
    external: ['react'],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    logOverride: { 'import-is-undefined': 'error' },
  });
}

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

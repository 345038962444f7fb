// `npm run pack`: the release as a tarball, in dist/release. It has what was built, with production dependencies locked as they are in the
// repository, and runs after `npm ci` in the unpacked folder, or after `npm install --global` of the tarball. Run `npm run build` before.
// It builds the Python client, which needs Python and its packages; `--without-python-client` leaves the client out. `--out DIR` packs into
// another folder, which it empties. A part that is missing ends it with a sentence that says what to run.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { builtPackages, carriedComponents, noticesOf } from './built-in.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist/release') },
    'without-python-client': { type: 'boolean', default: false },
  },
});
const hasPythonClient = !values['without-python-client'];
const out = resolve(values.out);
const stage = join(out, 'package');

/** Whole folders and files, below the root. */
const copied = [
  ...['dist/src', 'dist/workers', 'dist/sdk', 'dist/console', 'dist/docs', 'dist/openapi'],
  ...[
    'docs/tutorials',
    'docs/how-to',
    'docs/reference',
    'docs/explanation',
    'docs/internals',
    'docs/pictures',
    'docs/README.md',
  ],
  ...['deploy', 'examples'],
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE'],
];
/** The last file of each step of the build that writes into these folders: without it, that step has not run. */
const builtParts = [
  ...['dist/sdk/v1/integrity.json', 'dist/sdk/lite/v1/integrity.json', 'dist/sdk/package/integrity.json'],
  ...['dist/console/index.html', 'dist/docs/index.html', 'dist/openapi/api.json'],
];
/** Folders whose compiled files are in dist; what is not compiled is read from where it lies. */
const compiled = ['src', 'workers'];
/** The commands of package.json that a release has, for which guides call it. */
const scripts = [
  'start',
  'token',
  'keys',
  'console',
  'admin',
  'receiver',
  'doctor',
  'copy-database',
  'faces',
  'verifyhuman',
  'verify-receipts',
];

const readJson = async (name) => JSON.parse(await readFile(join(root, name), 'utf8'));
const writeJson = (name, value) => writeFile(join(stage, name), `${JSON.stringify(value, null, 2)}\n`);
const git = (...command) => execFileSync('git', command, { cwd: root, encoding: 'utf8' }).trim();

/** The commit; with a mark where the files are others than committed. */
function commitOf() {
  return git('rev-parse', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '-modified');
}

function manifestOf({ version, description, license, type, engines, dependencies, overrides, ...own }) {
  return {
    ...{ name: own.name, version, description, license, type, engines, gitHead: commitOf() },
    bin: { verifyhuman: 'dist/src/cli/verifyhuman.js' },
    scripts: Object.fromEntries(scripts.map((name) => [name, own.scripts[name]])),
    dependencies,
    overrides: Object.fromEntries(Object.entries(overrides).filter(([, version]) => !version.startsWith('npm:'))),
  };
}

/** The lock file without packages that only development needs. */
function lockOf({ lockfileVersion, packages }, { name, version, license, bin, engines, dependencies }) {
  const kept = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
  );
  const own = { name, version, license, bin, engines, dependencies };
  return { name, version, lockfileVersion, requires: true, packages: { '': own, ...Object.fromEntries(kept) } };
}

/** The bill of materials in CycloneDX: every package that the release installs or was built from, with its license. */
function materialsOf({ name: own, packages }) {
  const installed = new Set(
    Object.entries(packages).map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`),
  );
  const all = JSON.parse(
    execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    }),
  );
  const components = all.components.filter(
    ({ name, version }) => installed.has(`${name}@${version}`) || builtPackages.includes(name),
  );
  const known = new Set([all.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])]);
  const dependencies = all.dependencies
    .filter(({ ref }) => known.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => known.has(other)) }));
  // npm names the folder.
  const metadata = { ...all.metadata, component: { ...all.metadata.component, name: own } };
  return { ...all, metadata, components: [...components, ...carriedComponents], dependencies };
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

const missing = [...copied, ...builtParts].find((path) => !existsSync(join(root, path)));
if (missing !== undefined) fail(`${missing} is missing. Run \`npm run build\`, then \`npm run pack\` again.`);
if (hasPythonClient)
  try {
    execFileSync('npm', ['run', '--silent', 'python-client'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  } catch {
    fail(
      'The Python client could not be built. Install Python 3.11 or later with its venv module, and let pip reach PyPI; or run `npm run pack -- --without-python-client`.',
    );
  }

/** A page whose links to code and tests, which a release does not have, are their words alone. */
function dropDeadLinks(page, text) {
  return text.replaceAll(/\[([^\]]*)\]\((?![a-z]+:|#)([^)#\s]+)(?:#[^)\s]*)?\)/g, (link, words, path) =>
    existsSync(join(dirname(page), path)) ? link : words,
  );
}

await rm(out, { recursive: true, force: true });
await mkdir(stage, { recursive: true });
/** Packages of an example and the stores of `npm run stack` are for tests. */
const left = ['deploy/stack', ...(hasPythonClient ? [] : ['dist/sdk/python'])].map((path) => join(root, path));
const isOurs = (path) => !path.endsWith('/node_modules') && !left.includes(path);
for (const path of copied)
  await cp(join(root, path), join(stage, path), { recursive: true, dereference: true, filter: isOurs });
for (const folder of compiled)
  for (const path of git('ls-files', folder).split('\n'))
    if (!path.endsWith('.ts')) await cp(join(root, path), join(stage, path));
for (const name of (await readdir(stage, { recursive: true })).filter((path) => path.endsWith('.md'))) {
  const page = join(stage, name);
  await writeFile(page, dropDeadLinks(page, await readFile(page, 'utf8')));
}
const manifest = manifestOf(await readJson('package.json'));
await writeJson('package.json', manifest);
const lock = lockOf(await readJson('package-lock.json'), manifest);
await writeJson('npm-shrinkwrap.json', lock);
await writeJson('sbom.cdx.json', materialsOf(lock));
await writeFile(join(stage, 'THIRD-PARTY-NOTICES.txt'), noticesOf(root));
const [{ filename, size, integrity }] = JSON.parse(
  execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], {
    cwd: stage,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  }),
);
await rm(stage, { recursive: true });
console.log(`${join(out, filename)}: ${size} bytes, ${integrity}`);

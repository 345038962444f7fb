// Builds the package `verifyhuman` into sdk/dist: its entries as modules that share their chunks, and the declarations that they need, which may
// name no package but React. `--out DIR` builds into another folder.
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Entries by the name that they have in the package; `node` and `webhooks` are for backends, the others for pages. */
const entries = {
  index: 'sdk/index.ts',
  react: 'sdk/react.tsx',
  next: 'sdk/next.tsx',
  lite: 'sdk/lite/index.ts',
  node: 'sdk/node/index.ts',
  webhooks: 'src/receiver/verify.ts',
};
/** Packages that the integrator brings, and the camera part, which is a file of its own that pages load when they need it. */
const external = ['react', 'react/jsx-runtime', '#capture'];
/** The camera part, as build-sdk.mjs built it. */
const capture = join(root, 'dist/sdk/v1/verifyhuman.capture.js');

const common = { bundle: true, format: 'esm', external, jsx: 'automatic', legalComments: 'none', minifySyntax: true };

async function buildModules(out) {
  const { node, webhooks, ...pages } = entries;
  const inputs = (list) => Object.entries(list).map(([name, path]) => ({ in: join(root, path), out: name }));
  await build({
    ...common,
    entryPoints: inputs(pages),
    outdir: out,
    splitting: true,
    chunkNames: 'chunks/[hash]',
    target: 'es2020',
    platform: 'browser',
  });
  await build({ ...common, entryPoints: inputs({ node, webhooks }), outdir: out, target: 'node20', platform: 'node' });
  // Bundlers of Next.js look for it in the first line.
  const next = await readFile(join(out, 'next.js'), 'utf8');
  if (!next.startsWith('"use client"')) throw new Error('next.js must begin with "use client"');
}

/** All declarations that the entries reach, as texts by their path in the repository without its ending. */
function emitDeclarations() {
  const { config } = ts.readConfigFile(join(root, 'sdk/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, 'sdk'));
  const program = ts.createProgram(
    Object.values(entries).map((path) => join(root, path)),
    {
      ...options,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      outDir: join(root, 'types'),
      rootDir: root,
    },
  );
  const texts = new Map();
  program.emit(
    undefined,
    (path, text) => texts.set(relative(join(root, 'types'), path).replace(/\.d\.ts$/, ''), text),
    undefined,
    true,
  );
  return texts;
}

async function writeDeclarations(out) {
  const texts = emitDeclarations();
  const written = new Set();
  const write = async (path) => {
    if (written.has(path)) return;
    written.add(path);
    const text = texts.get(path);
    if (text === undefined) throw new Error(`there are no declarations of ${path}`);
    for (const [, name] of text.matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)) {
      if (name.startsWith('.')) await write(relative(root, resolve(root, dirname(path), name)).replace(/\.js$/, ''));
      else if (!external.includes(name)) throw new Error(`the declarations of ${path} need the package ${name}`);
    }
    const file = join(out, 'types', `${path}.d.ts`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  for (const path of Object.values(entries)) await write(path.replace(/\.tsx?$/, ''));
}

const outAt = process.argv.indexOf('--out');
const out = outAt > 0 ? process.argv[outAt + 1] : join(root, 'sdk/dist');
await rm(out, { recursive: true, force: true });
await buildModules(out);
await writeDeclarations(out);
await copyFile(capture, join(out, 'verifyhuman.capture.js'));

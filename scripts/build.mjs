// `npm run build`: what runs, is served and is published, into dist/ and sdk/dist/. Parts that do not need each other are built side by side.
import { spawn } from 'node:child_process';

/** Runs a program of Node.js with the rest of its command line. */
function run(...command) {
  const child = spawn(process.execPath, command, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${command.join(' ')} failed`))));
  });
}
const compile = (project) => run('node_modules/typescript7/bin/tsc', '-p', project);

async function buildSdk() {
  await compile('sdk');
  await run('scripts/build-sdk.mjs');
  await run('scripts/build-package.mjs');
  await run('scripts/serve-package.mjs');
}
async function buildConsole() {
  await compile('console');
  await run('scripts/build-console.mjs');
}
async function buildDocs() {
  await run('dist/scripts/write-openapi.js');
  await run('scripts/build-docs.mjs');
}

await run('scripts/write-client-types.mjs');
await compile('tsconfig.json');
await Promise.all([buildSdk(), buildConsole(), buildDocs()]);

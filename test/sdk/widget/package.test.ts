import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { serveSdkFiles } from '../../../src/http/sdk-files.js';
import { version } from '../../../sdk/widget/version.js';
import { createBareApp } from '../../helpers/bare-app.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { readRepositoryFile, repositoryPath } from '../../helpers/repository.js';

const folder = temporaryDirectory(t);
const execute = promisify(execFile);
const run = async (command: string, args: readonly string[]): Promise<string> =>
  (await execute(command, args, { cwd: folder, timeout: 60_000 })).stdout;

/** Installs the package from a service as npm does in an empty project, with the repository’s React beside it; resolves to its lock file’s entry. */
async function install(): Promise<unknown> {
  const app = createBareApp();
  await serveSdkFiles(app, repositoryPath('dist/sdk'));
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--no-audit', '--no-fund', `${address}/sdk/package/verifyhuman-${version}.tgz`]);
  await app.close();
  for (const name of ['react', 'scheduler', '@types'])
    symlinkSync(repositoryPath(`node_modules/${name}`), join(folder, 'node_modules', name));
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, unknown>>;
  };
  return packages['node_modules/verifyhuman'];
}

t.test(
  'the package that a service offers is installed by npm with the integrity that the service states',
  async (t) => {
    const manifest = JSON.parse(readRepositoryFile('dist/sdk/package/integrity.json')) as Readonly<
      Record<string, { readonly version: string; readonly integrity: string }>
    >;
    const { integrity } = manifest[`verifyhuman-${version}.tgz`] ?? {};
    t.type(integrity, 'string');
    t.match(await install(), { version, integrity });
  },
);

t.test('the installed package can be imported without a page, entry by entry', async (t) => {
  const script = `const names = {};
    for (const entry of ['', '/react', '/next', '/lite', '/node', '/webhooks'])
      names[entry] = Object.keys(await import('verifyhuman' + entry)).sort();
    console.log(JSON.stringify(names));`;
  const names = JSON.parse(await run(process.execPath, ['--input-type=module', '-e', script])) as object;
  t.strictSame(names, {
    '': [
      'CameraAccessError',
      'IntegrityError',
      'VerifyError',
      'createVerifyWidget',
      'mount',
      'session',
      'verifyToken',
      'version',
    ],
    '/react': ['VerifyHuman', 'useVerifyHuman'],
    '/next': ['VerifyHuman', 'useVerifyHuman'],
    '/lite': ['VHLite'],
    '/node': [
      'VerifyHumanError',
      'createClient',
      'decide',
      'fraudGate',
      'fraudGatePlugin',
      'hashIdentity',
      'ipPrefix',
      'isPass',
      'verifyWebhook',
    ],
    '/webhooks': ['verifyWebhook'],
  });
  t.match(readFileSync(join(folder, 'node_modules/verifyhuman/dist/next.js'), 'utf8'), /^"use client"/);
  const differ = `const [react, next] = [await import('verifyhuman/react'), await import('verifyhuman/next')];
    console.log(Object.keys(react).filter((name) => react[name] !== next[name]).join());`;
  t.equal(
    (await run(process.execPath, ['--input-type=module', '-e', differ])).trim(),
    '',
    'Next.js gets what React gets',
  );
});

t.test('its types are whole, and strict TypeScript reads them', async (t) => {
  writeFileSync(
    join(folder, 'use.tsx'),
    `import { mount, VerifyError, type VHMountResult } from 'verifyhuman';
     import { VerifyHuman } from 'verifyhuman/next';
     import { verifyWebhook } from 'verifyhuman/webhooks';
     import { VHLite } from 'verifyhuman/lite';
     import { createClient, type Decision } from 'verifyhuman/node';
     export const token = async (): Promise<string | null> => {
       const result: VHMountResult = await mount('#x', { siteKey: 'proj_1', apiEndpoint: 'https://x/api/v1' });
       return result.token;
     };
     export const failed = (error: unknown) => (error instanceof VerifyError ? error.context?.scores?.liveness : null);
     export const element = <VerifyHuman siteKey="proj_1" interactionType="slider" onVerified={({ token }) => token} />;
     export const gate = (apiKey: string): Promise<Decision> =>
       createClient({ apiKey, baseUrl: 'https://x/api/v1' }).decide({ sessionId: 's', clientIp: '192.0.2.1' });
     export const others = [verifyWebhook, VHLite];`,
  );
  const options = ['--noEmit', '--strict', '--jsx', 'react-jsx', '--module', 'esnext', '--moduleResolution', 'bundler'];
  const compiler = repositoryPath('node_modules/typescript/bin/tsc');
  await t.resolves(run(process.execPath, [compiler, ...options, '--target', 'es2022', '--types', 'react', 'use.tsx']));
});

t.test('the version of the bundles is that of the package, and of the file that guides install', (t) => {
  t.equal((JSON.parse(readRepositoryFile('sdk/package.json')) as { version: string }).version, version);
  for (const path of ['docs/reference/browser-sdk.md', 'examples/react/README.md', 'examples/next/README.md'])
    t.match(readRepositoryFile(path), `/sdk/package/verifyhuman-${version}.tgz`, path);
  t.end();
});

t.test('the script runs as CommonJS and AMD without a page, and its published size and hash are its own', (t) => {
  const script = readRepositoryFile('dist/sdk/v1/verifyhuman.umd.js');
  const module = { exports: {} as Record<string, unknown> };
  runInNewContext(script, { module, exports: module.exports });
  t.ok(['VH', 'VerifyHuman'].every((name) => name in module.exports));
  let defined: Record<string, unknown> = {};
  const define = Object.assign((_needs: unknown, make: () => Record<string, unknown>) => (defined = make()), {
    amd: {},
  });
  runInNewContext(script, { define });
  t.ok('VH' in defined);
  const manifest = JSON.parse(readRepositoryFile('dist/sdk/v1/integrity.json')) as Record<
    string,
    { readonly bytes: number; readonly gzipBytes: number; readonly integrity: string }
  >;
  t.match(manifest['verifyhuman.umd.js'], { bytes: Buffer.byteLength(script), integrity: /^sha384-/ });
  t.ok((manifest['verifyhuman.umd.js']?.gzipBytes ?? Infinity) <= 44_000);
  t.end();
});

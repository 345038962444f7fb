import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { version } from '../../../sdk/widget/version.js';
import { temporaryDirectory } from '../../helpers/directories.js';
import { readRepositoryFile, repositoryPath } from '../../helpers/repository.js';

const folder = temporaryDirectory(t);
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** The packed package, unpacked where a project would have it, with React beside it. */
function install(): void {
  const packed = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], repositoryPath('sdk'))) as [
    { readonly filename: string },
  ];
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'verifyhuman'), { recursive: true });
  run('tar', ['-xzf', packed[0].filename, '-C', join(modules, 'verifyhuman'), '--strip-components=1'], folder);
  for (const name of ['react', 'scheduler', '@types'])
    symlinkSync(repositoryPath(`node_modules/${name}`), join(modules, name));
}

t.test('what npm packs can be imported without a page, entry by entry', (t) => {
  run(process.execPath, [repositoryPath('scripts/build-package.mjs')], repositoryPath('.'));
  install();
  const script = `const names = {};
    for (const entry of ['', '/react', '/next', '/lite', '/node', '/webhooks'])
      names[entry] = Object.keys(await import('verifyhuman' + entry)).sort();
    console.log(JSON.stringify(names));`;
  const names = JSON.parse(run(process.execPath, ['--input-type=module', '-e', script], folder)) as object;
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
  t.end();
});

t.test('its types are whole, and strict TypeScript reads them', (t) => {
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
  const compile = () =>
    run(
      process.execPath,
      [
        repositoryPath('node_modules/typescript/bin/tsc'),
        ...options,
        '--target',
        'es2022',
        '--types',
        'react',
        'use.tsx',
      ],
      folder,
    );
  t.doesNotThrow(compile);
  t.end();
});

t.test('the version of the bundles is that of the package', (t) => {
  t.equal((JSON.parse(readRepositoryFile('sdk/package.json')) as { version: string }).version, version);
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

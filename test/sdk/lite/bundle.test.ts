import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import t from 'tap';
import ts from 'typescript';
import { probeFiles, repositoryPath } from '../../helpers/repository.js';

interface LiteModule {
  VHLite: { run(options: { projectKey: string; sessionId: string }): Promise<{ sessionId: string; sent: boolean }> };
}

const importText = (text: string): Promise<unknown> =>
  import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);

t.test('the bundle stays within 15,000 raw bytes and its published hash is its own', (t) => {
  const { script, integrity } = probeFiles();
  const published = (JSON.parse(integrity) as Record<string, { bytes: number; integrity: string }>)['vh-lite.iife.js'];
  t.ok(Buffer.byteLength(script) <= 15_000, `${Buffer.byteLength(script)} bytes`);
  t.equal(published?.bytes, Buffer.byteLength(script));
  t.equal(published?.integrity, `sha384-${createHash('sha384').update(script).digest('base64')}`);
  t.end();
});

t.test('the module imports without a page, sets nothing, and a run resolves unsent', async (t) => {
  const before = Object.getOwnPropertyNames(globalThis);
  const { VHLite } = (await importText(probeFiles().module)) as LiteModule;
  t.strictSame(Object.getOwnPropertyNames(globalThis), before);
  t.strictSame(await VHLite.run({ projectKey: 'pk_test', sessionId: 'session-1' }), {
    sessionId: 'session-1',
    sent: false,
    reason: 'no page',
  });
});

t.test('the script does nothing where there is no page', (t) => {
  const scope = {};
  runInNewContext(probeFiles().script, scope);
  t.strictSame(Object.keys(scope), []);
  t.end();
});

t.test('every signal file is registered under its own name, once', async (t) => {
  const { outputFiles } = await build({
    entryPoints: [repositoryPath('sdk/lite/signals.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  });
  const { readers, watchers } = (await importText(outputFiles[0]?.text ?? '')) as Record<
    'readers' | 'watchers',
    object
  >;
  const files = readdirSync(repositoryPath('sdk/lite/signals')).map((file) => file.replace(/\.ts$/, ''));
  t.strictSame([...Object.keys(readers), ...Object.keys(watchers)].sort(), files.sort());
});

t.test('the published declarations stand alone and declare what the module exports', async (t) => {
  const { declarations, module } = probeFiles();
  t.notMatch(declarations, /^import /m);
  const { diagnostics } = ts.transpileModule(declarations, { reportDiagnostics: true });
  t.strictSame(diagnostics, []);
  const declared = [...declarations.matchAll(/^export declare (?:const|function) (\w+)/gm)].map(([, name]) => name);
  t.strictSame(declared, Object.keys((await importText(module)) as object));
});

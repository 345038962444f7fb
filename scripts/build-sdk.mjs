// Builds the browser bundles: bundled by esbuild, minified by terser, measured, and refused when they are
// too big. Writes each bundle with its integrity hash; `--out DIR` builds into another folder than dist/sdk,
// `--probe-only` leaves widget, camera and models out.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { minify } from 'terser';
import { buildCapture } from './build-capture.mjs';
import { writeServed } from './write-served.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The bundles: entry, file under the output folder, module format, and the size limit, raw or gzipped. */
const bundles = [
  { entry: 'sdk/lite/script.ts', file: 'lite/v1/vh-lite.iife.js', format: 'iife', bytesMax: 15_000 },
  { entry: 'sdk/lite/index.ts', file: 'lite/v1/vh-lite.esm.js', format: 'esm', bytesMax: 16_000 },
  { entry: 'sdk/umd.ts', file: 'v1/verifyhuman.umd.js', format: 'umd', gzipBytesMax: 40_000 },
  // English is in the bundle.
  ...['de', 'fr', 'es', 'pt', 'ar', 'ja'].map((tag) => ({
    entry: `sdk/widget/ui/texts/${tag}.ts`,
    file: `v1/texts/${tag}.js`,
    format: 'esm',
    gzipBytesMax: 4_500,
  })),
];

/** A script for all three worlds: CommonJS and AMD get the exports; the page gets them too, as the globals that the bundle itself sets. */
const umdBefore =
  '(function(e){typeof exports==="object"&&typeof module!=="undefined"?module.exports=e():typeof define==="function"&&define.amd?define([],(x=>()=>x)(e())):e()})(function(){var module={exports:{}};';
const umdAfter = ';return module.exports});';

/** The module's declarations: its public types, which stand alone in one file, and what it exports. */
async function writeDeclarations(out) {
  const types = await readFile(join(root, 'sdk/lite/api.ts'), 'utf8');
  const exported =
    '/** The probe of this page. Bundled, it knows no service: give `run` an endpoint. */\nexport declare const VHLite: Lite;\n';
  await writeFile(join(out, 'lite/v1/vh-lite.esm.d.ts'), `${types}\n${exported}`);
}

async function buildBundle({ entry, file, format, bytesMax = Infinity, gzipBytesMax = Infinity }, out) {
  const isUmd = format === 'umd';
  const { outputFiles } = await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    write: false,
    format: isUmd ? 'cjs' : format,
    ...(isUmd ? { banner: { js: umdBefore }, footer: { js: umdAfter } } : {}),
    jsx: 'automatic',
    target: 'es2020',
    platform: 'browser',
    legalComments: 'none',
    define: { builtInRoot: JSON.stringify(process.env.SDK_API_ROOT ?? '') },
  });
  const { code } = await minify(outputFiles[0].text, {
    module: format === 'esm',
    toplevel: true,
    ecma: 2020,
    compress: { passes: 6, unsafe_arrows: true, keep_fargs: false, hoist_props: true },
    format: { comments: false },
  });
  const bytes = Buffer.byteLength(code);
  const gzipBytes = gzipSync(code).length;
  if (bytes > bytesMax) throw new Error(`${file} has ${bytes} bytes, more than the ${bytesMax} it may have`);
  if (gzipBytes > gzipBytesMax)
    throw new Error(`${file} has ${gzipBytes} bytes gzipped, more than the ${gzipBytesMax} it may have`);
  const path = join(out, file);
  await mkdir(dirname(path), { recursive: true });
  await writeServed(path, code);
  return {
    file,
    bytes,
    gzipBytes,
    integrity: `sha384-${createHash('sha384').update(code).digest('base64')}`,
  };
}

/** Builds the bundles into `out` and returns their sizes and hashes; rejects when one is too big. */
async function buildSdk(out, isProbeOnly, threads) {
  const built = [];
  for (const bundle of bundles)
    if (!isProbeOnly || bundle.file.startsWith('lite/')) built.push(await buildBundle(bundle, out));
  if (!isProbeOnly) built.push(await buildCapture(root, out, threads));
  await writeDeclarations(out);
  for (const folder of new Set(built.map(({ file }) => dirname(file)))) {
    const entries = built.filter(({ file }) => dirname(file) === folder);
    const manifest = Object.fromEntries(entries.map(({ file, ...rest }) => [basename(file), rest]));
    await writeFile(join(out, folder, 'integrity.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  return built;
}

const outAt = process.argv.indexOf('--out');
const out = outAt > 0 ? process.argv[outAt + 1] : join(root, 'dist/sdk');
const threads = outAt > 0 ? undefined : join(root, 'dist/workers');
const built = await buildSdk(out, process.argv.includes('--probe-only'), threads);
for (const { file, bytes, gzipBytes, integrity } of built) {
  console.log(`${file}: ${bytes} bytes, ${gzipBytes} gzipped, ${integrity}`);
}

// Builds the page of the console into dist/console: one script and one style sheet, refused when the first screen is too big.
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { writeServed } from './write-served.mjs';

/** Script and style sheet together. */
const gzipBytesMax = 80_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist/console');
const { outputFiles } = await build({
  entryPoints: [join(root, 'console/app.tsx')],
  outdir: out,
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  target: 'es2022',
  legalComments: 'none',
});
await mkdir(join(out, 'assets'), { recursive: true });
let gzipBytes = 0;
for (const { path, contents } of outputFiles) {
  gzipBytes += gzipSync(contents).length;
  await writeServed(join(out, 'assets', path.slice(out.length + 1)), contents);
}
await writeServed(join(out, 'assets/mark.svg'), await readFile(join(root, 'src/demo/page/assets/mark.svg')));
await copyFile(join(root, 'console/index.html'), join(out, 'index.html'));
if (gzipBytes > gzipBytesMax) throw new Error(`the console has ${gzipBytes} bytes gzipped, more than ${gzipBytesMax}`);
console.log(`console: ${gzipBytes} bytes gzipped`);

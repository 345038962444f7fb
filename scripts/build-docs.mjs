// Builds the documentation into dist/docs: the pages of docs/ and the HTTP reference, compressed as they are served, with the hashes of their
// inline scripts for the security policy. Refused when the first page is too big or a link leads nowhere.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vitepress';
import { pageOf, tagsOf } from '../docs/.vitepress/operations.mjs';
import { writeServed } from './write-served.mjs';

/** A page with its scripts and styles. */
const gzipBytesMax = 400_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist/docs');
// Written as files, because the search reads files alone.
const reference = join(root, 'docs/api');
rmSync(reference, { recursive: true, force: true });
mkdirSync(reference);
for (const tag of tagsOf()) writeFileSync(join(reference, `${tag.slug}.md`), pageOf(tag));
await build(join(root, 'docs'));
for (const [from, to] of [
  ['docs/how-to/hashing-vectors.json', 'how-to/hashing-vectors.json'],
  ['src/demo/page/assets/mark.svg', 'mark.svg'],
])
  cpSync(join(root, from), join(out, to));

const files = readdirSync(out, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const pages = files
  .filter((path) => path.endsWith('.html'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
const hashes = pages.flatMap(({ text }) =>
  [...text.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^<]+)<\/script>/g)].map(([, script]) =>
    createHash('sha256').update(script).digest('base64'),
  ),
);
writeFileSync(join(out, 'script-hashes.json'), JSON.stringify([...new Set(hashes)]));
for (const path of files.filter((name) => /\.(?:html|js|css|svg)$/.test(name)))
  await writeServed(path, readFileSync(path), { quality: 5 });

/** The files that a page loads at first, gzipped. */
function firstLoad({ text }) {
  const loaded = [...text.matchAll(/(?:src|href)="\/docs\/([^"]+\.(?:js|css))"/g)].map(([, name]) => join(out, name));
  return [...new Set(loaded)].reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, gzipSync(text).length);
}
const largest = Math.max(...pages.map(firstLoad));
if (largest > gzipBytesMax)
  throw new Error(`a page of the documentation loads ${largest} bytes gzipped, more than ${gzipBytesMax}`);
console.log(`documentation: ${pages.length} pages, at most ${largest} bytes gzipped at first load`);

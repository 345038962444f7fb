// Writes a file that browsers load: as it is, and also compressed, so that the service sends what the browser takes and compresses nothing
// by itself.
import { writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Slower than this is worth it for a small file alone. */
const bestBelowBytes = 300_000;

/** `bytes` is a text or a buffer. A compressed form that saves less than a tenth is left out. `quality` is brotli's, 0 to 11. */
export async function writeServed(path, bytes, { quality = bytes.length < bestBelowBytes ? 11 : 6 } = {}) {
  const raw = Buffer.from(bytes);
  await writeFile(path, raw);
  const forms = {
    '.br': brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    '.gz': gzipSync(raw, { level: 9 }),
  };
  for (const [ending, form] of Object.entries(forms))
    if (form.length < 0.9 * raw.length) await writeFile(path + ending, form);
}

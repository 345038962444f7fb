// Writes a file that browsers load: as it is, and beside it compressed, so that the service sends what the browser takes and compresses nothing
// by itself.
import { writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Slower than this is worth it for a small file alone. */
const bestBelowBytes = 300_000;

/** `bytes` is a text or a buffer; the compressed forms are left out where they save nothing to speak of. */
export async function writeServed(path, bytes) {
  const raw = Buffer.from(bytes);
  const quality = raw.length < bestBelowBytes ? 11 : 6;
  await writeFile(path, raw);
  const forms = {
    '.br': brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    '.gz': gzipSync(raw, { level: 9 }),
  };
  for (const [ending, form] of Object.entries(forms))
    if (form.length < 0.9 * raw.length) await writeFile(path + ending, form);
}

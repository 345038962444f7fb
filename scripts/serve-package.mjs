// Packs the package of the SDK where the service serves it, and writes its file name and integrity hash as package managers state them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist/sdk/package');

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const reply = execFileSync('npm', ['pack', '--json', '--pack-destination', out], {
  cwd: join(root, 'sdk'),
  encoding: 'utf8',
});
const [{ filename, name, version, size: bytes, integrity }] = JSON.parse(reply);
writeFileSync(
  join(out, 'integrity.json'),
  `${JSON.stringify({ [filename]: { name, version, bytes, integrity } }, null, 2)}\n`,
);
console.log(`${filename}: ${bytes} bytes, ${integrity}`);

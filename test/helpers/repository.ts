/** Paths of the repository for compiled tests, which lie one folder deeper than their sources. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = fileURLToPath(new URL('../../../', import.meta.url));

export const repositoryPath = (path: string): string => join(repositoryRoot, path);
export const readRepositoryFile = (path: string): string => readFileSync(repositoryPath(path), 'utf8');

type ProbeFiles = Record<'script' | 'module' | 'declarations' | 'integrity', string>;
let built: ProbeFiles | undefined;

/** The probe's bundles as they are in the sources now, built once for the file that asks; throws when the build fails. */
export function probeFiles(): ProbeFiles {
  return (built ??= buildProbe());
}

function buildProbe(): ProbeFiles {
  const out = mkdtempSync(join(tmpdir(), 'vh-sdk-'));
  try {
    const script = repositoryPath('scripts/build-sdk.mjs');
    execFileSync(process.execPath, [script, '--probe-only', '--out', out], { stdio: 'pipe' });
    const read = (name: string) => readFileSync(join(out, 'lite/v1', name), 'utf8');
    return {
      script: read('vh-lite.iife.js'),
      module: read('vh-lite.esm.js'),
      declarations: read('vh-lite.esm.d.ts'),
      integrity: read('integrity.json'),
    };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/**
 * Blocks of code out of pages of documentation, and a folder in which they run as an integrator's would: the package `verifyhuman` built from the
 * sources, the frameworks beside it, the command `verifyhuman`, and the test vectors.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { readRepositoryFile, repositoryPath } from './repository.js';

const run = promisify(execFile);

/** Blocks run once: compiling Go's own packages for speed and for a debugger would take half as long again. */
const compiledOnce = {
  CGO_ENABLED: '0',
  GOFLAGS: '"-gcflags=all=-N -l -dwarf=false" -ldflags=-s -tags=nethttpomithttp2',
};

export interface Block {
  /** `integrate.md, block 3 (js)`. */
  readonly name: string;
  readonly language: string;
  readonly code: string;
}

/** The fenced blocks of a page, in their order. */
export function blocksOf(path: string): readonly Block[] {
  const fences = [...readRepositoryFile(path).matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  return fences.map(([, language = '', code = ''], index) => {
    return { name: `${path}, block ${index + 1} (${language})`, language, code };
  });
}

/** Makes `folder` a project that has the package; returns what runs a block there and gives its output. */
export async function prepareProject(folder: string, environment: Readonly<Record<string, string>>) {
  const home = join(folder, 'node_modules/verifyhuman');
  mkdirSync(home, { recursive: true });
  await build({
    entryPoints: [repositoryPath('sdk/node/index.ts')],
    outfile: join(home, 'node.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  writeFileSync(join(home, 'package.json'), '{ "type": "module", "exports": { "./node": "./node.js" } }');
  for (const name of ['express', 'fastify', 'jose'])
    symlinkSync(repositoryPath(`node_modules/${name}`), join(folder, 'node_modules', name));
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  const command = `exec '${process.execPath}' '${repositoryPath('dist/src/cli/verifyhuman.js')}' "$@"`;
  writeFileSync(join(programs, 'verifyhuman'), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  copyFileSync(repositoryPath('docs/how-to/hashing-vectors.json'), join(folder, 'hashing-vectors.json'));
  let count = 0;
  const runners: Readonly<Record<string, readonly [string, ...string[]]>> = {
    js: [process.execPath],
    ts: [process.execPath],
    sh: ['bash', '-euo', 'pipefail'],
    python: ['python3'],
    php: ['php'],
    go: ['go', 'run'],
  };
  return async ({ language, code }: Block, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const runner = runners[language];
    if (runner === undefined) throw new Error(`nothing runs ${language}`);
    const file = join(folder, `block-${(count += 1)}.${/^[jt]s$/.test(language) ? 'mjs' : language}`);
    writeFileSync(file, language === 'ts' ? (await transform(code, { loader: 'ts' })).code : code);
    const [command, ...args] = runner;
    const { stdout } = await run(command, [...args, file], {
      cwd: folder,
      env: { ...process.env, ...compiledOnce, PATH: `${programs}:${process.env['PATH']}`, ...environment, ...more },
      timeout: 150_000,
    });
    return stdout.trim();
  };
}

/** A runner of blocks for one page: variables and functions of a block of shell are there in those after it. */
export function inOneShell(
  run: Awaited<ReturnType<typeof prepareProject>>,
  stateFile: string,
): Awaited<ReturnType<typeof prepareProject>> {
  writeFileSync(stateFile, '');
  return (block, more) => {
    if (block.language !== 'sh') return run(block, more);
    const code = `set -a; . '${stateFile}'\n${block.code}\n{ export -p; declare -f; } > '${stateFile}'\n`;
    return run({ ...block, code }, more);
  };
}

/** Gives a pattern for a reply from the block that shows it: a string that ends with … matches everything that begins like it. */
export const patternOf = ({ code }: Block): object =>
  JSON.parse(code, (_key, value: unknown) => {
    if (typeof value !== 'string' || !value.endsWith('…')) return value;
    return new RegExp(`^${value.slice(0, -1).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
  }) as object;

/** Whether a program is on the path and starts. */
export const hasProgram = (command: string, argument: string): Promise<boolean> =>
  run(command, [argument]).then(
    () => true,
    () => false,
  );

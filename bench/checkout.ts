/** Two commits of the repository, each built in a git worktree below a temporary directory that is removed at the end. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../src/package-root.js';

const execute = promisify(execFile);
const outputBytesMax = 67_108_864;

/** Runs a command. Resolves to its output, and rejects with it on failure. */
export async function runIn(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute(command, args, { cwd, maxBuffer: outputBytesMax });
  return stdout;
}

/** Resolves commits first, so that a wrong name costs no build. */
export async function withCheckouts<T>(
  commits: readonly string[],
  work: (directories: readonly string[]) => Promise<T>,
): Promise<T> {
  const hashes = [];
  for (const commit of commits)
    hashes.push((await runIn(packageRoot, 'git', 'rev-parse', '--verify', `${commit}^{commit}`)).trim());
  const parent = await mkdtemp(join(tmpdir(), 'verifyhuman-compare-'));
  try {
    const directories = [];
    for (const [n, hash] of hashes.entries()) directories.push(await checkOut(hash, join(parent, `${n}`)));
    return await work(directories);
  } finally {
    await rm(parent, { recursive: true, force: true });
    await runIn(packageRoot, 'git', 'worktree', 'prune');
  }
}

/** Shares our packages if its lock file is ours. */
async function checkOut(hash: string, directory: string): Promise<string> {
  await runIn(packageRoot, 'git', 'worktree', 'add', '--detach', directory, hash);
  const lockOf = (root: string): Promise<string> => readFile(join(root, 'package-lock.json'), 'utf8');
  if ((await lockOf(directory)) === (await lockOf(packageRoot)))
    await symlink(join(packageRoot, 'node_modules'), join(directory, 'node_modules'));
  else await runIn(directory, 'npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  await runIn(directory, 'npm', 'run', 'build');
  // So that its benches find the running stack.
  const stack = join('.stack', 'stack.json');
  if (existsSync(join(packageRoot, stack))) await cp(join(packageRoot, stack), join(directory, stack));
  return directory;
}

/** Releases as operators get them: packed from what is built here, changed into a later version, and installed as a guide says. */
import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from './directories.js';
import { repositoryPath } from './repository.js';

type Test = Parameters<typeof temporaryDirectory>[0];
const run = promisify(execFile);

/** Unpacks a tarball into a folder. */
export const unpack = (tarball: string, folder: string) =>
  run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1', '--no-same-owner']);

/** True where the Python client can be built: its environment is there, or has to be. */
export const hasPythonEnvironment =
  process.env['VH_REQUIRE_STACK'] === '1' ||
  (existsSync(repositoryPath('.cache')) &&
    readdirSync(repositoryPath('.cache')).some((name) => name.startsWith('python-')));

/** The tarball of this version. */
export async function packRelease(t: Test, { withPythonClient = false } = {}): Promise<string> {
  const packed = temporaryDirectory(t);
  const options = withPythonClient ? [] : ['--without-python-client'];
  await run(process.execPath, [repositoryPath('scripts/pack.mjs'), '--out', packed, ...options]);
  return join(packed, readdirSync(packed)[0] ?? '');
}

/** A tarball of a later version, with a column more and other scripts for Redis. */
export async function packLater(t: Test, tarball: string, version: string, migration: string): Promise<string> {
  const folder = temporaryDirectory(t);
  const stage = join(folder, 'package');
  mkdirSync(stage);
  await unpack(tarball, stage);
  for (const name of ['package.json', 'npm-shrinkwrap.json']) {
    const file = join(stage, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"version": "[^"]+"/, `"version": "${version}"`));
  }
  const stores = join(stage, 'src/stores');
  const column = 'ALTER TABLE projects ADD COLUMN of_a_later_version text;\n';
  writeFileSync(join(stores, 'database/migrations', migration), column);
  appendFileSync(join(stores, 'counters/redis/scripts/commit.lua'), '-- of a later version\n');
  const later = join(folder, `verifyhuman-service-${version}.tgz`);
  await run('tar', ['--use-compress-program=gzip -1', '-cf', later, '-C', folder, 'package']);
  return later;
}

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

/**
 * Changes that a later version may make: a column is added, another is renamed (it stands under both names, and the new one is read), a record gets a
 * field at its end, and a script of Redis is another one.
 */
const laterColumns = `ALTER TABLE projects ADD COLUMN of_a_later_version text;
ALTER TABLE projects ADD COLUMN caller_id text GENERATED ALWAYS AS (fields->>'externalId') STORED;
`;
const laterEdits: readonly (readonly [file: string, before: string, after: string])[] = [
  ['dist/src/administration/project-store.js', 'OR external_id = $4', 'OR caller_id = $4'],
  ['dist/src/record/shapes.js', "modelVersion trace subjects'", "modelVersion trace subjects wave'"],
  ['dist/src/record/record.js', 'trace, subjects };', "trace, subjects, wave: 'later' };"],
];

/** A tarball of a later version, with `laterEdits` and a migration. */
export async function packLater(t: Test, tarball: string, version: string, migration: string): Promise<string> {
  const folder = temporaryDirectory(t);
  const stage = join(folder, 'package');
  mkdirSync(stage);
  await unpack(tarball, stage);
  const edit = (file: string, before: string | RegExp, after: string): void => {
    const text = readFileSync(join(stage, file), 'utf8');
    const edited = text.replace(before, after);
    if (edited === text) throw new Error(`${file} has no ${String(before)}`);
    writeFileSync(join(stage, file), edited);
  };
  for (const name of ['package.json', 'npm-shrinkwrap.json'])
    edit(name, /"version": "[^"]+"/, `"version": "${version}"`);
  for (const change of laterEdits) edit(...change);
  const stores = join(stage, 'src/stores');
  writeFileSync(join(stores, 'database/migrations', migration), laterColumns);
  appendFileSync(join(stores, 'counters/redis/scripts/commit.lua'), '-- of a later version\n');
  const later = join(folder, `verifyhuman-service-${version}.tgz`);
  await run('tar', ['--use-compress-program=gzip -1', '-cf', later, '-C', folder, 'package']);
  return later;
}

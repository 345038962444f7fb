/**
 * The release as an operator gets it: packed, installed with production dependencies only, and run in a root that holds nothing else than
 * Node.js, by a user who owns nothing but the data directory.
 */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import t from 'tap';
import { packageVersion } from '../../src/package-root.js';
import { temporaryDirectory } from '../helpers/directories.js';
import { hasPythonEnvironment, packRelease, unpack } from '../helpers/release.js';

const execute = promisify(execFile);
const skip = process.getuid?.() === 0 ? false : 'only root may change the root directory';
interface Materials {
  readonly components: readonly {
    readonly name: string;
    readonly licenses: readonly { readonly license?: { readonly id?: string } }[];
  }[];
}

const permissive = [
  ...['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['BlueOak-1.0.0', 'Unlicense', '0BSD', 'CC0-1.0'],
];
/** A page or a file of each part that is built; the Python client where it can be. */
const served = [
  ...['/docs/', '/demo', '/console', '/api/v1/openapi.json', '/sdk/lite/v1/vh-lite.iife.js'],
  ...['v1/integrity.json', 'v1/verifyhuman.umd.js', 'package/integrity.json'].map((name) => `/sdk/${name}`),
  ...(hasPythonEnvironment ? ['/sdk/python/integrity.json'] : []),
];
/** A number of nobody’s. */
const user = 65_532;
t.setTimeout(300_000);

/** Node.js and the libraries that it is linked with, where it looks for them. */
async function copyNode(root: string): Promise<void> {
  const { stdout } = await execute('ldd', [process.execPath]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  for (const [from, to] of [
    ...libraries.map((path) => [path, path] as const),
    [process.execPath, '/bin/node'] as const,
  ]) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(from, join(root, to));
  }
}

/** The release below `root`/app. */
async function install(root: string): Promise<void> {
  const tarball = await packRelease(t, { withPythonClient: hasPythonEnvironment });
  t.equal(basename(tarball), `verifyhuman-service-${packageVersion}.tgz`);
  const app = join(root, 'app');
  mkdirSync(app);
  await unpack(tarball, app);
  await execute('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: app });
}

/** Links of its pages to files that the release does not hold. */
function deadLinks(app: string): string[] {
  const pages = ['docs', 'deploy', 'examples', '.'].flatMap((folder) =>
    readdirSync(join(app, folder), { recursive: folder !== '.', encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
  return pages.flatMap((page) =>
    [...readFileSync(join(app, page), 'utf8').matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !existsSync(join(app, dirname(page), link)))
      .map((link) => `${page}: ${link}`),
  );
}

t.test('a release runs with production dependencies alone, in an empty root', { skip }, async (t) => {
  const root = temporaryDirectory(t);
  chmodSync(root, 0o755);
  await copyNode(root);
  await install(root);
  for (const name of ['data', 'tmp']) {
    mkdirSync(join(root, name));
    chownSync(join(root, name), user, user);
  }
  const inside = [`--userspec=${user}:${user}`, root, '/bin/node', '/app/dist/src/cli/verifyhuman.js'];
  const { gitHead } = JSON.parse(readFileSync(join(root, 'app/package.json'), 'utf8')) as { readonly gitHead: string };
  t.match(gitHead, /^[0-9a-f]{40}(-modified)?$/);
  t.match(
    { ...(await execute('chroot', [...inside, '--version'])) },
    { stdout: `verifyhuman ${packageVersion} (${gitHead})` },
  );

  t.same(deadLinks(join(root, 'app')), [], 'its pages link to files that it holds');

  const { components } = JSON.parse(readFileSync(join(root, 'app/sbom.cdx.json'), 'utf8')) as Materials;
  const installed = readdirSync(join(root, 'app/node_modules')).filter((name) => /^[a-z]/.test(name));
  t.ok(installed.length > 100);
  t.same(
    installed.filter((name) => !components.some((component) => component.name === name)),
    [],
    'the bill of materials names every package',
  );
  t.same(
    components
      .filter(({ licenses }) => !licenses.every(({ license }) => permissive.includes(license?.id ?? '')))
      .map(({ name }) => name),
    [],
    'none has a license that binds the operator’s own code',
  );

  const notices = readFileSync(join(root, 'app/THIRD-PARTY-NOTICES.txt'), 'utf8');
  for (const part of ['preact 10', 'TensorFlow.js', 'face_recognition_model', 'Apache License', 'Copyright (c)'])
    t.match(notices, part);
  for (const name of ['TensorFlow.js', 'blazeface']) t.ok(components.some((component) => component.name === name));

  const environment = {
    PATH: process.env['PATH'],
    VH_DATA_DIR: '/data',
    PORT: '0',
    AUDIENCE_PORT: '0',
    ADMIN_PORT: '0',
  };
  const child = spawn('chroot', [...inside, 'start'], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  t.teardown(() => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('/metrics')) break;
  const { baseUrl, siteUrl, adminUrl, projectKey } = JSON.parse(
    readFileSync(join(root, 'data/bootstrap.json'), 'utf8'),
  ) as Readonly<Record<string, string>>;
  t.match(await (await fetch(`${adminUrl}/healthz`)).json(), {
    status: 'ok',
    version: packageVersion,
    commit: gitHead,
  });
  t.match(
    await (await fetch(`${adminUrl}/metrics`)).text(),
    `vh_build_info{version="${packageVersion}",commit="${gitHead}"} 1`,
  );
  const scored = await fetch(`${baseUrl}/lite/score`, {
    method: 'POST',
    headers: { 'x-api-key': projectKey ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ sessionId: 'release-1', clientIp: '203.0.113.24' }),
  });
  t.match(await scored.json(), { score: Number, receiptId: /^rcpt_/ });
  for (const path of served) t.equal((await fetch(siteUrl + path)).status, 200, path);
  child.kill('SIGTERM');
  t.equal(await ended, 0, 'it obeys SIGTERM');
});

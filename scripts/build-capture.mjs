// Builds the camera part of the browser SDK: copies the model files out of the npm packages that hold them, bundles the worker that runs them,
// and bundles the module that a page loads with the hash of every one of those files inside. Names carry a part of the hash, so that
// they can be cached for good.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { writeServed } from './write-served.mjs';

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');

/** The path of each file below node_modules; the bundle knows it by its own name. */
const graphs = ['blazeface', 'facemesh', 'iris'].flatMap((name) => [
  `@vladmandic/human/models/${name}.json`,
  `@vladmandic/human/models/${name}.bin`,
]);
const nets = ['face_recognition_model', 'age_gender_model'].flatMap((name) => [
  `@vladmandic/face-api/model/${name}-weights_manifest.json`,
  `@vladmandic/face-api/model/${name}.bin`,
]);
const runtime = ['tfjs-backend-wasm.wasm', 'tfjs-backend-wasm-simd.wasm'].map(
  (name) => `@tensorflow/tfjs-backend-wasm/dist/${name}`,
);

const target = 'es2022';
/** Raw sizes: of the module that a page loads, and of the worker with the arithmetic in it. */
const moduleBytesMax = 40_000;
const workerBytesMax = 1_400_000;

// The package exports no path to the arithmetic that it carries.
const alias = { 'tfjs-bundle': join(packages, '@vladmandic/human/dist/tfjs.esm.js') };

/**
 * Builds into `out` and returns the module as an entry of the bundles’ manifest; into `threads`, if given, the thread by which the service judges
 * pictures with the same models.
 */
export async function buildCapture(root, out, threads) {
  const folder = join(out, 'v1/models');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files = {};
  const keep = async (key, bytes) => {
    const hash = createHash('sha256').update(bytes).digest();
    const extension = extname(key);
    const name = `${key.slice(0, -extension.length)}-${hash.toString('hex').slice(0, 10)}${extension}`;
    await writeServed(join(folder, name), bytes);
    files[key] = { name, sha256: hash.toString('base64'), bytes: bytes.length };
  };
  for (const path of [...graphs, ...nets, ...runtime])
    await keep(path.slice(path.lastIndexOf('/') + 1), await readPackaged(path));
  const worker = await bundle(join(root, 'sdk/capture/worker/main.ts'), 'iife', { alias });
  refuseAbove(worker.length, workerBytesMax, 'the worker');
  await keep('capture-worker.js', worker);
  const define = { __MODEL_FILES__: JSON.stringify(files) };
  if (threads !== undefined) await buildJudge(root, threads, define);
  const code = await bundle(join(root, 'sdk/capture/camera.ts'), 'esm', { define });
  refuseAbove(code.length, moduleBytesMax, 'verifyhuman.capture.js');
  await writeServed(join(out, 'v1/verifyhuman.capture.js'), code);
  return {
    file: 'v1/verifyhuman.capture.js',
    bytes: code.length,
    gzipBytes: gzipSync(code).length,
    integrity: `sha384-${createHash('sha384').update(code).digest('base64')}`,
  };
}

/** The arithmetic is built for browsers: here it cannot detect Node. */
async function buildJudge(root, folder, define) {
  const code = await bundle(join(root, 'sdk/capture/worker/judge.ts'), 'esm', {
    alias,
    platform: 'node',
    define: { ...define, process: 'undefined', WorkerGlobalScope: 'Object' },
  });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'judge-pictures.js'), code);
}

async function readPackaged(path) {
  try {
    return await readFile(join(packages, path));
  } catch (error) {
    throw new Error(`${path} is not installed: run npm install, then build again`, { cause: error });
  }
}

async function bundle(entry, format, options) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format,
    target,
    platform: 'browser',
    legalComments: 'none',
    ...options,
  });
  return Buffer.from(outputFiles[0].contents);
}

function refuseAbove(bytes, bytesMax, name) {
  if (bytes > bytesMax) throw new Error(`${name} has ${bytes} bytes, more than the ${bytesMax} it may have`);
}

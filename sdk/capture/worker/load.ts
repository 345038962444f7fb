/**
 * Model files, each held against its hash before anything reads it. A file that is missing or is not the one that this bundle was built
 * with rejects with `ModelError`; nothing of it is used.
 */
import * as tf from 'tfjs-bundle';
import type { GraphModel, WeightSpec } from 'tfjs-bundle';
import type { PackedWeights } from './layers.js';
import type { LoadedBytes } from '../../widget/ports.js';
import type { ModelFile } from '../protocol.js';

class ModelError extends Error {}

export interface Source {
  /** Answers with a file, by its full name. */
  readonly read: (name: string) => Promise<Response>;
  readonly files: Readonly<Record<string, ModelFile>>;
  /** Called when a file is asked for, with its size as `total`, and when bytes of it arrive, with their number as `loaded`. */
  readonly onBytes?: (change: LoadedBytes) => void;
}

/** Longest wait for one file, ms. */
const fetchMsMax = 60_000;

/** Reads files of a web address, which ends in a slash. */
export const readFrom =
  (baseUrl: string): Source['read'] =>
  async (name) => {
    const response = await fetch(baseUrl + name, { signal: AbortSignal.timeout(fetchMsMax), credentials: 'omit' });
    if (!response.ok) throw new ModelError(`${name} was answered with ${response.status}`);
    return response;
  };

async function fetchFile({ read, files, onBytes }: Source, key: string): Promise<ArrayBuffer> {
  const file = files[key];
  if (file === undefined) throw new ModelError(`no file is known by the name ${key}`);
  let bytes: ArrayBuffer;
  onBytes?.({ loaded: 0, total: file.bytes });
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onBytes?.({ loaded: chunk.length, total: 0 });
      controller.enqueue(chunk);
    },
  });
  try {
    const response = await read(file.name);
    bytes = await new Response(response.body?.pipeThrough(counter) ?? null).arrayBuffer();
  } catch (error) {
    throw error instanceof ModelError ? error : new ModelError(`${file.name} could not be fetched: ${String(error)}`);
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hash = btoa(String.fromCharCode(...digest));
  if (hash !== file.sha256) throw new ModelError(`${file.name} is not the file that this bundle was built with`);
  return bytes;
}

async function fetchJson(source: Source, key: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await fetchFile(source, key)));
}

interface GraphDescription {
  readonly modelTopology: unknown;
  readonly format?: string;
  readonly signature?: unknown;
  readonly weightsManifest: readonly { readonly weights: readonly WeightSpec[] }[];
}

export interface GraphFiles {
  readonly description: GraphDescription;
  readonly weightData: ArrayBuffer;
}

export async function fetchGraph(source: Source, name: string): Promise<GraphFiles> {
  const [description, weightData] = await Promise.all([
    fetchJson(source, `${name}.json`) as Promise<GraphDescription>,
    fetchFile(source, `${name}.bin`),
  ]);
  return { description, weightData };
}

export function buildGraph({ description, weightData }: GraphFiles): Promise<GraphModel> {
  const { modelTopology, signature, weightsManifest } = description;
  return tf.loadGraphModel(
    tf.io.fromMemory({
      modelTopology,
      weightSpecs: weightsManifest.flatMap(({ weights }) => weights),
      weightData,
      ...(signature === undefined ? {} : { signature }),
    }),
  );
}

export async function fetchWeights(source: Source, name: string): Promise<PackedWeights> {
  const [manifest, bytes] = await Promise.all([
    fetchJson(source, `${name}-weights_manifest.json`) as Promise<PackedWeights['manifest']>,
    fetchFile(source, `${name}.bin`),
  ]);
  return { manifest, bytes };
}

/** The smallest module of WebAssembly. */
const emptyModule = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);

/** Starts the arithmetic: WebAssembly on one thread, with vector instructions where the browser has them. */
export async function startBackend(source: Source): Promise<void> {
  // If a policy forbids it, the library waits for ever.
  await WebAssembly.compile(emptyModule).catch((error: unknown) => {
    throw new ModelError(
      `WebAssembly may not run; a policy has to say script-src 'wasm-unsafe-eval': ${String(error)}`,
    );
  });
  const hasSimd = await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT');
  const bytes = await fetchFile(source, hasSimd === true ? 'tfjs-backend-wasm-simd.wasm' : 'tfjs-backend-wasm.wasm');
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  // The only thing that the library itself fetches is what has just been checked.
  tf.env().platform.fetch = () =>
    Promise.resolve(new Response(bytes, { headers: { 'content-type': 'application/wasm' } }));
  tf.setWasmPaths('checked/', true);
  if (!(await tf.setBackend('wasm'))) throw new ModelError('WebAssembly did not start');
  await tf.ready();
}

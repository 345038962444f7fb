/**
 * The search kernel that `npm run build` compiles from `assembly/kernel.ts`: one module for every dimension, given the layout when it is instantiated.
 * Throws where it was not built.
 */
import { readFileSync } from 'node:fs';
import type { Layout } from './layout.js';

/** Scans from `block`; returns how many results lie in the scratch. The next block to go on with stands at `resumeOffset`. */
export type Scan = (block: number, scratch: number, bitsMax: number, likenessMin: number, queryScale: number) => number;

/** Pages of 64 KiB: at first, and at most (4 GiB, some 25 million templates of 128 dimensions), as in `assembly/asconfig.json`. */
export const pagesMin = 16;
export const pagesMax = 65_536;
/** In the scratch, in place of the first of the slots that passed: where the chain goes on. */
export const resumeOffset = (layout: Layout): number => layout.scratch.passed;

export const loadKernel = (): WasmModule => new Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));

export function instantiateKernel(module: WasmModule, memory: WasmMemory, layout: Layout): Scan {
  const { width, codeBytes, rowBytes, segmentsAt, segment, scratch } = layout;
  const kernel = {
    width,
    codeBytes,
    rowBytes,
    segmentsAt,
    segmentBytes: segment.bytes,
    codesAt: segment.codes,
    rowsAt: segment.rows,
    queryAt: scratch.query,
    passedAt: scratch.passed,
    resultsAt: scratch.results,
  };
  const { scan } = new Instance(module, { env: { memory }, kernel }).exports as { readonly scan?: Scan };
  if (scan === undefined) throw new Error('the kernel exports no scan');
  return scan;
}

/** The part of WebAssembly that the scan uses, typed: the language’s own library has it only together with the browser’s. */
export interface WasmMemory {
  readonly buffer: SharedArrayBuffer;
  /** Adds pages of 64 KiB; throws where the maximum is reached. */
  grow(pages: number): number;
}

/** A compiled module; opaque. */
export type WasmModule = object;

interface WebAssemblyApi {
  readonly Memory: new (shape: { initial: number; maximum: number; shared: true }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (
    module: WasmModule,
    imports: Readonly<Record<string, Readonly<Record<string, WasmMemory | number>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}

const { Memory, Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;
export { Memory };

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

export const { Memory, Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi })
  .WebAssembly;

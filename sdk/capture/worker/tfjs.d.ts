/**
 * The part of TensorFlow.js 4.22 that the worker uses, typed by hand: the bundle that @vladmandic/human carries declares none of it. The name is
 * resolved by scripts/build-sdk.mjs, since that package exports no such path.
 */
declare module 'tfjs-bundle' {
  export interface Tensor {
    readonly shape: readonly number[];
    readonly size: number;
    data(): Promise<Float32Array>;
    dataSync(): Float32Array;
    dispose(): void;
  }
  export interface GraphModel {
    execute(input: Tensor): Tensor | Tensor[];
    dispose(): void;
  }
  export interface WeightSpec {
    readonly name: string;
    readonly shape: readonly number[];
    readonly dtype: string;
  }
  export interface Artifacts {
    readonly modelTopology: unknown;
    readonly weightSpecs: readonly WeightSpec[];
    readonly weightData: ArrayBuffer;
    readonly format?: string;
    readonly signature?: unknown;
    readonly userDefinedMetadata?: unknown;
  }
  export interface Platform {
    fetch(path: string, init?: RequestInit): Promise<Response>;
  }
  type Pair = readonly [number, number] | number;
  export function setWasmPaths(prefix: string, usePlatformFetch: boolean): void;
  export function setBackend(name: string): Promise<boolean>;
  export function getBackend(): string;
  export function ready(): Promise<void>;
  export function env(): {
    platform: Platform;
    set(flag: string, value: boolean | number): void;
    getAsync(flag: string): Promise<boolean | number>;
  };
  export function loadGraphModel(handler: unknown): Promise<GraphModel>;
  export const io: {
    fromMemory(artifacts: Artifacts): unknown;
    decodeWeights(data: ArrayBuffer, specs: readonly WeightSpec[]): Record<string, Tensor>;
  };
  export function tensor(values: Float32Array, shape: readonly number[], dtype?: string): Tensor;
  export function tidy<T>(run: () => T): T;
  export function dispose(tensors: unknown): void;
  export function conv2d(x: Tensor, filter: Tensor, strides: Pair, pad: 'same' | 'valid'): Tensor;
  export function separableConv2d(
    x: Tensor,
    depth: Tensor,
    point: Tensor,
    strides: Pair,
    pad: 'same' | 'valid',
  ): Tensor;
  export function maxPool(x: Tensor, size: Pair, strides: Pair, pad: 'same' | 'valid'): Tensor;
  export function avgPool(x: Tensor, size: Pair, strides: Pair, pad: 'same' | 'valid'): Tensor;
  export function add(a: Tensor, b: Tensor): Tensor;
  export function mul(a: Tensor, b: Tensor): Tensor;
  export function relu(x: Tensor): Tensor;
  export function softmax(x: Tensor): Tensor;
  export function mean(x: Tensor, axes: readonly number[]): Tensor;
  export function matMul(a: Tensor, b: Tensor): Tensor;
  export function concat(tensors: readonly Tensor[], axis: number): Tensor;
  export function zeros(shape: readonly number[]): Tensor;
  export function reshape(x: Tensor, shape: readonly number[]): Tensor;
}

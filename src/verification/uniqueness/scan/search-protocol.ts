/** What passes between the main thread and a search thread. Memory and kernel are shared, not copied. */
import type { Layout } from './layout.js';
import type { WasmMemory, WasmModule } from './web-assembly.js';

/** Hands a gallery to a thread, once. */
export interface OpenGallery {
  readonly kind: 'open';
  readonly gallery: number;
  readonly memory: WasmMemory;
  readonly kernel: WasmModule;
  readonly layout: Layout;
}

export interface SearchRequest {
  readonly kind: 'search';
  readonly id: number;
  readonly gallery: number;
  readonly heads: readonly number[];
  readonly code: Uint8Array;
  readonly bytes: Int8Array;
  readonly scale: number;
  /** Most bits in which a code may differ for its row to be looked at. */
  readonly bitsMax: number;
  readonly likenessMin: number;
  /** Templates from this time on compete apart from those before it; Unix seconds. */
  readonly sinceSeconds: number;
  /** Most results on either side of that time. */
  readonly bestMax: number;
}

export type SearchMessage = OpenGallery | SearchRequest;

export interface SearchResult {
  readonly slot: number;
  readonly likeness: number;
}

export interface SearchAnswer {
  readonly id: number;
  /** The most alike, best first. */
  readonly recent: readonly SearchResult[];
  readonly earlier: readonly SearchResult[];
}

/** A thread says this once, when it has loaded. */
export const threadIsReady = 'ready';
export type ThreadMessage = SearchAnswer | typeof threadIsReady;

/**
 * One search: the kernel over every cell’s chain, and the best results on either side of a time. Runs on whichever thread has the memory and a
 * scratch of its own. If rows are being written meanwhile, a result may be wrong or missing, never the search.
 */
import { instantiateKernel, resumeOffset, type Scan, type WasmMemory, type WasmModule } from './kernel.js';
import { addressesOf, type Layout } from './layout.js';

export interface SearchSpace {
  readonly memory: WasmMemory;
  readonly layout: Layout;
  readonly scan: Scan;
  /** Address of the scratch. */
  readonly scratch: number;
}

export type Found = { readonly recent: readonly SearchResult[]; readonly earlier: readonly SearchResult[] };

/** Makes the kernel of a gallery runnable on this thread, which is number `thread`. */
export function openSearchSpace(memory: WasmMemory, kernel: WasmModule, layout: Layout, thread: number): SearchSpace {
  return { memory, layout, scan: instantiateKernel(kernel, memory, layout), scratch: thread * layout.scratch.bytes };
}

export function search(space: SearchSpace, request: Omit<SearchRequest, 'kind' | 'id' | 'gallery'>): Found {
  const { memory, layout, scan, scratch } = space;
  const { bitsMax, likenessMin, scale, sinceSeconds, bestMax } = request;
  const view = new DataView(memory.buffer);
  new Uint8Array(memory.buffer).set(request.code, scratch + layout.scratch.code);
  new Int16Array(memory.buffer, scratch + layout.scratch.query, layout.width).set(request.bytes);
  const recent = createBest(bestMax);
  const earlier = createBest(bestMax);
  for (const head of request.heads) {
    let block = head;
    while (block >= 0) {
      const count = scan(block, scratch, bitsMax, likenessMin, scale);
      for (let index = 0; index < count; index += 1) {
        const at = scratch + layout.scratch.results + index * 8;
        const slot = view.getInt32(at, true);
        const best = view.getUint32(addressesOf(layout, slot).time, true) >= sinceSeconds ? recent : earlier;
        best.offer(slot, view.getFloat32(at + 4, true));
      }
      block = view.getInt32(scratch + resumeOffset(layout), true);
    }
  }
  return { recent: recent.list, earlier: earlier.list };
}

/** The best few, in order; most offers fail at the last. */
function createBest(max: number): { readonly list: SearchResult[]; offer(slot: number, likeness: number): void } {
  const list: SearchResult[] = [];
  return {
    list,
    offer(slot, likeness) {
      if (list.length === max && likeness <= (list.at(-1)?.likeness ?? -1)) return;
      let place = list.length;
      while (place > 0 && (list[place - 1]?.likeness ?? 0) < likeness) place -= 1;
      list.splice(place, 0, { slot, likeness });
      if (list.length > max) list.pop();
    },
  };
}

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

/**
 * One search: every cell’s chain is scanned, and the best results on either side of a time are kept. Along a chain it counts the bits in which each
 * row’s code differs from the query’s; what is near enough is compared by its signed bytes. It only reads what another thread may be writing: a row
 * half written gives a wrong likeness, so the caller works every result out again. Blocks that are linked meanwhile may be left out.
 */
import { addressesOf, blockRows, headOf, noBlock, type Layout } from './layout.js';

/** Memory with templates, shared by the thread that writes them and those that search. */
export interface SearchSpace {
  readonly memory: SharedArrayBuffer;
  readonly layout: Layout;
}

export type Found = { readonly recent: readonly SearchResult[]; readonly earlier: readonly SearchResult[] };

type Query = Omit<SearchRequest, 'kind' | 'id' | 'gallery'>;

export function search(space: SearchSpace, query: Query): Found {
  const { likenessMin, sinceSeconds, bestMax } = query;
  const recent = createBest(bestMax);
  const earlier = createBest(bestMax);
  const { ints, likenessOf } = openRows(space, query);
  for (const slot of nearSlots(space, ints, query)) {
    const { row, time } = addressesOf(space.layout, slot);
    const likeness = likenessOf(row);
    if (likeness < likenessMin) continue;
    const best = (ints[time >> 2] ?? 0) >= sinceSeconds ? recent : earlier;
    best.offer(slot, likeness);
  }
  return { recent: recent.list, earlier: earlier.list };
}

/** Views have a fixed length, since those that follow the memory as it grows are five times slower. */
function openRows({ memory, layout: { width } }: SearchSpace, { bytes: query, scale }: Query) {
  const length = memory.byteLength;
  const bytes = new Int8Array(memory, 0, length);
  const floats = new Float32Array(memory, 0, length / 4);
  const likenessOf = (row: number): number => {
    let product = 0;
    for (let index = 0; index < width; index += 1) product += (bytes[row + index] ?? 0) * (query[index] ?? 0);
    return product * scale * (floats[(row + width) >> 2] ?? 0);
  };
  return { ints: new Int32Array(memory, 0, length / 4), likenessOf };
}

/** The slots whose codes differ from the query’s in at most `bitsMax` bits. */
function nearSlots({ layout }: SearchSpace, ints: Int32Array, { heads, code, bitsMax }: Query): number[] {
  const words = new Int32Array(code.buffer, code.byteOffset, code.byteLength / 4);
  const near: number[] = [];
  for (const first of heads) {
    let block = first;
    while (block !== noBlock) {
      const head = headOf(layout, block) >> 2;
      const slot = block * blockRows;
      const filled = ints[head + 1] ?? 0;
      let at = addressesOf(layout, slot).code >> 2;
      for (let row = 0; row < filled; row += 1) {
        let bits = 0;
        for (let word = 0; word < words.length; word += 2) {
          const first = (ints[at + word] ?? 0) ^ (words[word] ?? 0);
          const second = (ints[at + word + 1] ?? 0) ^ (words[word + 1] ?? 0);
          bits += countOnes(first, second);
        }
        if (bits <= bitsMax) near.push(slot + row);
        at += words.length;
      }
      block = ints[head] ?? noBlock;
    }
  }
  return near;
}

/** The bits that are set in two words, by sums of four neighbours, of eight in both, and of all. */
function countOnes(first: number, second: number): number {
  const eights = countFours(first) + countFours(second);
  return Math.imul((eights & 0x0f0f0f0f) + ((eights >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24;
}

function countFours(word: number): number {
  const twos = word - ((word >>> 1) & 0x55555555);
  return (twos & 0x33333333) + ((twos >>> 2) & 0x33333333);
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
  readonly space: SearchSpace;
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

/** Has a thread let go of a gallery. */
export interface CloseGallery {
  readonly kind: 'close';
  readonly gallery: number;
}

export type SearchMessage = OpenGallery | CloseGallery | SearchRequest;

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

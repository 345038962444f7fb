/**
 * The templates of one model, in shared memory: this thread alone writes, search threads read what is there. Templates are filed in cells (a
 * project and a data collector), so that the scope of a comparison is a set of cells and can change without touching the index.
 *
 * A reader may see a row half written; it never sees an erased one as anybody, because erasing puts zeros over it at once. `confirm`
 * works a result out again from what is there now, and is what counts.
 */
import type { EncodedTemplate } from './encoder.js';
import { addressesOf, blockRows, headOf, noBlock, segmentBlocks, type Layout } from './layout.js';
import type { SearchSpace } from './search.js';

export type Gallery = ReturnType<typeof createGallery>;

interface Cell {
  readonly head: number;
  tail: number;
  /** Rows in use of the last block. */
  filled: number;
  size: number;
  readonly free: number[];
}

/** Most bytes of a gallery: some 25 million templates of 128 dimensions. They are taken as they are needed. */
const bytesMax = 2 ** 32;
const noNumber = -1;

export function createGallery(layout: Layout) {
  const arena = createArena(layout);
  const cells = new Map<string, Cell>();
  const slotOf = new Map<number, number>();
  const cellOfBlock: Cell[] = [];

  function takeSlot(name: string): { readonly cell: Cell; readonly slot: number } {
    let cell = cells.get(name);
    if (cell === undefined) {
      const block = arena.openBlock(cellOfBlock.length);
      cell = { head: block, tail: block, filled: 0, size: 0, free: [] };
      cellOfBlock.push(cell);
      cells.set(name, cell);
    }
    const free = cell.free.pop();
    if (free !== undefined) return { cell, slot: free };
    if (cell.filled === blockRows) {
      const block = arena.openBlock(cellOfBlock.length);
      cellOfBlock.push(cell);
      arena.link(cell.tail, block);
      cell.tail = block;
      cell.filled = 0;
    }
    cell.filled += 1;
    return { cell, slot: cell.tail * blockRows + cell.filled - 1 };
  }

  return {
    layout,
    space: { memory: arena.memory, layout } satisfies SearchSpace,
    /** Files a template under a number of the caller’s; one that is there already stays. Throws where the memory is full. */
    add(name: string, number: number, template: EncodedTemplate, timeSeconds: number): void {
      if (slotOf.has(number)) return;
      const { cell, slot } = takeSlot(name);
      arena.write(slot, template, timeSeconds, number);
      slotOf.set(number, slot);
      cell.size += 1;
    },
    /** Puts zeros over a template; says whether it was there. */
    remove(number: number): boolean {
      const slot = slotOf.get(number);
      const cell = slot === undefined ? undefined : cellOfBlock[Math.floor(slot / blockRows)];
      if (slot === undefined || cell === undefined) return false;
      arena.erase(slot);
      slotOf.delete(number);
      cell.size -= 1;
      cell.free.push(slot);
      return true;
    },
    /** First blocks of the cells that exist. */
    headsOf: (names: readonly string[]): number[] => names.flatMap((name) => cells.get(name)?.head ?? []),
    sizeOf: (names: readonly string[]): number => names.reduce((sum, name) => sum + (cells.get(name)?.size ?? 0), 0),
    /** The template in a slot now, and its similarity to the query; null if the slot is empty. */
    confirm: arena.confirm,
    has: (number: number): boolean => slotOf.has(number),
    size: () => slotOf.size,
    bytes: () => arena.bytes(),
  };
}

/** Views have a fixed length, since those that follow the memory as it grows are five times slower. */
const viewsOf = (memory: SharedArrayBuffer) => ({
  view: new DataView(memory, 0, memory.byteLength),
  bytes: new Uint8Array(memory, 0, memory.byteLength),
  heads: new Int32Array(memory, 0, memory.byteLength / 4),
});

/** The shared memory itself: grows by segments, and reads and writes what lies in a slot. */
function createArena(layout: Layout) {
  const memory = new SharedArrayBuffer(0, { maxByteLength: bytesMax });
  let numbers = new Float64Array(0);
  let { view, bytes, heads } = viewsOf(memory);

  function reserve(block: number): void {
    if (block % segmentBlocks === 0) {
      memory.grow(memory.byteLength + layout.segment.bytes);
      ({ view, bytes, heads } = viewsOf(memory));
    }
    const rows = (block + 1) * blockRows;
    if (rows <= numbers.length) return;
    const larger = new Float64Array(Math.max(rows, numbers.length * 2)).fill(noNumber);
    larger.set(numbers);
    numbers = larger;
  }

  return {
    memory,
    openBlock(block: number): number {
      reserve(block);
      const head = headOf(layout, block) >> 2;
      Atomics.store(heads, head, noBlock);
      Atomics.store(heads, head + 1, 0);
      return block;
    },
    link: (block: number, next: number): void => void Atomics.store(heads, headOf(layout, block) >> 2, next),
    /** A slot counts only when all of it is written: `filled` moves on last. */
    write(slot: number, { bytes: row, scale, code }: EncodedTemplate, timeSeconds: number, number: number): void {
      const at = addressesOf(layout, slot);
      bytes.set(new Uint8Array(row.buffer, row.byteOffset, row.byteLength), at.row);
      bytes.set(code, at.code);
      view.setFloat32(at.scale, scale, true);
      view.setUint32(at.time, timeSeconds, true);
      numbers[slot] = number;
      const head = headOf(layout, Math.floor(slot / blockRows)) >> 2;
      const filled = (slot % blockRows) + 1;
      if (filled > Atomics.load(heads, head + 1)) Atomics.store(heads, head + 1, filled);
    },
    erase(slot: number): void {
      const at = addressesOf(layout, slot);
      bytes.fill(0, at.row, at.row + layout.rowBytes);
      bytes.fill(0, at.code, at.code + layout.codeBytes);
      numbers[slot] = noNumber;
    },
    confirm(slot: number, query: EncodedTemplate): { readonly number: number; readonly likeness: number } | null {
      const number = numbers[slot] ?? noNumber;
      if (number === noNumber) return null;
      const at = addressesOf(layout, slot);
      let product = 0;
      for (let index = 0; index < layout.width; index += 1)
        product += (query.bytes[index] ?? 0) * view.getInt8(at.row + index);
      return { number, likeness: product * query.scale * view.getFloat32(at.scale, true) };
    },
    bytes: () => memory.byteLength + numbers.byteLength,
  };
}

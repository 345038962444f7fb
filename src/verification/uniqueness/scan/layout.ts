/**
 * The layout of a gallery’s shared memory. All addresses are bytes.
 *
 *   scratch of thread 0 | scratch of thread 1 | ... | segment 0 | segment 1 | ...
 *
 *   scratch: query code | query as 16-bit numbers | slots that passed | results (slot, likeness)
 *   segment: heads (next block, rows filled) of its blocks | their codes | their rows: signed bytes, scale, time
 *
 * A block holds 32 templates of one cell (a project, a data collector), and the blocks of a cell form a chain. Codes of neighbours lie
 * together, because a scan reads all of them and few of the rows; all of a row lies together, because each place apart costs a miss. A row is appended behind `filled`, or put into a place that was erased;
 * an erased row is all zeros, whose likeness to anything is 0.
 */

import { blockRows, headBytes, passedMax, segmentBlocks, segmentBlocksLog2, segmentRowsLog2 } from './blocks.js';

/** Marks the end of a chain. */
export const noBlock = -1;
const threadsMax = 8;

/** Least bits of a code: at 256, chance leaves about one row in a hundred for the second look. */
const codeBitsMin = 256;
const widthMin = 128;

export type Layout = ReturnType<typeof layoutFor>;

const roundUp = (value: number, to: number): number => Math.ceil(value / to) * to;

/** The layout for templates of so many dimensions. */
export function layoutFor(dimension: number) {
  const width = Math.max(widthMin, 2 ** Math.ceil(Math.log2(dimension)));
  const codeBits = Math.max(codeBitsMin, width);
  const codeBytes = codeBits / 8;
  const query = codeBytes;
  const passed = query + width * 2;
  const results = passed + passedMax * 4;
  const scratchBytes = roundUp(results + passedMax * 8, 64);
  const segmentRows = segmentBlocks * blockRows;
  const codes = segmentBlocks * headBytes;
  const rows = codes + segmentRows * codeBytes;
  const rowBytes = width + 8;
  return {
    /** Numbers in a template after rotation: a power of two. */
    width,
    codeBits,
    codeBytes,
    scratch: { code: 0, query, passed, results, bytes: scratchBytes },
    /** Within a segment. */
    segment: { codes, rows, bytes: rows + segmentRows * rowBytes },
    /** Bytes of a row: its numbers, then the scale and the time. */
    rowBytes,
    /** Address of segment 0. */
    segmentsAt: scratchBytes * threadsMax,
  };
}

/** Addresses of a block’s head: the next block of its chain, then the rows filled. */
export const headOf = ({ segmentsAt, segment }: Layout, block: number): number =>
  segmentsAt + (block >> segmentBlocksLog2) * segment.bytes + (block & (segmentBlocks - 1)) * headBytes;

/** Addresses of one template. */
export function addressesOf(layout: Layout, slot: number) {
  const { segmentsAt, segment, codeBytes, rowBytes, width } = layout;
  const base = segmentsAt + (slot >> segmentRowsLog2) * segment.bytes;
  const place = slot & ((1 << segmentRowsLog2) - 1);
  const row = base + segment.rows + place * rowBytes;
  return { code: base + segment.codes + place * codeBytes, row, scale: row + width, time: row + width + 4 };
}

/**
 * The layout of a gallery’s shared memory: segments of blocks, one after the other. All addresses are bytes.
 *
 *   segment: heads (next block, rows filled) of its blocks | their codes | their rows: signed bytes, scale, time
 *
 * A block holds 32 templates of one cell (a project, a data collector), and the blocks of a cell form a chain. Codes of neighbours lie
 * together, because a scan reads all of them and few of the rows; all of a row lies together, because each place apart costs a miss. A row is appended behind `filled`, or put into a place that was erased;
 * an erased row is all zeros, whose likeness to anything is 0.
 */

/** Templates in a block: small enough that thousands of small projects cost little. */
export const blockRows = 32;
export const segmentBlocks = 256;
const segmentRows = segmentBlocks * blockRows;
/** Bytes of a block’s head: the next block, the rows filled. */
const headBytes = 8;
/** Marks the end of a chain. */
export const noBlock = -1;

/** Least bits of a code: at 256, chance leaves about one row in a hundred for the second look. */
const codeBitsMin = 256;
const widthMin = 128;

export type Layout = ReturnType<typeof layoutFor>;

/** The layout for templates of so many dimensions. */
export function layoutFor(dimension: number) {
  const width = Math.max(widthMin, 2 ** Math.ceil(Math.log2(dimension)));
  const codeBits = Math.max(codeBitsMin, width);
  const codeBytes = codeBits / 8;
  const codes = segmentBlocks * headBytes;
  const rows = codes + segmentRows * codeBytes;
  const rowBytes = width + 8;
  return {
    /** Numbers in a template after rotation: a power of two. */
    width,
    codeBits,
    codeBytes,
    /** Within a segment. */
    segment: { codes, rows, bytes: rows + segmentRows * rowBytes },
    /** Bytes of a row: its numbers, then the scale and the time. */
    rowBytes,
  };
}

/** Address of the head of a block. */
export const headOf = ({ segment }: Layout, block: number): number =>
  Math.floor(block / segmentBlocks) * segment.bytes + (block % segmentBlocks) * headBytes;

/** Addresses of one template. */
export function addressesOf({ segment, codeBytes, rowBytes, width }: Layout, slot: number) {
  const base = Math.floor(slot / segmentRows) * segment.bytes;
  const place = slot % segmentRows;
  const row = base + segment.rows + place * rowBytes;
  return { code: base + segment.codes + place * codeBytes, row, scale: row + width, time: row + width + 4 };
}

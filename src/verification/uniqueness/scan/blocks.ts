/** Sizes that the search kernel and the service share: AssemblyScript compiles this file into the kernel, TypeScript into the service. */

/** Templates in a block: small enough that thousands of small projects cost little. */
export const blockRowsLog2 = 5;
export const blockRows = 1 << blockRowsLog2;
export const segmentBlocksLog2 = 8;
export const segmentBlocks = 1 << segmentBlocksLog2;
export const segmentRowsLog2 = blockRowsLog2 + segmentBlocksLog2;
/** Bytes of a block’s head: the next block, the rows filled. */
export const headBytes = 8;
/** Templates whose rows are compared in one go, and results that are handed over at a time. */
export const passedMax = 2_048;

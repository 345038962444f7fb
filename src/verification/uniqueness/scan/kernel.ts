/**
 * The inner loop of a search, as WebAssembly with SIMD, unrolled for one dimension:
 *
 *   1. along a chain of blocks, count the bits in which each row’s code differs from the query’s, and note the slots within `bitsMax`, without a branch;
 *   2. when the chain ends or enough are noted: the product of their signed bytes with the query, scaled to a likeness; what reaches
 *      `likenessMin` is a result. That step comes by itself because its rows lie anywhere: with nothing in between, their misses overlap.
 *
 * It answers with the block to go on with. It only reads what another thread may be writing: a row half written gives a wrong likeness, so the
 * caller works out every result again.
 */
import { assemble, op, types, type Code } from './assembler.js';
import { blockRows, blockRowsLog2, passedMax, segmentBlocksLog2, segmentRowsLog2, type Layout } from './layout.js';

/** Scans from `block`; answers how many results lie in the scratch. The next block to go on with stands at `resumeOffset`. */
export type Scan = (block: number, scratch: number, bitsMax: number, likenessMin: number, queryScale: number) => number;

/** Pages of 64 KiB: at first, and at most (4 GiB, some 25 million templates of 128 dimensions). */
export const pagesMin = 16;
export const pagesMax = 65_536;
/** In the scratch, in place of the first of the slots that passed: where the chain goes on. */
export const resumeOffset = (layout: Layout): number => layout.scratch.passed;

const local = {
  block: 0,
  scratch: 1,
  bitsMax: 2,
  likenessMin: 3,
  queryScale: 4,
  /** Of the segment, and the place of a block or row in it. */
  base: 5,
  place: 6,
  head: 7,
  count: 8,
  slot: 9,
  end: 10,
  passed: 11,
  address: 12,
  index: 13,
  likeness: 14,
  sum: 15,
} as const;

const { get, set, tee } = op;

/** The kernel’s module for a layout. */
export function assembleKernel(layout: Layout): Uint8Array<ArrayBuffer> {
  return assemble(
    {
      name: 'scan',
      parameters: [types.i32, types.i32, types.i32, types.f32, types.f32],
      result: types.i32,
      locals: [...Array.from({ length: 9 }, () => types.i32), types.f32, types.v128],
      body: [
        ...countBits(layout),
        ...multiply(layout),
        ...[...get(local.scratch), ...get(local.block), ...op.i32Store(layout.scratch.passed)],
        ...get(local.count),
      ],
    },
    pagesMin,
    pagesMax,
  );
}

/** `base` and `place` for what `index` (on the stack) counts, `perSegmentLog2` of them in a segment. */
const locate = (index: Code, perSegmentLog2: number, { segment, segmentsAt }: Layout): Code => [
  ...[...index, ...op.i32(perSegmentLog2), ...op.i32ShiftRight, ...op.i32(segment.bytes), ...op.i32Mul],
  ...[...op.i32(segmentsAt), ...op.i32Add, ...set(local.base)],
  ...[...index, ...op.i32((1 << perSegmentLog2) - 1), ...op.i32And, ...set(local.place)],
];

/** The address of `place` * bytes in the segment, on the stack. */
const within = (bytes: number): Code => [
  ...[...get(local.place), ...op.i32(bytes), ...op.i32Mul, ...get(local.base), ...op.i32Add],
];

/** The address of entry `index` of the scratch, of 1 << log2 bytes each, on the stack. */
const entry = (index: number, log2: number): Code => [
  ...[...get(index), ...op.i32(log2), ...op.i32ShiftLeft, ...get(local.scratch), ...op.i32Add],
];

/** Step 1. Every slot is written, and `passed` moves on only where it is near enough. */
function countBits(layout: Layout): Code {
  const { codeBytes, segment, scratch } = layout;
  const differing = Array.from({ length: codeBytes / 8 }, (_, word) => [
    ...[...get(local.address), ...op.i64Load(segment.codes + word * 8)],
    ...[...get(local.scratch), ...op.i64Load(scratch.code + word * 8)],
    ...[...op.i64Xor, ...op.i64Popcnt],
    ...(word === 0 ? [] : op.i64Add),
  ]).flat();
  return [
    ...op.block,
    ...op.loop,
    ...[...get(local.block), ...op.i32(0), ...op.i32LessSigned, ...op.branchIf(1)],
    ...[...get(local.passed), ...op.i32(passedMax - blockRows), ...op.i32GreaterSigned, ...op.branchIf(1)],
    ...locate(get(local.block), segmentBlocksLog2, layout),
    ...[...within(8), ...set(local.head)],
    ...[...within(blockRows * codeBytes), ...set(local.address)],
    ...[...get(local.block), ...op.i32(blockRowsLog2), ...op.i32ShiftLeft, ...tee(local.slot)],
    ...[...get(local.head), ...op.i32Load(4), ...op.i32Add, ...set(local.end)],
    ...op.block,
    ...op.loop,
    ...[...get(local.slot), ...get(local.end), ...op.i32LessSigned, ...op.i32EqualZero, ...op.branchIf(1)],
    ...[...entry(local.passed, 2), ...get(local.slot), ...op.i32Store(scratch.passed)],
    ...[...differing, ...op.i32Wrap, ...get(local.bitsMax), ...op.i32LessEqualSigned],
    ...[...get(local.passed), ...op.i32Add, ...set(local.passed)],
    ...[...get(local.address), ...op.i32(codeBytes), ...op.i32Add, ...set(local.address)],
    ...[...get(local.slot), ...op.i32(1), ...op.i32Add, ...set(local.slot)],
    ...op.branch(0),
    ...op.end,
    ...op.end,
    ...[...get(local.head), ...op.i32Load(0), ...set(local.block)],
    ...op.branch(0),
    ...op.end,
    ...op.end,
  ];
}

/** Step 2. Written as step 1: each likeness is stored, and kept where it suffices. */
function multiply(layout: Layout): Code {
  const { width, rowBytes, segment, scratch } = layout;
  const lanes = [0, 1, 2, 3].flatMap((lane) => [
    ...get(local.sum),
    ...op.i32x4Lane(lane),
    ...(lane === 0 ? [] : op.i32Add),
  ]);
  return [
    ...op.block,
    ...op.loop,
    ...[...get(local.index), ...get(local.passed), ...op.i32LessSigned, ...op.i32EqualZero, ...op.branchIf(1)],
    ...[...entry(local.index, 2), ...op.i32Load(scratch.passed), ...set(local.slot)],
    ...locate(get(local.slot), segmentRowsLog2, layout),
    ...[...within(rowBytes), ...set(local.address)],
    ...[...dotProduct(width, segment.rows, scratch.query), ...set(local.sum)],
    ...[...lanes, ...op.f32FromI32, ...get(local.address), ...op.f32Load(segment.rows + width), ...op.f32Mul],
    ...[...get(local.queryScale), ...op.f32Mul, ...set(local.likeness)],
    ...[...entry(local.count, 3), ...get(local.slot), ...op.i32Store(scratch.results)],
    ...[...entry(local.count, 3), ...get(local.likeness), ...op.f32Store(scratch.results + 4)],
    ...[...get(local.likeness), ...get(local.likenessMin), ...op.f32GreaterEqual],
    ...[...get(local.count), ...op.i32Add, ...set(local.count)],
    ...[...get(local.index), ...op.i32(1), ...op.i32Add, ...set(local.index)],
    ...op.branch(0),
    ...op.end,
    ...op.end,
  ];
}

/** Eight signed bytes are widened as they are loaded, multiplied with eight of the query, and summed in pairs. */
function dotProduct(width: number, rowsAt: number, queryAt: number): Code {
  return Array.from({ length: width / 8 }, (_, part) => [
    ...[...get(local.address), ...op.v128LoadBytesSigned(rowsAt + part * 8)],
    ...[...get(local.scratch), ...op.v128Load(queryAt + part * 16), ...op.i32x4Dot],
    ...(part === 0 ? [] : op.i32x4Add),
  ]).flat();
}

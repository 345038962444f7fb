/**
 * The inner loop of a search, in AssemblyScript, compiled to WebAssembly with SIMD:
 *
 *   1. along a chain of blocks, count the bits in which each row’s code differs from the query’s, and note the slots within `bitsMax`, without a branch;
 *   2. when the chain ends or enough are noted: the product of their signed bytes with the query, scaled to a likeness; what reaches
 *      `likenessMin` is a result. This step is separate because its rows lie anywhere: with nothing in between, their misses overlap.
 *
 * It returns how many results lie in the scratch; the block to go on with stands where the first noted slot did. It only reads what another thread may be
 * writing: a row half written gives a wrong likeness, so the caller computes every result again.
 */
import {
  blockRows,
  blockRowsLog2,
  headBytes,
  passedMax,
  segmentBlocks,
  segmentBlocksLog2,
  segmentRowsLog2,
} from '../blocks';

// Layout constants in bytes. Codes and widths are multiples of 32.
declare const width: usize;
declare const codeBytes: usize;
declare const rowBytes: usize;
declare const segmentsAt: usize;
declare const segmentBytes: usize;
declare const codesAt: usize;
declare const rowsAt: usize;
declare const queryAt: usize;
declare const passedAt: usize;
declare const resultsAt: usize;

export function scan(block: i32, scratch: usize, bitsMax: i32, likenessMin: f32, queryScale: f32): i32 {
  const noted = scratch + passedAt;
  let passed = 0;
  while (block >= 0 && passed <= passedMax - blockRows) {
    const segment = segmentsAt + <usize>(block >> segmentBlocksLog2) * segmentBytes;
    const place = <usize>(block & (segmentBlocks - 1));
    const head = segment + place * headBytes;
    const first = block << blockRowsLog2;
    const end = first + load<i32>(head, 4);
    let code = segment + codesAt + place * blockRows * codeBytes;
    // Every slot is written, and `passed` moves on only where it is near enough.
    for (let slot = first; slot < end; slot++) {
      store<i32>(noted + (passed << 2), slot);
      passed += i32(countBits(code, scratch) <= bitsMax);
      code += codeBytes;
    }
    block = load<i32>(head);
  }
  let count = 0;
  for (let index = 0; index < passed; index++) {
    const slot = load<i32>(noted + (index << 2));
    const segment = segmentsAt + <usize>(slot >> segmentRowsLog2) * segmentBytes;
    const row = segment + rowsAt + <usize>(slot & ((1 << segmentRowsLog2) - 1)) * rowBytes;
    const likeness = <f32>multiply(row, scratch + queryAt) * load<f32>(row + width) * queryScale;
    const result = scratch + resultsAt + (count << 3);
    store<i32>(result, slot);
    store<f32>(result, likeness, 4);
    count += i32(likeness >= likenessMin);
  }
  store<i32>(noted, block);
  return count;
}

/** In how many bits two codes differ. Most codes have 32 bytes: they skip the loop, whose check for interrupts costs a tenth. */
function countBits(a: usize, b: usize): i32 {
  let bits = countPart(a, b);
  if (codeBytes > 32) {
    for (let at: usize = 32; at < codeBytes; at += 32) bits += countPart(a + at, b + at);
  }
  return <i32>bits;
}

function countPart(a: usize, b: usize): i64 {
  return (
    popcnt(load<i64>(a) ^ load<i64>(b)) +
    popcnt(load<i64>(a, 8) ^ load<i64>(b, 8)) +
    popcnt(load<i64>(a, 16) ^ load<i64>(b, 16)) +
    popcnt(load<i64>(a, 24) ^ load<i64>(b, 24))
  );
}

/** The product of signed bytes with 16-bit numbers: eight are widened as they are loaded, multiplied with eight, and summed in pairs. */
function multiply(bytes: usize, numbers: usize): i32 {
  const end = bytes + width;
  let sum = i32x4.splat(0);
  do {
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load_ext<i8>(bytes), v128.load(numbers)));
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load_ext<i8>(bytes, 8), v128.load(numbers, 16)));
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load_ext<i8>(bytes, 16), v128.load(numbers, 32)));
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load_ext<i8>(bytes, 24), v128.load(numbers, 48)));
    bytes += 32;
    numbers += 64;
  } while (bytes < end);
  return (
    i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3)
  );
}

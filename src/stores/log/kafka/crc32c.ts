/** CRC-32C (Castagnoli), the checksum of Kafka’s batches: eight bytes at a time, with a table for each of them. */

const places = 8;
const polynomial = 0x82f63b78;

/** The indices of these are always within. */
const adds = (table: Int32Array, byte: number): number => table[byte] as number;
const byteOf = (bytes: Uint8Array, n: number): number => bytes[n] as number;

/** By how many others of its eight bytes stand behind a byte: what it adds. */
const [t0, t1, t2, t3, t4, t5, t6, t7] = createTables();

type Tables = readonly [
  ...[Int32Array, Int32Array, Int32Array, Int32Array],
  ...[Int32Array, Int32Array, Int32Array, Int32Array],
];

function createTables(): Tables {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    return crc;
  });
  const tables = [first];
  for (let place = 1; place < places; place++)
    tables.push((tables[place - 1] ?? first).map((crc) => (crc >>> 8) ^ adds(first, crc & 255)));
  return tables as unknown as Tables;
}

/** The checksum of `bytes` from `start` to `end`, as an unsigned number. */
export function crc32c(bytes: Uint8Array, start: number, end: number): number {
  let crc = -1;
  let n = start;
  for (; n + places <= end; n += places) {
    const four =
      byteOf(bytes, n) | (byteOf(bytes, n + 1) << 8) | (byteOf(bytes, n + 2) << 16) | (byteOf(bytes, n + 3) << 24);
    const low = crc ^ four;
    crc =
      adds(t7, low & 255) ^
      adds(t6, (low >>> 8) & 255) ^
      adds(t5, (low >>> 16) & 255) ^
      adds(t4, low >>> 24) ^
      adds(t3, byteOf(bytes, n + 4)) ^
      adds(t2, byteOf(bytes, n + 5)) ^
      adds(t1, byteOf(bytes, n + 6)) ^
      adds(t0, byteOf(bytes, n + 7));
  }
  for (; n < end; n++) crc = adds(t0, (crc ^ byteOf(bytes, n)) & 255) ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}

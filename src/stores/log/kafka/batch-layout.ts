/**
 * Kafka’s record batches (of message format 2), as they lie in a send and in what is fetched.
 *
 *   [base offset i64][length i32][leader epoch i32][magic i8 = 2][crc u32][attributes i16][last offset delta i32][first timestamp i64]
 *   [last timestamp i64][producer id i64][producer epoch i16][first sequence i32][records i32] record …
 *   record: [length][attributes i8][timestamp delta][offset delta][key length][key][value length][value][headers]   (numbers: zigzag, 7 bits a byte)
 *
 * What needs more than that (compression, headers) is left to kafkajs.
 */

/** Where the fields of a batch begin. */
export const at = {
  ...{ length: 8, leaderEpoch: 12, magic: 16, crc: 17, attributes: 21, lastDelta: 23, firstTime: 27, lastTime: 35 },
  ...{ producerId: 43, producerEpoch: 51, firstSequence: 53, count: 57, records: 61 },
} as const;
export const magic = 2;
/** Attributes: which compression, times of the broker, part of a transaction, a marker of one. */
export const flags = { compression: 7, brokersTime: 8, transaction: 16, control: 32 } as const;

import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import t from 'tap';
import { crc32c } from '../../../../src/stores/log/kafka/crc32c.js';
import {
  readFetched,
  shareCodec,
  writeProduce,
  type ProduceArguments,
} from '../../../../src/stores/log/kafka/codec.js';

interface Protocol {
  readonly protocol: (of: { version: number }) => (args: object) => {
    readonly request: { encode(): Promise<{ readonly buffer: Buffer }> };
    readonly response: { decode(raw: Buffer): Promise<unknown> };
  };
}
const load = createRequire(import.meta.url);
const theirs = <T>(file: string): T => load(`kafkajs/src/protocol/${file}`) as T;
/** Taken before the definitions are changed. */
const { protocol: produceOf } = { ...theirs<Protocol>('requests/produce/index.js') };
const decodeFetched = theirs<{ decode(raw: Buffer): Promise<object> }>('requests/fetch/v11/response.js').decode;

const nowMs = 1_700_000_000_000;
const sizes = [0, 1, 40, 63, 64, 127, 478, 1_407, 8_191, 8_192, 70_000];
const messages = sizes.map((size) => ({ key: `rcpt_é${size}`, value: randomBytes(size) }));
const args = {
  ...{ acks: -1, timeout: 1_800, compression: 0, producerId: '12345678901', producerEpoch: 3 },
  topicData: [
    {
      topic: 'scores',
      partitions: [
        { partition: 4, firstSequence: 0, messages },
        { partition: 0, firstSequence: 77, messages: messages.slice(0, 1) },
        {
          partition: 1,
          firstSequence: 9,
          messages: Array.from({ length: 300 }, () => ({ key: '', value: Buffer.of(1) })),
        },
      ],
    },
    { topic: 'outcomes', partitions: [] },
  ],
} satisfies ProduceArguments;

/** The batch of one partition as kafkajs writes it. */
async function theirBatch(options: object, records: readonly object[]): Promise<Buffer> {
  const { RecordBatch } = theirs<{ RecordBatch(o: object): Promise<{ readonly buffer: Buffer }> }>(
    'recordBatch/v0/index.js',
  );
  const Record = theirs<(o: object) => object>('recordBatch/record/v0/index.js');
  const made = records.map((record, n) => Record({ ...record, offsetDelta: n, timestampDelta: n * 3 }));
  const times = { firstTimestamp: nowMs, maxTimestamp: nowMs + records.length };
  return (await RecordBatch({ ...times, records: made, lastOffsetDelta: records.length - 1, ...options })).buffer;
}

/** An answer to a fetch with these bytes of one partition. */
function answer(records: Buffer): Buffer {
  const head = Buffer.alloc(14);
  head.writeInt32BE(1, 10);
  const partition = Buffer.alloc(38);
  partition.writeBigInt64BE(900n, 6);
  partition.writeInt32BE(1, 30);
  const aborted = Buffer.alloc(24);
  aborted.writeBigInt64BE(7n, 0);
  aborted.writeInt32BE(-1, 16);
  aborted.writeInt32BE(records.length, 20);
  const name = Buffer.from('\u0000\u0006scores\u0000\u0000\u0000\u0001');
  return Buffer.concat([head, name, partition.subarray(0, 34), aborted, records]);
}

t.test('a checksum is that of Kafka, whatever the length and the beginning', async (t) => {
  const byByte = theirs<(bytes: Buffer) => number>('recordBatch/crc32C/index.js');
  t.equal(crc32c(Buffer.from('123456789'), 0, 9), 0xe3069283, 'the value that the standard gives');
  for (let length = 0; length < 70; length++) {
    const bytes = randomBytes(length);
    t.equal(crc32c(bytes, length % 9, length), byByte(bytes.subarray(length % 9)), `${length} bytes`);
  }
});

t.test('a send is written byte for byte as kafkajs writes it', async (t) => {
  t.intercept(Date, 'now', { value: () => nowMs });
  for (const version of [3, 7]) {
    const { buffer } = await produceOf({ version })(args).request.encode();
    t.ok(writeProduce(args, nowMs).equals(buffer), `version ${version}`);
  }
});

t.test('what is fetched is read as kafkajs reads it', async (t) => {
  const whole = await theirBatch({ firstOffset: 41, producerId: '5', firstSequence: 2 }, messages);
  const second = await theirBatch({ firstOffset: 4_000_000_000, transactional: true }, [{ key: null, value: null }]);
  const cases = {
    'one batch': whole,
    'two batches': Buffer.concat([whole, second]),
    'a batch that is cut off': Buffer.concat([second, whole.subarray(0, 500)]),
    'the beginning of a batch that is cut off': Buffer.concat([second, whole.subarray(0, 30)]),
    nothing: Buffer.alloc(0),
  };
  for (const [name, records] of Object.entries(cases)) {
    const raw = answer(records);
    const read = readFetched(raw);
    t.not(read, null, `${name} is not left to kafkajs`);
    const [expected, found] = [await decodeFetched(raw), read].map((it) => JSON.stringify(it, sorted));
    t.equal(found, expected, name);
  }
});

t.test('what this service would not write is left to kafkajs', async (t) => {
  shareCodec();
  const { Produce, Fetch } = theirs<{ requests: Record<'Produce' | 'Fetch', Protocol> }>('requests/index.js').requests;
  t.intercept(Date, 'now', { value: () => nowMs });
  const [topic] = args.topicData;
  const withHeaders = {
    ...topic,
    partitions: [
      { partition: 0, firstSequence: 0, messages: [{ key: 'a', value: Buffer.of(1), headers: { b: 'c' } }] },
    ],
  };
  for (const other of [
    { ...args, compression: 1 },
    { ...args, topicData: [withHeaders] },
    { ...args, transactionalId: 't' },
  ])
    t.same(
      (await Produce.protocol({ version: 7 })(other).request.encode()).buffer,
      (await produceOf({ version: 7 })(other).request.encode()).buffer,
    );
  const unlike = {
    headers: await theirBatch({}, [{ key: 'a', value: 'b', headers: { c: 'd' } }]),
    compression: await theirBatch({ compression: 1 }, [{ key: 'a', value: 'b' }]),
  };
  for (const [name, records] of Object.entries(unlike)) {
    const raw = answer(records);
    t.equal(readFetched(raw), null, name);
    t.same(await Fetch.protocol({ version: 11 })({}).response.decode(raw), await decodeFetched(raw), name);
  }
});

/** Fields of objects in one order. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

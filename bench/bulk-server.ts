/**
 * The bare route: what the product's own libraries cost for a list of events with nothing of ours between them. Fastify with a schema that asks for a list,
 * the list as one record to Kafka (acknowledged by all replicas, whatever waits goes out together), and an answer of the size of ours.
 */
import Fastify from 'fastify';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { pack } from 'msgpackr';
import { createGroupCommit } from '../src/stores/log/group-commit.js';
import { quietQueues } from '../src/stores/log/kafka-quiet.js';

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};
const topic = `${setting('KAFKA_TOPIC_PREFIX')}bulk`;
const bodyBytesMax = 1_048_576;

quietQueues();
const kafka = new Kafka({ clientId: 'bulk', brokers: setting('KAFKA_BROKERS').split(','), logLevel: logLevel.NOTHING });
const admin = kafka.admin();
await admin.connect();
await admin.createTopics({ topics: [{ topic, numPartitions: 6 }], waitForLeaders: true });
await admin.disconnect();
const producer = kafka.producer({
  idempotent: true,
  maxInFlightRequests: 1,
  createPartitioner: Partitioners.DefaultPartitioner,
});
await producer.connect();
const log = createGroupCommit({
  store: 'bulk',
  write: async (entries) => {
    const messages = entries.map(({ key, value }) => ({ key, value: Buffer.from(value) }));
    await producer.send({ topic, acks: -1, messages });
  },
  deadlineMs: 5_000,
  writeBytesMax: bodyBytesMax,
  waitingBytesMax: 67_108_864,
});

const app = Fastify({ bodyLimit: bodyBytesMax });
const body = { type: 'object', required: ['events'], properties: { events: { type: 'array', minItems: 1 } } };
app.post('/bulk', { schema: { body } }, async (request) => {
  const { events } = request.body as { readonly events: readonly unknown[] };
  await log.append([{ key: 'bulk', value: new Uint8Array(pack(events)) }]);
  const { length } = events;
  return { received: length, accepted: length, duplicates: 0, rejected: 0, unmatched: 0, sessions: length };
});
const origin = await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ origin });
process.on('SIGTERM', () => {
  void producer.disconnect().finally(() => process.exit(0));
});

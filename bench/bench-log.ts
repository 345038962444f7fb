/** The log that a baseline appends to: a separate topic on the running stack, by the service's library and its group commit, with none of our work between. */
import { Kafka, logLevel, Partitioners, type Producer } from 'kafkajs';
import { createGroupCommit, type GroupCommit } from '../src/stores/log/group-commit.js';

/** A variable of the environment. Throws where it is not set. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

const numPartitions = 6;

export interface BenchLog {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly producer: Producer;
  readonly log: GroupCommit;
}

/** Appends are acknowledged by all replicas. What waits goes out together, to one partition. */
export async function openBenchLog(name: string, writeBytesMax: number): Promise<BenchLog> {
  const topic = `${setting('KAFKA_TOPIC_PREFIX')}${name}`;
  const kafka = new Kafka({
    clientId: name,
    brokers: setting('KAFKA_BROKERS').split(','),
    logLevel: logLevel.NOTHING,
  });
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: true });
  await admin.disconnect();
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  let writes = 0;
  const log = createGroupCommit({
    store: name,
    write: async (entries) => {
      const partition = (writes += 1) % numPartitions;
      const messages = entries.map(({ key, value }) => ({ key, value: Buffer.from(value), partition }));
      await producer.send({ topic, acks: -1, messages });
    },
    deadlineMs: 5_000,
    writeBytesMax,
    waitingBytesMax: 67_108_864,
  });
  return { kafka, topic, producer, log };
}

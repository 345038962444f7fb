/**
 * The empty pipeline: what the product’s own libraries cost with no work of ours between them. Fastify with a schema of two fields, one script
 * in Redis (8 keys read, 3 written, auto-pipelined), one record of 900 bytes to Kafka (acknowledged by all replicas, whatever waits goes
 * out together), taken from there and inserted into PostgreSQL by batch, and a reply of a score’s size.
 */
import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';
import { stopIdleTimers } from '../src/stores/log/kafka/client.js';
import { openBenchLog, setting } from './bench-log.js';
import { reportLoopDelay } from './loop-delay.js';

const recordBytes = 900;
const keysRead = 8;
const keysWritten = 3;
const keepSeconds = 600;
const writeBytesMax = 786_432;

const redis = new Redis(setting('REDIS_URL'), {
  enableAutoPipelining: true,
  keyPrefix: setting('KAFKA_TOPIC_PREFIX'),
}) as Redis & { countOnce(...args: string[]): Promise<number> };
redis.defineCommand('countOnce', {
  numberOfKeys: keysRead,
  lua: `local sum = 0
for i = 1, ${keysRead} do sum = sum + tonumber(redis.call('GET', KEYS[i]) or 0) end
for i = 1, ${keysWritten} do redis.call('SET', KEYS[i], sum + i, 'EX', ${keepSeconds}) end
return sum`,
});

const database = new pg.Pool({ connectionString: setting('DATABASE_URL'), max: 4 });
await database.query('CREATE TABLE IF NOT EXISTS pipeline (id text PRIMARY KEY, record bytea NOT NULL)');

stopIdleTimers();
const { kafka, topic, producer, log } = await openBenchLog('pipeline', writeBytesMax);
const consumer = kafka.consumer({ groupId: `${topic}.rows`, maxWaitTimeInMs: 200, minBytes: 262_144 });
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
await consumer.run({
  eachBatch: async ({ batch }) => {
    await database.query(
      'INSERT INTO pipeline SELECT id, $2 FROM unnest($1::text[]) AS row (id) ON CONFLICT DO NOTHING',
      [batch.messages.map(({ key }) => key?.toString() ?? ''), batch.messages[0]?.value],
    );
  },
});

const answer = setting('PIPELINE_ANSWER');
const record = randomBytes(recordBytes);
const app = Fastify();
app.post(
  '/pipeline',
  {
    schema: {
      body: {
        type: 'object',
        required: ['sessionId', 'clientIp'],
        properties: { sessionId: { type: 'string' }, clientIp: { type: 'string' } },
      },
    },
  },
  async (request, reply) => {
    const { sessionId, clientIp } = request.body as { readonly sessionId: string; readonly clientIp: string };
    const keys = Array.from({ length: keysRead }, (_, n) => `${n < keysWritten ? sessionId : clientIp}:${n}`);
    await redis.countOnce(...keys);
    await log.append([{ key: sessionId, value: record }]);
    return reply.type('application/json; charset=utf-8').send(answer);
  },
);
const origin = await app.listen({ host: '127.0.0.1', port: 0 });
reportLoopDelay();
process.send?.({ origin });
process.on('SIGTERM', () => {
  void Promise.allSettled([consumer.disconnect(), producer.disconnect(), database.end()]).then(() => process.exit(0));
});

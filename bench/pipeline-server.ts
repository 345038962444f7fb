/**
 * The mandatory pipeline: everything that a score cannot leave out, and nothing that decides. The body is parsed and validated, its identifiers become
 * references, the counters are read and written with plain commands in two round trips (with the bytes of the probe, if the session sent one), the record
 * is packed, sealed and acknowledged by Kafka, and the reply is serialized. Each record is then read from Kafka and inserted in PostgreSQL.
 * The libraries and their options are the product's.
 */
import Fastify from 'fastify';
import { pack } from 'msgpackr';
import pg from 'pg';
import { ScoreRequest } from '../src/contract/score.js';
import { createBatchSigner } from '../src/crypto/batch-signer.js';
import { makeId } from '../src/crypto/ids.js';
import { createMakeRef, deriveSigningKey } from '../src/crypto/master-key.js';
import { createValidatorCompiler } from '../src/kernel/validation.js';
import { probeBytesMax } from '../src/limits.js';
import { packSealed } from '../src/record/record.js';
import { stopIdleTimers } from '../src/stores/log/kafka/client.js';
import { openBareRedis } from './bare-redis.js';
import { openBenchLog, setting } from './bench-log.js';
import { probeCommands, readCommands, writeCommands, type PipelineRefs } from './pipeline-commands.js';
import type { ScoreSamples } from './score-sample.js';

const writeBytesMax = 786_432;
const refBytes = 16;

const { plain, probed } = JSON.parse(setting('PIPELINE_SAMPLES')) as ScoreSamples;
const masterKey = Buffer.from(setting('VH_MASTER_KEY'), 'base64');
const makeRef = createMakeRef(masterKey);
const signer = createBatchSigner(deriveSigningKey(masterKey, 'receipt'));
const home = `{${setting('KAFKA_TOPIC_PREFIX')}}:`;
const redis = await openBareRedis(setting('REDIS_URL'));

const database = new pg.Pool({ connectionString: setting('DATABASE_URL'), max: 4 });
await database.query(
  'CREATE TABLE pipeline (id text PRIMARY KEY, session text NOT NULL, record bytea NOT NULL); CREATE INDEX ON pipeline (session)',
);

stopIdleTimers();
const { kafka, topic, producer, log } = await openBenchLog('pipeline', writeBytesMax);
const consumer = kafka.consumer({ groupId: `${topic}.rows`, maxWaitTimeInMs: 200, minBytes: 262_144 });
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
await consumer.run({
  eachBatch: async ({ batch: { messages } }) => {
    const values = messages.map(({ value }) => value ?? Buffer.alloc(0));
    let end = 1;
    await database.query(
      'INSERT INTO pipeline SELECT id, session, substring($3::bytea FROM start FOR length) FROM unnest($1::text[], $2::text[], $4::int[], $5::int[]) AS row (id, session, start, length) ON CONFLICT DO NOTHING',
      [
        messages.map(({ key }) => key?.toString('latin1') ?? ''),
        values.map((value) => value.toString('latin1', value.length - refBytes)),
        Buffer.concat(values),
        values.map(({ length }) => (end += length) - length),
        values.map(({ length }) => length),
      ],
    );
  },
});

function refsOf(body: ScoreRequest): PipelineRefs {
  const refer = (kind: string, value: string | null | undefined): string => makeRef(topic, kind, value ?? '');
  const { sessionId, clientIp, sourceId, subSourceId, studyId, respondentId } = body;
  return {
    session: refer('session', sessionId),
    scope: refer('scope', studyId),
    respondent: refer('respondent', respondentId),
    address: refer('address', clientIp),
    prefix: refer('prefix', clientIp.slice(0, clientIp.lastIndexOf('.'))),
    source: refer('source', sourceId),
    history: [
      refer('history:respondent', respondentId),
      refer('history:source', sourceId),
      refer('history:subSource', `${sourceId ?? ''}\n${subSourceId ?? ''}`),
    ],
  };
}

/** The session's reference comes last, where the consumer finds it. */
function recordOf(known: readonly unknown[], { session }: PipelineRefs, recordBytes: number, content: string): Buffer {
  const packed = pack(known);
  const record = Buffer.alloc(Math.max(recordBytes, packed.length + refBytes));
  packed.copy(record);
  record.write(content, packed.length, 'latin1');
  record.write(session, record.length - refBytes, 'latin1');
  return record;
}

const app = Fastify();
app.setValidatorCompiler(createValidatorCompiler());
app.post<{ Body: ScoreRequest }>('/pipeline', { schema: { body: ScoreRequest } }, async ({ body }, reply) => {
  const nowMs = Date.now();
  const refs = refsOf(body);
  const receiptId = makeId('receipt');
  const [probe] = (await redis.send(readCommands(home, refs, nowMs))) as [readonly (string | null)[]];
  const [, content = null] = probe;
  const sample = content === null ? plain : probed;
  const device = content === null ? null : { device: refs.session, seed: Number(`0x${refs.session.slice(0, 8)}`) };
  const { session, scope, respondent, address, prefix, source, history } = refs;
  const trace = [session, scope, respondent, address, prefix, source, history];
  const known = [receiptId, nowMs, body.sessionId, body.userAgent, body.respondentStats, trace];
  const record = recordOf(known, refs, sample.recordBytes, content ?? '');
  const kept = record.toString('latin1', 0, plain.recordBytes);
  await redis.send(writeCommands(home, refs, { receiptId, content: kept, nowMs, probe: device }));
  const value = packSealed(record, await signer.seal(record));
  await log.append([{ key: receiptId, value }]);
  const text = JSON.stringify({ ...sample.reply, receiptId, sessionId: body.sessionId });
  return reply.type('application/json; charset=utf-8').send(text);
});
app.post<{ Body: { readonly sessionId: string } }>('/probe', { bodyLimit: probeBytesMax }, async ({ body }) => {
  const refs = refsOf({ sessionId: body.sessionId, clientIp: '' });
  await redis.send(probeCommands(home, refs, pack(body).toString('latin1')));
  return {};
});
const origin = await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ origin });
process.on('SIGTERM', () => {
  void Promise.allSettled([consumer.disconnect(), producer.disconnect(), database.end()]).then(() => process.exit(0));
});

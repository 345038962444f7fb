/**
 * The bare route: what the product's own libraries cost for a list of events with nothing of ours between them. Fastify with a schema that asks for a list,
 * the list as one record to Kafka (acknowledged by all replicas, whatever waits goes out together), and an answer of the size of ours.
 */
import Fastify from 'fastify';
import { pack } from 'msgpackr';
import { stopIdleTimers } from '../src/stores/log/kafka/client.js';
import { openBenchLog } from './bench-log.js';

const bodyBytesMax = 1_048_576;

stopIdleTimers();
const { producer, log } = await openBenchLog('bulk', bodyBytesMax);

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

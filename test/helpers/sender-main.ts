/**
 * A sender of webhooks in a process of its own, for tests that end it: delivers on the real stores that the environment names. With SENDER_FAULT ("step@n") it
 * ends itself as kill -9 would, the nth time that it comes to the step. Tells its parent when it runs; SIGTERM stops it in good order.
 */
import { openPostgres } from '../../src/stores/database/postgres/open.js';
import { openKafkaLog } from '../../src/stores/log/kafka/log.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { startTestDeliveries } from './deliveries.js';
import { withFaults, type Fault } from './sender-faults.js';
import type { SenderSettings } from './sender-process.js';

const settings = JSON.parse(process.env['SENDER_SETTINGS'] ?? '') as SenderSettings;
const [step = '', nth = '1'] = (process.env['SENDER_FAULT'] ?? '').split('@');
const fault: Fault = { step, nth: Number(nth), end: () => void process.kill(process.pid, 'SIGKILL') };

const logger = createLogger('error', process.stderr);
process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled promise rejection'));
const opened = await openPostgres({ url: settings.databaseUrl, poolMax: 5, deadlineMs: 5_000 });
const { database, trace } = withFaults(opened, fault);
const log = await openKafkaLog({
  brokers: [settings.kafkaBrokers],
  clientId: 'verifyhuman-sender',
  logger,
  prefix: settings.prefix,
  sessionTimeoutMs: 6_000,
});
const running = await startTestDeliveries(
  { database, log },
  { trace, leaseMs: settings.leaseMs, timeoutMs: settings.timeoutMs },
);
process.on('SIGTERM', () => {
  void running
    .stop()
    .then(() => log.close())
    .then(() => database.close())
    .then(() => process.exit(0));
});
process.send?.('ready');

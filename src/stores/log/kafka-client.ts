/**
 * The kafkajs client as this service sets it up: quick to give up on one try, its log sent to ours.
 *
 * kafkajs reports every passing trouble as an error although it retries; here its errors are warnings at most, and only what the
 * adapters themselves conclude is louder.
 */
import { Kafka, logLevel, type KafkaConfig, type logCreator } from 'kafkajs';
import type { Logger } from '../../telemetry/logger.js';

export interface KafkaConnection {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly ssl?: KafkaConfig['ssl'];
  readonly sasl?: KafkaConfig['sasl'];
  readonly logger: Logger;
}

const connectionTimeoutMs = 1_000;
const requestTimeoutMs = 1_500;

export function createKafkaClient({ brokers, clientId, ssl, sasl, logger }: KafkaConnection): Kafka {
  return new Kafka({
    brokers: [...brokers],
    clientId,
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 3 },
    logLevel: logLevel.INFO,
    logCreator: redirectLog(logger),
  });
}

/** Written many times a second while a broker is away, and said once by the adapters. */
const chatter = ['Connection', 'BrokerPool'];

const redirectLog = (logger: Logger): logCreator => () => ({ namespace, level, log }) => {
  const { message, error, groupId, broker } = log;
  const fields = { component: `kafkajs/${namespace}`, problem: error as unknown, groupId: groupId as unknown, broker: broker as unknown };
  if (level === logLevel.ERROR && !chatter.includes(namespace)) logger.warn(fields, message);
  else logger.debug(fields, message);
};

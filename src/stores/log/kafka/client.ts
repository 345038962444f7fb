/**
 * The kafkajs client: it gives up early on each try, writes to our log, and can be cut off (docs/internals/adr/0005-kafka-client.md). Its
 * errors, mostly transient, are logged as warnings at most. It can wait for ever, so each producer, member and admin connection has its
 * own; one that is cut rejects its requests and never reaches a broker again.
 */
import net from 'node:net';
import tls from 'node:tls';
import { type Admin, type ISocketFactory, Kafka, type KafkaConfig, type logCreator, logLevel } from 'kafkajs';
import { storeUnavailable } from '../../../errors.js';
import type { Logger } from '../../../telemetry/logger.js';
import { settleWithin } from '../../notifier.js';
import { createRequire } from 'node:module';

export interface KafkaConnection {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly ssl?: KafkaConfig['ssl'];
  readonly sasl?: KafkaConfig['sasl'];
  readonly logger: Logger;
}

export interface KafkaClient {
  readonly kafka: Kafka;
  /** Ends every connection at once and refuses new ones. */
  cut(): void;
}

const connectionTimeoutMs = 3_000;
const requestTimeoutMs = 5_000;
const keepAliveMs = 60_000;

stopIdleTimers();

export function createKafkaClient({ brokers, clientId, ssl, sasl, logger }: KafkaConnection): KafkaClient {
  const { socketFactory, cut } = createSockets();
  const kafka = new Kafka({
    brokers: [...brokers],
    clientId,
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 3 },
    logLevel: logLevel.INFO,
    logCreator: redirectLog(logger),
    socketFactory,
  });
  return { kafka, cut };
}

function createSockets(): { readonly socketFactory: ISocketFactory; cut(): void } {
  const sockets = new Set<net.Socket>();
  const cutOff = (): Error => new Error('This client of Kafka was given up.');
  let isCut = false;
  return {
    socketFactory: ({ host, port, ssl, onConnect }) => {
      if (isCut) throw cutOff();
      // kafkajs passes what it was configured with, `true` included; its type knows only objects.
      const options = (ssl as unknown) === true ? {} : ssl;
      const serverName = net.isIP(host) === 0 ? { servername: host } : {};
      const socket = (ssl as unknown)
        ? tls.connect({ host, port, ...serverName, ...options }, onConnect)
        : net.connect({ host, port }, onConnect);
      socket.setKeepAlive(true, keepAliveMs);
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
    cut: () => {
      isCut = true;
      // With an error, since kafkajs rejects what is outstanding only then.
      for (const socket of sockets) socket.destroy(cutOff());
    },
  };
}

/** Logs many times a second while a broker is away; the adapters report it once. */
const chatter = ['Connection', 'BrokerPool'];

const redirectLog =
  (logger: Logger): logCreator =>
  () =>
  ({ namespace, level, log }) => {
    const { message, error, groupId, broker } = log;
    const fields = {
      component: `kafkajs/${namespace}`,
      problem: error as unknown,
      groupId: groupId as unknown,
      broker: broker as unknown,
    };
    if (level === logLevel.ERROR && !chatter.includes(namespace)) logger.warn(fields, message);
    else logger.debug(fields, message);
  };

export interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/** Lets kafkajs check for throttling only while requests wait; its timer otherwise fires every millisecond (docs/internals/adr/0005). */
export function stopIdleTimers(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
    readonly prototype: RequestQueue;
  };
  const { scheduleCheckPendingRequests: schedule } = prototype;
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) schedule.call(this);
  };
}

export interface KafkaAdmin {
  /** Settles as `request` does; failures and missed deadlines reject with StoreUnavailable. */
  request<T>(request: (admin: Admin) => Promise<T>, deadlineMs?: number): Promise<T>;
  close(): void;
}

interface Connection {
  readonly connected: Promise<Admin>;
  cut(): void;
}

const deadlineMsDefault = 2_000;

/** Administrative requests over one connection, which is replaced after a failure. */
export function createKafkaAdmin(createClient: () => KafkaClient): KafkaAdmin {
  let current: Connection | null = null;
  let isClosed = false;
  const connect = (): Connection => {
    const { kafka, cut } = createClient();
    const admin = kafka.admin();
    return { connected: admin.connect().then(() => admin), cut };
  };
  return {
    request: async (request, deadlineMs = deadlineMsDefault) => {
      if (isClosed) throw storeUnavailable('kafka: closed');
      const connection = (current ??= connect());
      try {
        return await settleWithin(connection.connected.then(request), deadlineMs, 'kafka');
      } catch (error) {
        connection.cut();
        if (current === connection) current = null;
        throw storeUnavailable(`kafka: ${(error as Error).message}`, error);
      }
    },
    close: () => {
      isClosed = true;
      current?.cut();
    },
  };
}

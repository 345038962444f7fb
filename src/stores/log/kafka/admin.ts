/** Administrative requests over one connection, which is replaced after a request failed. */
import type { Admin } from 'kafkajs';
import { storeUnavailable } from '../../../errors.js';
import { settleWithin } from '../../settle-within.js';
import type { KafkaClient } from './client.js';

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

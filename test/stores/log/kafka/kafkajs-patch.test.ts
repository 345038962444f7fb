import { createRequire } from 'node:module';
import t from 'tap';
import { type RequestQueue, stopIdleTimers } from '../../../../src/stores/log/kafka/client.js';

interface WholeQueue extends RequestQueue {
  readonly throttleCheckTimeoutId: unknown;
  push(request: object): void;
  fulfillRequest(answer: object): void;
  maybeThrottle(ms: number): void;
  destroy(): void;
}

const silent = { debug: () => undefined, warn: () => undefined };

function openQueue(): WholeQueue {
  const Queue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as new (
    options: object,
  ) => WholeQueue;
  return new Queue({ maxInFlightRequests: 1, requestTimeout: 1, clientId: 'test', broker: 'none', logger: silent });
}

function request(correlationId: number, sent: number[]): object {
  const entry = { correlationId, apiName: 'Fetch', apiKey: 1, apiVersion: 11 };
  return {
    entry: { ...entry, resolve: () => undefined, reject: () => undefined },
    expectResponse: true,
    sendRequest: () => sent.push(correlationId),
  };
}

stopIdleTimers();

t.test('an idle queue of requests sets no timer, and one in which a request waits does', async (t) => {
  const queue = openQueue();
  t.teardown(() => queue.destroy());
  const sent: number[] = [];
  queue.push(request(1, sent));
  queue.fulfillRequest({ correlationId: 1, size: 0, payload: null });
  t.equal(queue.throttleCheckTimeoutId, null, 'a response leaves no timer behind');
  queue.push(request(2, sent));
  queue.push(request(3, sent));
  t.not(queue.throttleCheckTimeoutId, null, 'a waiting request is looked at again');
  queue.fulfillRequest({ correlationId: 2, size: 0, payload: null });
  t.same(sent, [1, 2, 3], 'a response makes room for the next');
});

t.test('a throttled request is sent when the throttling ends', async (t) => {
  const queue = openQueue();
  t.teardown(() => queue.destroy());
  const sent: number[] = [];
  queue.maybeThrottle(30);
  queue.push(request(1, sent));
  t.same(sent, []);
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.same(sent, [1]);
});

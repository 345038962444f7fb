import { createRequire } from 'node:module';
import t from 'tap';
import { waitUntil } from '../../../helpers/wait-until.js';
import { quietQueues, type RequestQueue } from '../../../../src/stores/log/kafka/quiet.js';

interface WholeQueue extends RequestQueue {
  readonly throttleCheckTimeoutId: unknown;
  push(request: object): void;
  fulfillRequest(answer: object): void;
}

const silent = { debug: () => undefined, warn: () => undefined };

function openQueue(): WholeQueue {
  const Queue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as new (
    options: object,
  ) => WholeQueue;
  return new Queue({
    ...{ maxInFlightRequests: 1, requestTimeout: 1, enforceRequestTimeout: true },
    ...{ clientId: 'test', broker: 'none', logger: silent },
  });
}

function request(correlationId: number, sent: number[], reject: () => void = () => undefined): object {
  return {
    entry: { correlationId, apiName: 'Fetch', apiKey: 1, apiVersion: 11, resolve: () => undefined, reject },
    expectResponse: true,
    sendRequest: () => sent.push(correlationId),
  };
}

t.test('an idle queue of requests sets no timer, and one in which something waits does', async (t) => {
  quietQueues();
  const queue = openQueue();
  t.teardown(() => queue.destroy());
  const sent: number[] = [];
  queue.push(request(1, sent));
  queue.fulfillRequest({ correlationId: 1, size: 0, payload: null });
  t.equal(queue.throttleCheckTimeoutId, null, 'an answer leaves no timer behind');
  queue.push(request(2, sent));
  queue.push(request(3, sent));
  t.not(queue.throttleCheckTimeoutId, null, 'what waits is looked at again');
  queue.fulfillRequest({ correlationId: 2, size: 0, payload: null });
  t.same(sent, [1, 2, 3], 'an answer makes room for the next');
});

t.test('a request past its deadline is rejected all the same', async (t) => {
  quietQueues();
  const queue = openQueue();
  t.teardown(() => queue.destroy());
  let rejected = 0;
  queue.push(request(1, [], () => (rejected += 1)));
  queue.scheduleRequestTimeoutCheck();
  await waitUntil(() => rejected === 1, 'the deadline to be seen');
  t.equal(queue.inflight.size, 0);
});

t.test('it is set up once, however many clients there are', async (t) => {
  const { prototype } = openQueue().constructor as unknown as { readonly prototype: RequestQueue };
  quietQueues();
  const scheduled = prototype.scheduleCheckPendingRequests;
  quietQueues();
  t.equal(prototype.scheduleCheckPendingRequests, scheduled);
});

/** Receivers that owners name, and their replies, on a running service. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import t from 'tap';
import type { CreatedWebhookReply, DeliveryReply } from '../../src/contract/webhook.js';
import { startTestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.test('a name or an address of an inner network is refused, also as a change', async (t) => {
  const { bootstrap, call } = await startTestService(t);
  const path = `/projects/${bootstrap.projectId}/webhooks`;
  const { webhookId } = (await call('POST', path, { body: { url: 'https://example.com/' } }))
    .body as CreatedWebhookReply;
  for (const url of ['https://redis.default.svc/', 'https://168.63.129.16/', 'https://[::ffff:a83f:8110]/'])
    for (const [method, at] of [
      ['POST', path],
      ['PATCH', `${path}/${webhookId}`],
    ] as const) {
      const { status, body } = await call(method, at, { body: { url } });
      t.equal(status, 400, `${method} ${url}`);
      t.match(body, { code: 'VALIDATION_FAILED', issues: [{ path: '/url', message: /public internet/ }] });
    }
});

t.test('a status that is none of HTTP fails with a sentence for the owner', async (t) => {
  const { bootstrap, call } = await startTestService(t, { VH_WEBHOOK_ALLOW_PRIVATE: 'on' });
  const path = `/projects/${bootstrap.projectId}/webhooks`;
  const receiver = createServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 000 No\r\ncontent-length: 0\r\n\r\n')),
  );
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const { webhookId } = (await call('POST', path, { body: { url } })).body as CreatedWebhookReply;
  await call('POST', `${path}/${webhookId}/test`);
  const failed = async (): Promise<DeliveryReply | undefined> => {
    const { body } = await call('GET', `${path}/${webhookId}/deliveries?state=FAILED`);
    return (body as { deliveries: DeliveryReply[] }).deliveries[0];
  };
  await waitUntil(async () => (await failed()) !== undefined, 'the first attempt failed');
  const error = (await failed())?.attempts.find(({ state }) => state === 'FAILED')?.error ?? '';
  t.match(error, /^protocol: the answer is no valid HTTP/);
  t.notMatch(error, /ASSERTION/);
});

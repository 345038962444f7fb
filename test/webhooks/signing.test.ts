import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { signedHeaders } from '../../src/webhooks/signing.js';

const keyOf = (sessionId: string): string =>
  signedHeaders(
    { event: 'verification.scored', sessionId, messageId: 'evt_1_whk_1', attempt: 1, body: '{}' },
    { current: 'aa', previous: null },
    0,
  )['x-service-idempotency-key'] ?? '';

t.test('every session id fits into a header, and is read back from it', async (t) => {
  for (const plain of ['sess_1', 'a:b/c~!#$&\'()*+,;=?@[]{}|"'])
    t.equal(keyOf(plain), plain, 'what a header can hold stays as it is');
  t.equal(keyOf('Zoë 1'), 'Zo%C3%AB%201');
  t.equal(keyOf('100%25'), '100%2525');
  t.equal(keyOf('half \ud800'), 'half%20%EF%BF%BD');
  const server = createServer((request, response) => response.end(request.headers['x-key']));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const id of ['受访者 1', 'a\r\nx-injected: 1', ' padded ', '\t', 'é', '\u007f', '%41'])
    t.equal(decodeURIComponent(await (await fetch(url, { headers: { 'x-key': keyOf(id) } })).text()), id);
});

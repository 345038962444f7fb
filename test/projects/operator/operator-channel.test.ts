import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { sendOperatorCommand } from '../../../src/projects/operator/operator-channel.js';

const masterKey = new Uint8Array(32);

async function send(t: Test, listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, ask: () => sendOperatorCommand(url, masterKey, { command: 'list-organizations', after: null }) };
}

t.test('of a service that goes away with a command nobody says that nothing was done', async (t) => {
  const cut = await send(t, (request, response) => {
    request.resume().on('end', () => response.destroy());
  });
  await t.rejects(cut.ask(), { message: /The command may have run/ });
  const half = await send(t, (request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{');
      setImmediate(() => response.destroy());
    });
  });
  await t.rejects(half.ask(), { message: /The command may have run/ });
});

t.test('where nobody listens, nobody was told', async (t) => {
  const { server, ask } = await send(t, (_, response) => response.end());
  server.close();
  await once(server, 'close');
  t.same(await ask(), { outcome: 'nobody' });
});

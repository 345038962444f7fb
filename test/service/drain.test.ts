/** Replies to calls between SIGTERM and the end of the process. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { startTestService, type TestService } from '../helpers/service.js';
import { waitUntil } from '../helpers/wait-until.js';

t.setTimeout(120_000);

/** `Expect` has the service say that it has read the headers. */
const scoreCall = ({ bootstrap }: TestService, sessionId: string, ...more: readonly string[]): string => {
  const body = JSON.stringify({ sessionId, clientIp: '203.0.113.24' });
  return [
    'POST /api/v1/lite/score HTTP/1.1',
    'Host: service',
    `X-API-Key: ${bootstrap.projectKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...more,
    '',
    body,
  ].join('\r\n');
};

/** A connection to the API, and what came back on it. */
async function openConnection({ bootstrap }: TestService): Promise<{ socket: Socket; read(): string }> {
  const socket = connect(Number(new URL(bootstrap.siteUrl).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  return { socket, read: () => text };
}

t.test(
  'while it leaves, balancers are told so and calls are answered, each as the last of its connection',
  async (t) => {
    const waited: number[] = [];
    let endDrain = (): void => undefined;
    const drained = new Promise<void>((resolve) => (endDrain = resolve));
    const service = await startTestService(
      t,
      { VH_DRAIN_SECONDS: '2', ADMIN_HOST: '127.0.0.2' },
      { waitDrain: (ms) => (waited.push(ms), drained) },
    );
    const { adminUrl } = service.bootstrap;
    const traffic = async (): Promise<number> => (await fetch(`${adminUrl}/trafficz`)).status;
    t.equal(new URL(adminUrl).hostname, '127.0.0.2', 'its port is apart from the API’s');
    t.equal(await traffic(), 200);
    const stopped = service.stop();
    t.equal(await traffic(), 503);
    t.equal((await fetch(`${adminUrl}/healthz`)).status, 200, 'it lives');
    const answer = await service.call('POST', '/lite/score', { body: { sessionId: 's', clientIp: '203.0.113.24' } });
    t.equal(answer.status, 200);
    t.equal(answer.headers.get('connection'), 'close');
    t.same(waited, [2_000], 'for as long as the setting says');
    endDrain();
    await stopped;
    await t.rejects(fetch(service.bootstrap.siteUrl), 'then nobody listens');
  },
);

t.test(
  'a call that comes on an open connection after the listener has closed is answered like any other',
  async (t) => {
    const service = await startTestService(t);
    const { socket, read } = await openConnection(service);
    const first = scoreCall(service, 'in-flight', 'Expect: 100-continue');
    socket.write(first.slice(0, -5));
    await waitUntil(async () => read().includes('100 Continue'), 'the service has it');
    const stopped = service.stop();
    await waitUntil(
      async () =>
        (await openConnection(service).then(
          () => 'open',
          () => 'closed',
        )) === 'closed',
      'the listener has closed',
    );
    socket.write(first.slice(-5) + scoreCall(service, 'late'));
    await stopped;
    const answers = read().split('HTTP/1.1 ').slice(2);
    t.match(answers[0], /^200[^]*"sessionId":"in-flight"/);
    if (answers[1] !== undefined) t.match(answers[1], /^200[^]*"sessionId":"late"/);
    t.notMatch(read(), /"statusCode"/, 'no body that is not the contract’s');
  },
);

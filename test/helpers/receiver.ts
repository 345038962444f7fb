/** A receiver of webhooks for tests: keeps what came, and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type t from 'tap';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** From now on; the default answers 200 at once. */
  answer(how: (received: Received, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

export async function startReceiver(test: Pick<typeof t, 'teardown'>): Promise<Receiver> {
  const received: Received[] = [];
  let how = (_received: Received, response: ServerResponse): void => void response.writeHead(200).end('ok');
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const item = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        atMs: performance.now(),
      };
      received.push(item);
      how(item, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  test.teardown(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => void (how = next),
    close,
  };
}

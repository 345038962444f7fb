/**
 * A reverse proxy before the service that remembers the probes which pass through it, so that a test can wait for them. To the page it is
 * the service: headers and answers are passed on as they are.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request as forward } from 'undici';
import type { ProbeBody } from '../../src/contract/probe.js';
import type { CollectedProbe } from './static-site.js';

export interface ProbeTap {
  readonly origin: string;
  readonly probes: CollectedProbe[];
  close(): Promise<void>;
}

export async function startProbeTap(serviceOrigin: string): Promise<ProbeTap> {
  const probes: CollectedProbe[] = [];

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const answer = await forward(serviceOrigin + (request.url ?? '/'), {
      method: request.method as 'POST',
      headers,
      ...(text === '' ? {} : { body: text }),
    });
    const body = Buffer.from(await answer.body.arrayBuffer());
    if (request.method === 'POST' && answer.statusCode === 202) {
      probes.push({
        method: 'POST',
        text,
        headers: request.headers,
        body: JSON.parse(text) as ProbeBody,
        bytes: Buffer.byteLength(text),
      });
    }
    const { 'transfer-encoding': _chunked, ...answered } = answer.headers;
    response.writeHead(answer.statusCode, answered as Record<string, string>).end(body);
  }

  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    probes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

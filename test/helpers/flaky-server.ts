/** A server of HTTP that answers each request as the test says next, and remembers what it was sent. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type t from 'tap';

export interface SeenRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: never;
  readonly at: number;
}

/** Answers, or leaves the caller without an answer. */
export type Answer = (response: ServerResponse, request: SeenRequest) => void;

export const reply =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
export const silence: Answer = () => undefined;
export const hangUp: Answer = (response) => void response.destroy();

/** Requests take the answers in their order; the last one answers all that follow. */
export async function startFlakyServer(test: Pick<typeof t, 'teardown'>, answers: readonly Answer[]) {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { url = '', headers } = request;
      const body = (text === '' ? null : JSON.parse(text)) as never;
      const one: SeenRequest = { url, headers, body, at: performance.now() };
      seen.push(one);
      answers[Math.min(seen.length, answers.length) - 1]?.(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1` };
}

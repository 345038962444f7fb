/** The receiver of the bench `webhooks`, in a separate process. Answers at once, counts, and reports how old each event was on arrival. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let latenciesMs: number[] = [];
let count = 0;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url === '/hangs') return;
    if (request.url === '/figures') {
      response.end(JSON.stringify({ count, latenciesMs }));
      [count, latenciesMs] = [0, []];
      return;
    }
    if (request.url?.startsWith('/retries/') === true) return void response.end('ok');
    count += 1;
    const at = /"timestamp":"([^"]+)"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1];
    if (at !== undefined) latenciesMs.push(Date.now() - Date.parse(at));
    response.end('ok');
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

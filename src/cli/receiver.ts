/**
 * `npm run receiver -- --secret S [--port 4000] [--fail 503] [--times N] [--hang]`: receives webhooks on the loopback address, verifies
 * each and prints it. --fail answers with that status (the first N times with --times), --hang never answers.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { verifyWebhook } from '../receiver/verify.js';

const bodyBytesMax = 1_048_576;

const usage = 'Usage: npm run receiver -- --secret SECRET [--port 4000] [--fail STATUS [--times N] | --hang]';

const values = readOptions();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const secret = values.secret ?? refuse('--secret is missing. Add the secret that the registration returned.');
const fault = faultOf();
if (fault !== null) refuse(fault);

function refuse(fault: string): never {
  console.error(`${fault}\n${usage}`);
  process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        secret: { type: 'string' },
        port: { type: 'string', default: '4000' },
        fail: { type: 'string' },
        times: { type: 'string' },
        hang: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Describes the fault of the options; null if there is none. */
function faultOf(): string | null {
  const { port, fail, times, hang } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return '--port must be a number from 0 to 65535; 0 takes a free one.';
  if (fail !== undefined && !/^[2-5]\d\d$/.test(fail)) return '--fail must be a status from 200 to 599.';
  if (times !== undefined && (fail === undefined || !/^\d{1,9}$/.test(times)))
    return '--times must be a number and needs --fail.';
  return hang && fail !== undefined ? '--hang and --fail exclude each other. Omit one.' : null;
}

let failuresLeft = Number(values.times ?? Infinity);
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const verdict = verifyWebhook({ secret, headers: request.headers, body });
    console.log(JSON.stringify({ at: new Date().toISOString(), ...verdict }));
    console.log(body.toString('utf8'));
    if (values.hang) return;
    if (!verdict.valid) return void response.writeHead(401).end(verdict.reason);
    const fails = values.fail !== undefined && failuresLeft-- > 0;
    response.writeHead(fails ? Number(values.fail) : 200).end(fails ? 'fails on request' : 'ok');
  });
});
server.on('error', ({ message }) => {
  console.error(`Cannot listen at port ${values.port}: ${message}. Name another with --port.`);
  process.exit(1);
});
server.listen(Number(values.port), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`Receiving at http://127.0.0.1:${port}/ (register it with VH_WEBHOOK_ALLOW_PRIVATE=on)`);
});

/**
 * Answers requests that the HTTP parser rejects before any route sees them: malformed or too large headers, or a request that does not complete
 * in time. The body is the same as for any other error; the connection closes.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../errors.js';

const code: ErrorCode = 'VALIDATION_FAILED';

interface Refusal {
  readonly status: 400 | 408 | 431;
  readonly message: string;
}

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    message: 'The headers are larger than 16 KB together; send fewer or shorter ones.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive whole in time; send it again.' },
};
const malformed: Refusal = {
  status: 400,
  message:
    'This is not well-formed HTTP. Look for a line break or a control character in a header, a key for instance.',
};

/** For parser errors of a connection. A connection that was reset is closed without a response. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, message } = refusals[error.code ?? ''] ?? malformed;
  const requestId = randomUUID();
  const body = JSON.stringify({ code, message, requestId });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

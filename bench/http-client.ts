/**
 * A minimal HTTP/1.1 client for load, because it shares the machine with what it measures. It POSTs over kept-alive bare sockets, one
 * write a request, reads status and headers, and discards bodies. It takes half the CPU of a general client.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Posted {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `status` is 0 where no answer came; `head` is the answer's status line and headers. */
export type Answered = (status: number, head: string) => void;

export interface HttpClient {
  /** Opens so many connections, a few at a time; resolves once they stand. */
  open(count: number): Promise<void>;
  /** Sends as soon as a connection is free, in the order of the calls; calls `answered` once. */
  post(posted: Posted, answered: Answered): void;
  /** Ends all connections. Requests in flight get no answer. */
  close(): void;
}

interface Connection {
  readonly socket: Socket;
  /** Waits for the reply. */
  answered: Answered | null;
  /** The part of a reply whose headers are not complete yet. */
  beginning: Buffer | null;
  head: string;
  /** Bytes of the answer that are still to come; null before its headers. */
  left: number | null;
}

/** Below what a listener lets wait to be taken. */
const openedTogether = 64;
const headEnd = '\r\n\r\n';

/** `connections` is the most that are open at once; they are opened as they are needed. */
export function createHttpClient(origin: string, connections: number): HttpClient {
  const { hostname, port, host } = new URL(origin);
  const open = new Set<Connection>();
  const free: Connection[] = [];
  const waiting: { readonly posted: Posted; readonly answered: Answered }[] = [];
  let nextWaiting = 0;

  const connectOne = (): Connection => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const connection: Connection = { socket, answered: null, beginning: null, head: '', left: null };
    open.add(connection);
    socket.on('data', (bytes) => {
      if (takeBytes(connection, bytes)) finish(connection);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(connection);
      const { answered } = connection;
      connection.answered = null;
      if (nextWaiting < waiting.length) sendNext(connectOne());
      answered?.(0, '');
    });
    return connection;
  };
  const send = (connection: Connection, { path, headers, body }: Posted, answered: Answered): void => {
    connection.answered = answered;
    let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`;
    for (const name in headers) head += `${name}: ${headers[name] ?? ''}\r\n`;
    connection.socket.write(`${head}content-length: ${Buffer.byteLength(body)}${headEnd}${body}`);
  };
  const sendNext = (connection: Connection): void => {
    const next = waiting[nextWaiting];
    if (next === undefined) {
      free.push(connection);
      return;
    }
    nextWaiting += 1;
    send(connection, next.posted, next.answered);
  };
  const finish = (connection: Connection): void => {
    const { answered, head } = connection;
    connection.answered = null;
    connection.left = null;
    if (/^connection: close/im.test(head)) connection.socket.destroy();
    else sendNext(connection);
    answered?.(Number(head.slice(9, 12)), head);
  };
  return {
    async open(count) {
      for (let left = count; left > 0; left -= openedTogether) {
        const some = Array.from({ length: Math.min(left, openedTogether) }, connectOne);
        await Promise.all(some.map(({ socket }) => once(socket, 'connect')));
        free.push(...some);
      }
    },
    post(posted, answered) {
      let connection = free.pop();
      while (connection?.socket.destroyed === true) connection = free.pop();
      if (connection === undefined && open.size < connections) connection = connectOne();
      if (connection === undefined) waiting.push({ posted, answered });
      else send(connection, posted, answered);
    },
    close() {
      for (const { socket } of open) socket.destroy();
    },
  };
}

/** Whether the answer is whole. */
function takeBytes(connection: Connection, bytes: Buffer): boolean {
  if (connection.left === null) {
    const all = connection.beginning === null ? bytes : Buffer.concat([connection.beginning, bytes]);
    const end = all.indexOf(headEnd);
    if (end < 0) {
      connection.beginning = all;
      return false;
    }
    connection.beginning = null;
    connection.head = all.toString('latin1', 0, end);
    connection.left = lengthOf(connection.head) + end + headEnd.length - all.length;
    return connection.left === 0;
  }
  connection.left -= bytes.length;
  return connection.left === 0;
}

function lengthOf(head: string): number {
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (head.startsWith('HTTP/1.1 204')) return 0;
  throw new Error(`an answer without a length cannot be read here: ${head}`);
}

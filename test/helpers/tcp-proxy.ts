/** The way to a store, for tests that close it: a store that many share is then away for one of them, without being stopped. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type t from 'tap';
import { freePort } from './ports.js';

export interface TcpProxy {
  readonly port: number;
  /** Breaks every connection and refuses new ones, as a server that was killed. */
  refuse(): Promise<void>;
  /** Takes connections and keeps those that are open, and passes nothing on in either direction, as a server that stands still. */
  hang(): void;
  /** Lets everything through again, also what was sent meanwhile over connections that were kept. */
  restore(): Promise<void>;
}

/** Passes on to a port of this machine until told otherwise. */
export async function startTcpProxy(test: Pick<typeof t, 'teardown'>, targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isHanging = false;
  const keep = (socket: Socket, other: () => Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other().destroy();
    });
  };
  const accept = (client: Socket): void => {
    const upstream = connect(targetPort, '127.0.0.1');
    keep(client, () => upstream);
    keep(upstream, () => client);
    client.pipe(upstream);
    upstream.pipe(client);
    if (isHanging) for (const socket of [client, upstream]) socket.pause();
  };
  let server: Server = createServer();
  const listen = async (port: number): Promise<void> => {
    server = createServer(accept).listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  // A client that keeps trying could be connected to itself on a port that the system hands out.
  const port = await freePort();
  await listen(port);
  const refuse = async (): Promise<void> => {
    isHanging = false;
    const closed = server.listening ? once(server, 'close') : null;
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  test.teardown(refuse);
  return {
    port,
    refuse,
    hang: () => {
      isHanging = true;
      for (const socket of sockets) socket.pause();
    },
    restore: async () => {
      isHanging = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(port);
    },
  };
}

/**
 * Begins to listen, so that callers who open a connection while there is too much work are taken soon, too: the kernel keeps as many waiting as a
 * burst brings, and a turn of the event loop takes several of them (listener-copies.ts). What the kernel cannot keep it drops or forgets, and the call is
 * answered by nobody.
 */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { copyListener, type ListenerCopies } from './listener-copies.js';

/** Connections that wait to be taken; Linux keeps no more than `net.core.somaxconn`, 4,096 where nobody changed it. */
const backlog = 4_096;

export interface ListenAt {
  readonly host: string;
  readonly port: number;
  /** Of the listener; each takes one connection more in a turn. */
  readonly copies?: number;
}

/** Resolves to the port once it listens. Rejects where the address cannot be had. */
export async function listen(app: FastifyInstance, { host, port, copies = 15 }: ListenAt): Promise<number> {
  let copied: ListenerCopies | null = null;
  let closed: Promise<void> | null = null;
  app.addHook('preClose', (done) => {
    // Not waited for here: what they have taken ends with the server’s own.
    closed = copied?.close() ?? null;
    done();
  });
  // After the server’s own connections have ended.
  app.addHook('onClose', async () => closed);
  await app.listen({ host, port, backlog });
  if (copies > 0) copied = copyListener(app.server, copies, backlog);
  return (app.server.address() as AddressInfo | null)?.port ?? port;
}

/**
 * Begins to listen. A burst of callers who open connections waits in the kernel’s queue until it is taken, one in each turn of the event loop;
 * what that queue cannot keep is dropped or forgotten, and the call is answered by nobody.
 */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Connections that wait to be taken, where Node’s default keeps 511; Linux keeps no more than `net.core.somaxconn`, 4,096 where nobody changed it. */
const backlog = 4_096;

/** Resolves to the port once it listens. Rejects where the address cannot be had. */
export async function listen(
  app: FastifyInstance,
  at: { readonly host: string; readonly port: number },
): Promise<number> {
  await app.listen({ ...at, backlog });
  return (app.server.address() as AddressInfo | null)?.port ?? at.port;
}

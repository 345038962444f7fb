/**
 * Starts listening. New connections wait in the kernel’s queue, from which Node.js accepts one per turn of the event loop. The kernel drops
 * connections beyond that queue, and their requests get no response.
 */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Length of the queue; the default of Node.js is 511. Linux caps it at `net.core.somaxconn`, 4,096 by default. */
const backlog = 4_096;

/** Resolves to the port. Rejects if the address is not available. */
export async function listen(
  app: FastifyInstance,
  at: { readonly host: string; readonly port: number },
): Promise<number> {
  await app.listen({ ...at, backlog });
  return (app.server.address() as AddressInfo | null)?.port ?? at.port;
}

/** Free ports for servers that have to be told theirs, or keep it over a restart. All others listen on port 0. */
import { createServer } from 'node:net';

/** Below 32,768: from there on the system hands ports out to connections, which take a free one before the server does. */
const portMin = 10_000;
const portsCount = 12_000;
/** How far above a Redis server's port the bus of its cluster listens. */
const busDistance = 10_000;

/** Different ports, each free together with the one for its cluster bus. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = portMin + Math.floor(Math.random() * portsCount);
    if ((await isFree(port)) && (await isFree(port + busDistance))) ports.add(port);
  }
  return [...ports];
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

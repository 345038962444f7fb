/**
 * Creates the Redis client for an address: one node, one that Sentinels name, or a cluster. One of several nodes is enough to find the others. If a
 * server turned into a replica and refuses writes (READONLY), the client reconnects: the name may stand for another server by now.
 */
import { Cluster, Redis } from 'ioredis';

const reconnectDelayMsMax = 1_000;
const restartDelayMs = 50;

/** `redis://`, `redis+sentinel://[user:password@]host:port,host:port/name` or `redis+cluster://host:port,host:port`, each with `rediss` for TLS. */
export function createClient(url: string, deadlineMs: number): Redis | Cluster {
  const common = {
    lazyConnect: true,
    enableAutoPipelining: false,
    connectTimeout: Math.max(deadlineMs, 1_000),
    // Without it the client would never leave a peer that went silent.
    socketTimeout: Math.max(4 * deadlineMs, 2_000),
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  };
  const retry = (times: number): number => Math.min(50 * times, reconnectDelayMsMax);
  const single = {
    ...common,
    enableOfflineQueue: false,
    retryStrategy: retry,
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  const several = readSeveral(url);
  if (several === null) return new Redis(url, single);
  const { kind, isTls, nodes, credentials, path } = several;
  if (kind === 'sentinel')
    return new Redis({
      ...single,
      ...credentials,
      ...(isTls ? { tls: {}, enableTLSForSentinelMode: true } : {}),
      sentinels: nodes(26_379),
      name: path,
      sentinelRetryStrategy: retry,
      // One that went silent is left for the next, as the master is.
      sentinelCommandTimeout: common.connectTimeout,
      // Their news of a switch of servers ends the connection to the one before, which may live on.
      failoverDetector: true,
    });
  const { lazyConnect, enableAutoPipelining, ...redisOptions } = common;
  return new Cluster(nodes(6_379), {
    lazyConnect,
    enableAutoPipelining,
    enableOfflineQueue: false,
    clusterRetryStrategy: retry,
    slotsRefreshTimeout: Math.max(deadlineMs, 1_000),
    // The client would look names up by itself and connect to addresses, which certificates do not name.
    ...(isTls ? { dnsLookup: keepName } : {}),
    redisOptions: { ...redisOptions, ...(isTls ? { tls: {} } : {}), ...credentials },
  });
}

/** Reconnects a client that ended because a failover was announced while it asked a Sentinel. Call the result before closing the client. */
export function keepAlive(client: Redis | Cluster): () => void {
  const connect = (): void => void client.connect().catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const restart = (): void => {
    timer = setTimeout(connect, restartDelayMs);
  };
  client.on('end', restart);
  return () => {
    client.off('end', restart);
    clearTimeout(timer);
  };
}

const keepName = (name: string, done: (error: null, address: string) => void): void => done(null, name);

interface SeveralNodes {
  readonly kind: 'cluster' | 'sentinel';
  readonly isTls: boolean;
  readonly nodes: (defaultPort: number) => { host: string; port: number }[];
  readonly credentials: { readonly username?: string; readonly password?: string };
  /** The part of the address after the nodes. */
  readonly path: string;
}

/** null for an address of one node. */
function readSeveral(url: string): SeveralNodes | null {
  const [, scheme, kind, rest = ''] = /^(rediss?)\+(cluster|sentinel):\/\/(.*)$/.exec(url) ?? [];
  if (kind !== 'cluster' && kind !== 'sentinel') return null;
  const at = rest.lastIndexOf('@') + 1;
  const [hosts = '', path = ''] = rest.slice(at).split('/');
  const { username, password } = new URL(`redis://${rest.slice(0, at)}host`);
  return {
    kind,
    isTls: scheme === 'rediss',
    nodes: (defaultPort) =>
      hosts
        .split(',')
        .map((node) => new URL(`redis://${node}`))
        .map((node) => ({ host: node.hostname, port: Number(node.port === '' ? defaultPort : node.port) })),
    credentials: {
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    },
    path,
  };
}

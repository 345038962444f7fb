/**
 * A Redis for tests: the running stack’s, the one that REDIS_URL names, or one started here on a free port with
 * nothing kept. null where there is none and no redis-server to start.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Takes the process away without notice, if it was started here. */
  kill(signal: NodeJS.Signals): void;
  close(): Promise<void>;
}

/** A shared server, else one of our own. */
export async function findRedis(): Promise<Pick<TestRedis, 'url' | 'close'> | null> {
  const url = process.env['REDIS_URL'] ?? (await stackUrl());
  return url === null ? startRedis() : { url, close: async () => undefined };
}

async function stackUrl(): Promise<string | null> {
  try {
    const stack: unknown = JSON.parse(await readFile('.stack/stack.json', 'utf8'));
    return typeof stack === 'object' && stack !== null && 'redisUrl' in stack && typeof stack.redisUrl === 'string'
      ? stack.redisUrl
      : null;
  } catch {
    return null;
  }
}

/** Starts a server; null where redis-server is not installed. */
export async function startRedis(
  options: { readonly port?: number; readonly args?: readonly string[] } = {},
): Promise<TestRedis | null> {
  const port = options.port ?? (await freePort());
  const directory = await mkdtemp(join(tmpdir(), 'redis-'));
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    directory,
    '--save',
    '',
    '--appendonly',
    'no',
    ...(options.args ?? []),
  ];
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const started = await waitUntilReady(server);
  const close = async (): Promise<void> => {
    if (started && server.exitCode === null && server.signalCode === null) {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    }
    await rm(directory, { recursive: true, force: true });
  };
  if (!started) {
    await close();
    return null;
  }
  return { url: `redis://127.0.0.1:${port}`, port, kill: (signal) => server.kill(signal), close };
}

async function waitUntilReady(server: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.once('exit', () => resolve(false));
    let text = '';
    server.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('Ready to accept connections')) resolve(true);
    });
  });
}

/** Ports below 50,000 leave room for the cluster bus, which listens 10,000 above. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    server.listen(20_000 + Math.floor(Math.random() * 30_000), '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    const address = server.address();
    server.close();
    await once(server, 'close');
    if (typeof address === 'object' && address !== null) return address.port;
  }
}

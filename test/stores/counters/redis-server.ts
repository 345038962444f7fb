/**
 * A Redis for tests: the running stack’s, the one that REDIS_URL names, or one started here on a free port with
 * nothing kept. null where there is none and no redis-server to start.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../helpers/ports.js';
import { readRunningStack } from '../../helpers/stores.js';

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Takes the process away without notice, if it was started here. */
  kill(signal: NodeJS.Signals): void;
  close(): Promise<void>;
}

/** A shared server, else one of our own. */
export async function findRedis(): Promise<Pick<TestRedis, 'url' | 'close'> | null> {
  const url = process.env['REDIS_URL'] ?? readRunningStack()?.redisUrl;
  return url === undefined ? startRedis() : { url, close: async () => undefined };
}

/** Starts a server; null where redis-server is not installed. Rejects with its last words where it ends before it is ready. */
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
  const close = async (): Promise<void> => {
    if (server.pid !== undefined && server.exitCode === null && server.signalCode === null) {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    }
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(server);
  } catch (error) {
    await close();
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, port, kill: (signal) => server.kill(signal), close };
}

function waitUntilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`redis-server ended before it was ready: ${text.slice(-500)}`)));
    server.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('Ready to accept connections')) resolve();
    });
  });
}

/** A Redis Sentinel for tests, which knows its master by the name `vh`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './ports.js';
import { temporaryDirectory } from './directories.js';

/** A Sentinel that was not scheduled for two seconds trusts its clock no more, and begins no failover for 30 seconds. */
export const takeOverMsMax = 75_000;

export interface TestSentinel {
  readonly port: number;
  /** `SIGSTOP`: it is connected to and never answers. */
  signal(signal: NodeJS.Signals): void;
}

/** Starts one; resolves once it answers. `quorum`: how many must find the master away. */
export async function startSentinel(
  t: { teardown(work: () => Promise<void>): unknown },
  { masterPort, quorum = 1 }: { readonly masterPort: number; readonly quorum?: number },
): Promise<TestSentinel> {
  const port = await freePort();
  const directory = temporaryDirectory(t);
  const file = join(directory, 'sentinel.conf');
  await writeFile(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${directory}`,
      `sentinel monitor vh 127.0.0.1 ${masterPort} ${quorum}`,
      'sentinel down-after-milliseconds vh 500',
      'sentinel failover-timeout vh 3000',
    ].join('\n'),
  );
  const process = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  t.teardown(async () => {
    const exited = once(process, 'exit');
    process.kill('SIGKILL');
    await exited;
  });
  const client = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    retryStrategy: () => 50,
    maxRetriesPerRequest: null,
  });
  client.on('error', () => undefined);
  await client.ping();
  client.disconnect();
  return { port, signal: (signal) => void process.kill(signal) };
}
